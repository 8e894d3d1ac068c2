import { measures } from '../../model/measures/measures.ts';
import type { BrokenCause } from '../../model/observation/exchange.ts';
import type { Observation } from '../../model/observation/observation.ts';
import type { OutcomeKind } from '../../model/observation/outcome.ts';
import { outcomeKinds } from '../../model/observation/outcome.ts';
import type { PairedRequest, ReadTime, RequestPair } from './judge/judge-pairs.ts';
import type { PairedMeasure, PairedSide } from './model/pairs.ts';

/** The causes of failures on this machine: the machine could not send, or gave up. */
const ownCauses: ReadonlySet<BrokenCause> = new Set(['internal', 'out-of-sockets']);

const statusOf = ({ outcome, toCancel }: Observation): PairedRequest['status'] => {
  if (toCancel === true || outcome.kind === 'dropped' || outcome.kind === 'cancelled')
    return 'unknown';
  if (outcome.kind === 'completed') return 'completed';
  return outcome.kind === 'broken' && ownCauses.has(outcome.cause) ? 'unknown' : 'failed';
};

const sampleOf = (measure: PairedMeasure, observation: Observation): number | undefined =>
  measures[measure].of(observation)[0];

/** Returns the mean time between tokens, and by how much late reads of both ends of the stream may have changed it. */
const gapOf = (observation: Observation, first: number, end: number): ReadTime | null => {
  const { outcome } = observation;
  const value = sampleOf('tpot', observation);
  if (value === undefined || outcome.kind !== 'completed' || outcome.answer.kind !== 'chat-stream')
    return null;
  const { firstToken, lastToken } = outcome.answer;
  const per = value === 0 ? 1 : Math.max(1, ((lastToken ?? 0) - (firstToken ?? 0)) / value);
  return { value, over: end / per, under: first / per, per };
};

const timesOf = (observation: Observation): PairedRequest['times'] => {
  const { readDelays } = observation;
  const [first, end] = [readDelays?.first ?? readDelays?.end ?? 0, readDelays?.end ?? 0];
  const times: Partial<Record<PairedMeasure, ReadTime>> = {};
  for (const measure of ['ttft', 'firstAudio', 'endToEnd'] as const) {
    const value = sampleOf(measure, observation);
    const over = measure === 'endToEnd' ? end : first;
    if (value !== undefined) times[measure] = { value, over, under: 0, per: 1 };
  }
  const gap = gapOf(observation, first, end);
  return gap === null ? times : { ...times, tpot: gap };
};

const requestOf = (observation: Observation | undefined): PairedRequest =>
  observation === undefined
    ? { outcome: 'dropped', status: 'unknown', times: {} }
    : {
        outcome: observation.outcome.kind,
        status: statusOf(observation),
        times: timesOf(observation),
      };

const nameOf = ({ stage, index }: Pick<Observation, 'stage' | 'index'>): string =>
  `${stage}-${index}`;

/** The observations of both sides, and which side got the first request of a pair. */
interface ObservedSides {
  readonly base: readonly Observation[];
  readonly next: readonly Observation[];
  readonly isNextFirst: (arrival: Pick<Observation, 'stage' | 'index'>) => boolean;
  /** How much later the second request of a pair was due, in ms. */
  readonly gap: number;
  /** When the warm-up ends, in ms. */
  readonly warmUp: number;
}

/**
 * Joins the observations of both sides into pairs, in the order in which they were due. Leaves out pairs due in the
 * warm-up.
 */
export const joinPairs = ({
  base,
  next,
  isNextFirst,
  gap,
  warmUp,
}: ObservedSides): readonly RequestPair[] => {
  const sides = new Map<string, { due: number; base?: Observation; next?: Observation }>();
  for (const [side, observations] of Object.entries({ base, next }) as [
    'base' | 'next',
    typeof base,
  ][])
    for (const observation of observations) {
      const isSecond = isNextFirst(observation) === (side === 'base');
      const pair = sides.get(nameOf(observation)) ?? { due: 0 };
      sides.set(nameOf(observation), pair);
      pair[side] = observation;
      pair.due = observation.due - (isSecond ? gap : 0);
    }
  return [...sides.values()]
    .filter(({ due }) => due >= warmUp)
    .toSorted((a, b) => a.due - b.due)
    .map((pair) => ({
      second: Math.floor(pair.due / 1000),
      nextFirst: isNextFirst(pair.base ?? pair.next!),
      base: requestOf(pair.base),
      next: requestOf(pair.next),
    }));
};

/** Returns how many requests of a side were in flight, on average and at most. */
const inFlightOf = (observations: readonly Observation[]): PairedSide['inFlight'] => {
  const sent = observations.filter(({ outcome }) => outcome.kind !== 'dropped');
  const events = sent
    .flatMap(({ begun, ended }) => [[begun, 1] as const, [ended, -1] as const])
    .toSorted(([a, x], [b, y]) => a - b || x - y);
  let [now, most, area, last] = [0, 0, 0, events[0]?.[0] ?? 0];
  for (const [at, change] of events) {
    area += now * (at - last);
    last = at;
    now += change;
    most = Math.max(most, now);
  }
  const length = last - (events[0]?.[0] ?? 0);
  return { mean: length === 0 ? 0 : area / length, most };
};

const meanCached = (observations: readonly Observation[]): number | null => {
  const cached = observations.flatMap(({ outcome }) =>
    outcome.kind === 'completed' && 'tokens' in outcome.answer
      ? (outcome.answer.tokens.cached ?? [])
      : [],
  );
  return cached.length === 0 ? null : cached.reduce((a, b) => a + b, 0) / cached.length;
};

/** Summarises a side: its outcomes, its concurrency, and the cached tokens of first and second requests. */
export const summariseSide = (
  observations: readonly Observation[],
  isFirst: (observation: Observation) => boolean,
): Pick<PairedSide, 'outcomes' | 'inFlight' | 'cachedFirst' | 'cachedSecond'> => ({
  outcomes: Object.fromEntries(
    outcomeKinds.map((kind) => [
      kind,
      observations.filter(({ outcome }) => outcome.kind === kind).length,
    ]),
  ) as Record<OutcomeKind, number>,
  inFlight: inFlightOf(observations),
  cachedFirst: meanCached(observations.filter(isFirst)),
  cachedSecond: meanCached(observations.filter((each) => !isFirst(each))),
});
