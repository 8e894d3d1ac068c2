import type { Observation, ReadDelays } from '../../model/observation/observation.ts';
import type { RunClock } from '../../platform/host/clock.ts';
import { streamOf } from '../../record/recorder.ts';
import type { Answer } from '../../model/observation/outcome.ts';
import type { Instant } from '../../model/quantity.ts';

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

/** When the user had the first of an answer that comes in parts; `null` for one that comes whole. */
const firstOf = (answer: Answer): Instant | null => {
  if (answer.kind === 'chat-stream') return answer.firstToken;
  return answer.kind === 'speech' ? answer.firstAudio : null;
};

/**
 * The delays of all tokens are noted of the streams that have this many tokens together, then of one stream in eight, which counts for
 * eight: to record each takes as long as to read it.
 */
const allTokens = 20_000;
const sampleEvery = 8;

/** Adds to completed observations how long their reads can have waited in this thread's event loop. */
export const withReadDelays = (
  { readDelay, readDelays }: RunClock,
  observe: (observation: Observation) => void,
): ((observation: Observation) => void) => {
  let [streams, tokens] = [0, 0];
  const tokenDelays = (answer: Answer): Pick<ReadDelays, 'tokens' | 'weight'> => {
    if (answer.kind !== 'chat-stream') return { tokens: null };
    tokens += answer.tokenInstants.length;
    if (tokens <= allTokens) return { tokens: readDelays(answer.tokenInstants) };
    streams += 1;
    if (streams % sampleEvery !== 0) return { tokens: null };
    return { tokens: readDelays(answer.tokenInstants), weight: sampleEvery };
  };
  const readDelaysOf = (answer: Answer, ended: Instant): ReadDelays => {
    const first = firstOf(answer);
    const last = answer.kind === 'chat-stream' ? (answer.lastToken ?? ended) : ended;
    return {
      first: first === null ? null : readDelay(first),
      end: readDelay(last),
      ...tokenDelays(answer),
    };
  };
  return (observation) => {
    const { outcome, ended } = observation;
    observe(
      outcome.kind === 'completed'
        ? { ...observation, readDelays: readDelaysOf(outcome.answer, ended) }
        : observation,
    );
  };
};
