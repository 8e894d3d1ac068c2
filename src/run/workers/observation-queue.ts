import type { Observation, ReadDelays } from '../../model/observation/observation.ts';
import type { RunClock } from '../../platform/host/clock.ts';
import { streamOf } from '../../record/recorder.ts';
import { type Answer, partialOf } from '../../model/observation/outcome.ts';
import type { Instant } from '../../model/quantity.ts';

/** One turn of the event loop observes streams for at most this long, in ms. The last stream may exceed this time. */
const longestTurn = 0.3;
/**
 * Once the oldest stream has waited for more than this many ms, one turn observes streams for a tenth of that wait
 * (`shareOfWait`) instead of for `longestTurn`. Otherwise, an event loop without idle time would fall further and
 * further behind.
 */
const patience = 1000;
const shareOfWait = 0.1;
/**
 * The maximum number of tokens in all waiting streams. Each stream counts `tokensOfNone` tokens in addition to its own
 * tokens.
 */
const mostTokens = 1_000_000;
const tokensOfNone = 100;
/** Observed streams are removed from the list once there are this many. */
const mostKept = 256;

const sizeOf = (observation: Observation): number =>
  tokensOfNone + (streamOf(observation.outcome)?.tokenInstants.length ?? 0);

/**
 * Observes streams a few at a time, after the reads of each turn of the event loop. Recording a stream takes some
 * tenths of a millisecond. If many streams that end together were recorded at once, the tokens of other streams would
 * wait for all these recordings. Answers that are not streams are observed at once.
 */
export class ObservationQueue {
  readonly #clock: Pick<RunClock, 'now' | 'afterReads'>;
  readonly #observe: (observation: Observation) => void;
  #waiting: Observation[] = [];
  /** The index in `#waiting` of the first stream that has not been observed. */
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

/** Returns when the first part of a streamed answer arrived; `null` if the answer is not streamed. */
const firstOf = (answer: Answer): Instant | null => {
  if (answer.kind === 'chat-stream') return answer.firstToken;
  return answer.kind === 'speech' ? answer.firstAudio : null;
};

/**
 * The delay of every token is recorded until the streams have this many tokens in all. After that, only the token
 * delays of every eighth stream are recorded, and they count eight times. Recording all delays would cost too much,
 * since recording one delay takes as long as reading one token.
 */
const allTokens = 20_000;
const sampleEvery = 8;

/**
 * Returns a function that adds the possible read delays to observations. A read delay is the time for which a read may
 * have waited in this thread's event loop. Only complete answers, and incomplete answers with a first token, get read
 * delays.
 */
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
    if (outcome.kind === 'completed') {
      observe({ ...observation, readDelays: readDelaysOf(outcome.answer, ended) });
      return;
    }
    const partial = partialOf(outcome);
    const first = partial === null ? null : firstOf(partial);
    observe(
      first === null
        ? observation
        : {
            ...observation,
            readDelays: { first: readDelay(first), end: readDelay(ended), tokens: null },
          },
    );
  };
};
