import type { Observation } from '../../model/observation/observation.ts';
import type { RunClock } from '../../platform/host/clock.ts';
import { streamOf } from '../../record/recorder.ts';

/** How long streams are observed in one turn of the event loop, in ms, plus one stream. */
const longestTurn = 0.3;
/** A stream that has waited longer, in ms, lengthens the turns to this part of its wait: a loop that never rests must not fall behind for ever. */
const patience = 1000;
const shareOfWait = 0.1;
/** What may wait altogether, in tokens; each stream counts for some more. */
const mostTokens = 1_000_000;
const tokensOfNone = 100;
/** Streams that were observed are kept until there are so many. */
const mostKept = 256;

const sizeOf = (observation: Observation): number =>
  tokensOfNone + (streamOf(observation.outcome)?.tokenInstants.length ?? 0);

/**
 * Observes streams a few at a time, after the reads of each turn of the event loop: to record one takes some tenths of a
 * millisecond, in which the tokens of others would wait where many streams end at once. What else ends is observed at once.
 */
export class ObservationQueue {
  readonly #clock: Pick<RunClock, 'now' | 'afterReads'>;
  readonly #observe: (observation: Observation) => void;
  #waiting: Observation[] = [];
  /** The first in `#waiting` that was not observed yet. */
  #next = 0;
  #tokens = 0;
  #isAwaited = false;

  constructor(
    clock: Pick<RunClock, 'now' | 'afterReads'>,
    observe: (observation: Observation) => void,
  ) {
    this.#clock = clock;
    this.#observe = observe;
  }

  readonly add = (observation: Observation): void => {
    if (streamOf(observation.outcome) === null) return this.#observe(observation);
    this.#waiting.push(observation);
    this.#tokens += sizeOf(observation);
    while (this.#tokens > mostTokens) this.#observeNext();
    this.#awaitTurn();
  };

  /** Observes all that wait. */
  drain(): void {
    while (this.#next < this.#waiting.length) this.#observeNext();
  }

  #awaitTurn(): void {
    if (this.#isAwaited || this.#next === this.#waiting.length) return;
    this.#isAwaited = true;
    this.#clock.afterReads(this.#observeSome);
  }

  readonly #observeSome = (): void => {
    this.#isAwaited = false;
    const begun = this.#clock.now();
    const waited = begun - (this.#waiting[this.#next]?.ended ?? begun);
    const until = begun + (waited > patience ? shareOfWait * waited : longestTurn);
    while (this.#next < this.#waiting.length) {
      this.#observeNext();
      if (this.#clock.now() >= until) break;
    }
    this.#awaitTurn();
  };

  #observeNext(): void {
    const observation = this.#waiting[this.#next]!;
    this.#next += 1;
    this.#tokens -= sizeOf(observation);
    if (this.#next === this.#waiting.length || this.#next === mostKept) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
    this.#observe(observation);
  }
}
