import type { LimiterClass } from '../../../model/limits/limit-log.ts';
import { countBefore, countUpTo } from '../facts/count-instants.ts';
import type { DecisionHistory, PriorDecisions } from './decision-history.ts';
import type { LimiterParameters } from './limiter-candidates.ts';

/**
 * Decides whether a limiter admits a request at `moment`. A model computes each decision from all earlier decisions.
 * Unlike a gateway, a model keeps no counters, so a model does not share the bugs of gateways.
 */
export type LimiterModel = (prior: PriorDecisions, moment: number) => boolean;

type LimiterModelBuilder = (
  history: DecisionHistory,
  parameters: LimiterParameters,
) => LimiterModel;

const fixedFromFirst: LimiterModelBuilder = (
  { admitted, middles },
  { limit, window, phase, second },
) => {
  /**
   * Returns the start of a window that begins with its first request. A gateway that counts whole seconds rounds the
   * start down.
   */
  const beginOf = (moment: number): number =>
    second === null ? moment : Math.floor((moment - phase) / second) * second + phase;
  /** For each admitted request, the index of the first request in the same window. */
  const first: number[] = [];
  for (const [place, { answered }] of admitted.entries()) {
    const begin = first[place - 1] ?? 0;
    const end = beginOf(middles[begin]!) + window;
    const isFull = place - begin >= limit;
    // A window may have ended during a request. If the window was full and the limiter admitted the request, the window
    // certainly ended.
    const isNext = place > 0 && (middles[place]! >= end || (isFull && answered >= end));
    first.push(place === 0 || isNext ? place : begin);
  }
  return (prior, moment) => {
    let before = prior.admitted;
    // The request may overlap the first request of a window. If the request came first, it belongs to the previous
    // window.
    while (before > 0 && middles[first[before - 1]!]! > moment) before = first[before - 1]!;
    const begin = first[before - 1];
    if (begin === undefined || moment >= beginOf(middles[begin]!) + window) return true;
    return before - begin < limit;
  };
};

/**
 * Returns a function that counts the admissions before a moment. The function remembers the last count, since most
 * calls ask for the same moment.
 */
const createCountBefore = (middles: Float64Array): ((moment: number) => number) => {
  let last = Number.NaN;
  let count = 0;
  return (moment) => {
    if (moment !== last) {
      last = moment;
      count = countBefore(middles, moment);
    }
    return count;
  };
};

const fixedAligned: LimiterModelBuilder = ({ middles }, { limit, window, phase }) => {
  const before = createCountBefore(middles);
  return ({ admitted }, moment) => {
    const begin = Math.floor((moment - phase) / window) * window + phase;
    return admitted - before(begin) < limit;
  };
};

const slidingLog: LimiterModelBuilder =
  ({ middles }, { limit, window }) =>
  ({ admitted }, moment) =>
    admitted - countBefore(middles, moment - window) < limit;

const slidingLogCountingRefusals: LimiterModelBuilder =
  ({ middles }, { limit, window }) =>
  ({ admitted, refusedSince }, moment) =>
    admitted - countBefore(middles, moment - window) + refusedSince(moment - window) < limit;

const slidingCounter: LimiterModelBuilder = ({ middles }, { limit, window, phase, room }) => {
  const [before, longBefore] = [createCountBefore(middles), createCountBefore(middles)];
  return ({ admitted }, moment) => {
    const begin = Math.floor((moment - phase) / window) * window + phase;
    const current = admitted - before(begin);
    const previous = before(begin) - longBefore(begin - window);
    const overlap = 1 - (moment - begin) / window;
    const left = limit - previous * overlap - current;
    return room === 'whole' ? left >= 1 - 1e-9 : left > 1e-9;
  };
};

/** The minimum level at which a bucket admits a request: 1, minus a tolerance for rounding. */
const minLevel = 1 - 1e-9;

/**
 * Replays a bucket that holds `capacity` requests. `gainedAt(moment)` returns the refill since some start. The model
 * explains an admission if the bucket could admit the request up to `slack` ms later. The level then becomes negative,
 * and this debt stays. So the model explains single early requests, but no rate above the refill. Example: with a
 * refill every 100 ms, each request that comes 80 ms after the previous request adds 0.2 to the debt. After a few such
 * requests, the next request is a contradiction in spite of `slack`.
 */
const bucket = (
  { admitted: requests, middles, slack }: DecisionHistory,
  capacity: number,
  gainedAt: (moment: number) => number,
): LimiterModel => {
  const gained = middles.map(gainedAt);
  /** The level after each admitted request. */
  const left = new Float64Array(middles.length);
  let before = capacity;
  let gainedBefore = gained[0] ?? 0;
  const levelWith = (gain: number): number =>
    gain <= gainedBefore ? before : Math.min(capacity, before + gain - gainedBefore);
  for (let place = 0; place < left.length; place += 1) {
    const gain = gained[place]!;
    const level = levelWith(gain);
    // If an admission is too early even at its latest possible instant, the admission is a contradiction, and the debt
    // is cleared.
    const isExplained =
      level >= minLevel || levelWith(gainedAt(requests[place]!.answered + slack)) >= minLevel;
    before = isExplained ? level - 1 : 0;
    gainedBefore = Math.max(gainedBefore, gain);
    left[place] = before;
  }
  return ({ admitted }, moment) => {
    if (admitted === 0) return capacity >= 1;
    const gain = gainedAt(moment) - gained[admitted - 1]!;
    return Math.min(capacity, left[admitted - 1]! + Math.max(0, gain)) >= minLevel;
  };
};

const evenBucket: LimiterModelBuilder = (history, { limit, window, burst }) => {
  const rate = limit / window;
  return bucket(history, burst, (moment) => moment * rate);
};

const steppedBucket: LimiterModelBuilder = (history, { limit, window, phase, steps }) => {
  const [perStep, length] = [limit / steps, window / steps];
  return bucket(history, limit, (moment) => Math.floor((moment - phase) / length) * perStep);
};

/**
 * Models a cap on requests in flight. Each request counts until the latest possible instant at which it left the
 * gateway.
 */
const inFlight: LimiterModelBuilder =
  ({ ends }, { limit }) =>
  ({ admitted }, moment) =>
    admitted - Math.min(admitted, countBefore(ends, moment)) < limit;

interface Limiter {
  readonly model: LimiterModelBuilder;
  /** The parameters that reports show beside the limit and the window. */
  readonly named?: readonly ('phase' | 'burst' | 'steps')[];
}

export const limiters: Readonly<Record<LimiterClass, Limiter>> = {
  'fixed-from-first': { model: fixedFromFirst },
  'fixed-any-phase': { model: fixedAligned, named: ['phase'] },
  'fixed-aligned': { model: fixedAligned, named: ['phase'] },
  'sliding-log': { model: slidingLog },
  'sliding-log-counting-refusals': { model: slidingLogCountingRefusals },
  'token-bucket': { model: evenBucket },
  'burst-bucket': { model: evenBucket, named: ['burst'] },
  'sliding-counter': { model: slidingCounter, named: ['phase'] },
  'stepped-bucket': { model: steppedBucket, named: ['steps', 'phase'] },
  // Delays of answers, not decisions, show a queue (`queueDelays`). So this model simply admits every request.
  'leaky-queue': { model: () => () => true },
  'in-flight': { model: inFlight },
};

/**
 * The condition under which fixed windows admit a request: a window begins later than `after` and at or before `until`,
 * in ms.
 */
interface EdgeBounds {
  /** The lower bound; -Infinity if the request is admitted wherever windows begin. */
  readonly after: number;
  readonly until: number;
  readonly admitted: boolean;
}

const edgeBoundsOf = (
  { decisions, priors, middles, slack }: DecisionHistory,
  limit: number,
): readonly EdgeBounds[] =>
  decisions.map(({ sent, answered, admitted }, place) => {
    // The request is admitted only if a window began after the `limit`-th last admission before the request. Otherwise,
    // the last `limit` admissions fill the window.
    const newestOutside = priors[place]!.admitted - limit;
    return {
      after: newestOutside < 0 ? Number.NEGATIVE_INFINITY : middles[newestOutside]!,
      until: admitted ? answered + slack : sent - slack,
      admitted,
    };
  });

/**
 * Counts the decisions that fixed windows contradict, for all phases in one pass. A limiter admits a request if a
 * window begins between two moments. So the phases that admit the request are an arc of the period. Example: the limit
 * is 10, windows are 1,000 ms long, a request comes at 1,400 ms, and the admission 10 places before the request was at
 * 900 ms. The request is admitted if a window begins after 900 and up to 1,400 ms. The phase of such a window lies from
 * 900 to 1,000 ms or from 0 to 400 ms. If the request was refused, all phases in this arc contradict the refusal.
 */
export class PhaseContradictions {
  readonly #history: DecisionHistory;
  #limit = Number.NaN;
  #bounds: readonly EdgeBounds[] = [];

  constructor(history: DecisionHistory) {
    this.#history = history;
  }

  /**
   * Returns the lowest number of contradictions of any candidate; infinity if there are no candidates. The candidates
   * differ only by their phase.
   */
  fewest(candidates: readonly Pick<LimiterParameters, 'limit' | 'window' | 'phase'>[]): number {
    const [first] = candidates;
    if (first === undefined) return Infinity;
    const { limit, window } = first;
    if (limit !== this.#limit) {
      this.#limit = limit;
      this.#bounds = edgeBoundsOf(this.#history, limit);
    }
    const folded = (moment: number): number => moment - Math.floor(moment / window) * window;
    const places = Float64Array.from(candidates, ({ phase }) => folded(phase)).sort();
    const all = places.length;
    /** How many more decisions are contradicted at each phase than at the phase before. */
    const changes = new Int32Array(all + 1);
    const add = (from: number, to: number, count: number): void => {
      changes[from]! += count;
      changes[to]! -= count;
    };
    for (const { after, until, admitted } of this.#bounds) {
      // A phase in the arc predicts an admission; a phase outside the arc predicts a refusal.
      const outside = Number(admitted);
      const inside = 1 - outside;
      const length = until - after;
      if (length >= window || length <= 0) {
        add(0, all, length > 0 ? inside : outside);
        continue;
      }
      const [begin, end] = [folded(after), folded(until)];
      // If the arc crosses the end of the period, it covers all phases except those from `end` to `begin`.
      add(0, all, begin > end ? inside : outside);
      add(countUpTo(places, begin), countUpTo(places, end), inside - outside);
    }
    let count = 0;
    return changes.subarray(0, -1).reduce((least, change) => {
      count += change;
      return Math.min(least, count);
    }, Infinity);
  }
}
