import { routes } from '../../contract/routes.ts';
import { type FaultName, faultNames } from '../../model/gateway/mock-faults.ts';
import { type TrafficKind, trafficKinds } from '../../model/workload/traffic.ts';
import { type LimitCause, limitCauses } from '../limits/key-limiter.ts';
import { type RefusalCause, refusalCauses } from '../errors/request-refusal.ts';

export type RouteName = keyof typeof routes;
const routeNames = Object.keys(routes) as readonly RouteName[];

/**
 * How a request can end. `completed` and `refused` are counted when the last byte is handed over,
 * `faulted` are those that showed a fault, however they ended,
 * `aborted` is a client that hung up before, `cut` a request that was open when the mock stopped.
 */
export type ExchangeEnd =
  | `completed.${TrafficKind}`
  | `limited.${LimitCause}`
  | `refused.${RefusalCause}`
  | `faulted.${FaultName}`
  | 'aborted'
  | 'cut';

const ends: readonly ExchangeEnd[] = [
  ...trafficKinds.map((kind) => `completed.${kind}` as const),
  ...limitCauses.map((cause) => `limited.${cause}` as const),
  ...refusalCauses.map((cause) => `refused.${cause}` as const),
  ...faultNames.map((name) => `faulted.${name}` as const),
  'aborted',
  'cut',
];

/** Exact counts: every request that was received has one end or is in flight. */
export interface MockCounters {
  received: number;
  /** Looks at the gateway before a run, in no other count. */
  preflights: number;
  /** Requests that passed path, key and limits. */
  readonly admitted: Record<RouteName, number>;
  readonly ended: Record<ExchangeEnd, number>;
  /** Prompt tokens of the chats that were begun, and completion tokens that were handed over. */
  readonly tokens: { input: number; output: number };
  readonly billed: BilledAmounts;
}

/** What the completed answers were billed for, and in sum: characters spoken, audio transcribed, millionths of the currency. */
interface BilledAmounts {
  characters: number;
  audioMilliseconds: number;
  micros: number;
}

const zeros = <Name extends string>(names: readonly Name[]): Record<Name, number> =>
  Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;

export const emptyMockCounters = (): MockCounters => ({
  received: 0,
  preflights: 0,
  admitted: zeros(routeNames),
  ended: zeros(ends),
  tokens: { input: 0, output: 0 },
  billed: { characters: 0, audioMilliseconds: 0, micros: 0 },
});

/**
 * The counters as the control port tells them: flat, always with every name except of faults that never showed. `received` =
 * `completed` + `limited` + `refused` + `faulted` + `aborted` + `cut` + `inFlight`, and the four sums are those
 * of the names that begin with theirs and a dot.
 */
export const flattenCounters = ({
  received,
  preflights,
  admitted,
  ended,
  tokens,
  billed,
}: MockCounters): Record<string, number> => {
  const sum = (prefix: string): number =>
    ends.reduce((total, end) => total + (end.startsWith(prefix) ? ended[end] : 0), 0);
  const shownEnds = Object.entries(ended).filter(
    ([end, count]) => count > 0 || !end.startsWith('faulted.'),
  );
  return {
    received,
    admitted: routeNames.reduce((total, route) => total + admitted[route], 0),
    ...Object.fromEntries(routeNames.map((route) => [`admitted.${route}`, admitted[route]])),
    completed: sum('completed.'),
    limited: sum('limited.'),
    refused: sum('refused.'),
    faulted: sum('faulted.'),
    ...Object.fromEntries(shownEnds),
    inFlight: received - sum(''),
    preflights,
    'tokens.input': tokens.input,
    'tokens.output': tokens.output,
    characters: billed.characters,
    audioMilliseconds: billed.audioMilliseconds,
    'cost.micros': billed.micros,
  };
};
