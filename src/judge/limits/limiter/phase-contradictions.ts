import { countUpTo } from '../facts/count-instants.ts';
import type { DecisionHistory } from './decision-history.ts';
import type { LimiterParameters } from './limiter-candidates.ts';

/**
 * When an edge of the windows decides on a request: a limiter admits it exactly if a window begins after `after` and no later than
 * the request. Instants in ms.
 */
interface EdgeBounds {
  /** -Infinity if any window admits it. */
  readonly after: number;
  /** The moment of the request that excuses a decision most: the latest of an admitted one, the earliest of a refused one. */
  readonly until: number;
  readonly admitted: boolean;
}

const edgeBoundsOf = (
  { decisions, priors, middles, slack }: DecisionHistory,
  limit: number,
): readonly EdgeBounds[] =>
  decisions.map(({ sent, answered, admitted }, place) => {
    // A window with room has left out all that was admitted up to here.
    const leftOut = priors[place]!.admitted - limit;
    return {
      after: leftOut < 0 ? Number.NEGATIVE_INFINITY : middles[leftOut]!,
      until: admitted ? answered + slack : sent - slack,
      admitted,
    };
  });

/** The decisions that each of some phases contradicts, in the order of the phases. */
class Contradicted {
  /** What each phase contradicts more than the one before it. */
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
 * Counts the decisions that fixed windows contradict, of every phase at once. Whether a request is admitted depends on where the
 * windows begin only by whether one begins between two moments, that is by whether the phase is within an arc of the window: one pass
 * counts for every phase what a replay with that phase counts.
 */
export class PhaseContradictions {
  readonly #history: DecisionHistory;
  #limit = Number.NaN;
  #bounds: readonly EdgeBounds[] = [];

  constructor(history: DecisionHistory) {
    this.#history = history;
  }

  /** The fewest decisions that one of these limiters contradicts, which differ by their phase only; infinite without any. */
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
      // A phase outside the arc predicts a refusal, one inside an admission.
      const outside = Number(admitted);
      const inside = 1 - outside;
      const length = until - after;
      if (length >= window || length <= 0) {
        contradicted.add(0, all, length > 0 ? inside : outside);
        continue;
      }
      const [begin, end] = [folded(after), folded(until)];
      const change = inside - outside;
      // An arc over the end of the window is all but what is between its ends.
      contradicted.add(0, all, begin > end ? inside : outside);
      contradicted.add(countUpTo(places, begin), countUpTo(places, end), change);
    }
    return contradicted.least();
  }
}
