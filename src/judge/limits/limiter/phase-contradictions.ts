import { countUpTo } from '../facts/count-instants.ts';
import type { DecisionHistory } from './decision-history.ts';
import type { LimiterParameters } from './limiter-candidates.ts';

/**
 * The condition under which fixed windows admit a request: a window begins after `after` and at or before `until`.
 * Instants in ms.
 */
interface EdgeBounds {
  /** -Infinity if the request is admitted wherever windows begin. */
  readonly after: number;
  /**
   * The moment of the decision that excuses the limiter most: the latest possible one of an admission, the earliest
   * possible one of a refusal.
   */
  readonly until: number;
  readonly admitted: boolean;
}

const edgeBoundsOf = (
  { decisions, priors, middles, slack }: DecisionHistory,
  limit: number,
): readonly EdgeBounds[] =>
  decisions.map(({ sent, answered, admitted }, place) => {
    // A window has room for the request if it began after the admission `limit` places before it.
    const newestOutside = priors[place]!.admitted - limit;
    return {
      after: newestOutside < 0 ? Number.NEGATIVE_INFINITY : middles[newestOutside]!,
      until: admitted ? answered + slack : sent - slack,
      admitted,
    };
  });

/** Counts the decisions that each phase of an ascending list contradicts. */
class Contradicted {
  /** The difference between the count of each phase and that of the phase before it. */
  readonly #changes: Int32Array;

  constructor(phases: number) {
    this.#changes = new Int32Array(phases + 1);
  }

  add(from: number, to: number, count: number): void {
    this.#changes[from]! += count;
    this.#changes[to]! -= count;
  }

  least(): number {
    let count = 0;
    let least = Infinity;
    for (const change of this.#changes.subarray(0, -1)) {
      count += change;
      least = Math.min(least, count);
    }
    return least;
  }
}

type FixedWindows = Pick<LimiterParameters, 'limit' | 'window' | 'phase'>;

/**
 * Counts the decisions that fixed windows contradict, for all phases in one pass. A request is admitted exactly if a
 * window begins between two moments, and that is so if the phase is within an arc of the period. Example: the limit is
 * 10, windows are 1,000 ms long, a request comes at 1,400 ms, and the admission 10 places before it was at 900 ms.
 * Windows admit the request exactly if one begins after 900 and up to 1,400 ms, that is with a phase from 900 to 1,000
 * or from 0 to 400 ms. If it was refused, all phases in that arc contradict it.
 */
export class PhaseContradictions {
  readonly #history: DecisionHistory;
  #limit = Number.NaN;
  #bounds: readonly EdgeBounds[] = [];

  constructor(history: DecisionHistory) {
    this.#history = history;
  }

  /**
   * Returns the fewest decisions that one of the candidates contradicts. The candidates differ only by their phase.
   * Infinite without candidates.
   */
  fewest(candidates: readonly FixedWindows[]): number {
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
    const contradicted = new Contradicted(all);
    for (const { after, until, admitted } of this.#bounds) {
      // A phase in the arc predicts an admission, a phase outside it a refusal.
      const outside = Number(admitted);
      const inside = 1 - outside;
      const length = until - after;
      if (length >= window || length <= 0) {
        contradicted.add(0, all, length > 0 ? inside : outside);
        continue;
      }
      const [begin, end] = [folded(after), folded(until)];
      const change = inside - outside;
      // An arc across the end of the period is everything except what is between its ends.
      contradicted.add(0, all, begin > end ? inside : outside);
      contradicted.add(countUpTo(places, begin), countUpTo(places, end), change);
    }
    return contradicted.least();
  }
}
