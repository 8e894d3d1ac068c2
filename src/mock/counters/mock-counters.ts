import { routes } from '../../contract/routes.ts';
import { type FaultName, faultNames } from '../../model/gateway/mock-faults.ts';
import { type TrafficKind, trafficKinds } from '../../model/workload/traffic.ts';
import { type LimitCause, limitCauses } from '../limits/key-limiter.ts';
import { type RefusalCause, refusalCauses } from '../errors/request-refusal.ts';

export type RouteName = keyof typeof routes;
const routeNames = Object.keys(routes) as readonly RouteName[];

/**
 * How a request can end: `completed` and `refused` with the last byte written, `faulted` with a fault in any way,
 * `aborted` by a client that disconnected early, `cut` by a stop of the mock.
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

/** Exact counts: every received request has one end or is in flight. */
export interface MockCounters {
  received: number;
  /** Checks of the gateway before a run, which no other counter includes. */
  preflights: number;
  /** Requests that passed the checks of path, key, credits and limits. */
  readonly admitted: Record<RouteName, number>;
  readonly ended: Record<ExchangeEnd, number>;
  /** Prompt tokens of all chats that began, and completion tokens that were written. */
  readonly tokens: { input: number; output: number };
  /** What completed answers were billed for: characters of speech, transcribed audio, and the sum in micro-units. */
  readonly billed: { characters: number; audioMilliseconds: number; micros: number };
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
 * The counters of the control port: flat, with every name except those of faults that never occurred. `received` =
 * `completed` + `limited` + `refused` + `faulted` + `aborted` + `cut` + `inFlight`, where the first four are the sums of
 * the names that begin with theirs and a dot.
 */
export const flattenCounters = (counters: MockCounters): Record<string, number> => {
  const { received, preflights, admitted, ended, tokens, billed } = counters;
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
