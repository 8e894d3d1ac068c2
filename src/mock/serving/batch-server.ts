import { drawFrom } from '../../model/draw.ts';
import { normalFrom } from '../../model/normal.ts';
import type { Batching } from '../../model/mock-latency.ts';
import type { MockClock } from '../clock.ts';
import type { Speaker } from './pace.ts';

/** A request for the batch. */
export interface BatchJob {
  readonly promptTokens: number;
  /** Tokens of the prompt that have to be read. */
  readonly uncached: number;
  readonly steps: number;
}

interface Seat {
  readonly job: BatchJob;
  readonly speaker: Speaker;
  /** Tokens that were said, and the instants of those that are not told yet. */
  said: number;
  untold: number[];
}

/**
 * A server that batches continuously, as a discrete-event model: a waiting request is taken in as soon
 * as a seat is free, before the batch goes on, and its prefill brings its first token; otherwise each
 * decode step brings one token to every seat. One thing is done at a time, each begins at the very
 * instant at which the one before was due to end, however late this process is; so nothing drifts.
 */
export class BatchServer {
  readonly #batching: Batching;
  readonly #seed: number;
  readonly #clock: Pick<MockClock, 'now' | 'at'>;
  readonly #waiting = new Set<Seat>();
  readonly #seats = new Set<Seat>();
  #context = 0;
  #done = 0;
  #busy = false;

  constructor(batching: Batching, seed: number, clock: Pick<MockClock, 'now' | 'at'>) {
    this.#batching = batching;
    this.#seed = seed;
    this.#clock = clock;
  }

  serve(job: BatchJob, speaker: Speaker): () => void {
    const seat: Seat = { job, speaker, said: 0, untold: [] };
    this.#waiting.add(seat);
    if (!this.#busy) this.#next(this.#clock.now());
    return () => {
      this.#waiting.delete(seat);
      this.#leave(seat);
    };
  }

  /** Begins the next piece of work at `begin`; without any the server rests. */
  #next(begin: number): void {
    const { batch, overhead, perPromptToken } = this.#batching;
    const [newcomer] = this.#waiting;
    this.#busy = newcomer !== undefined || this.#seats.size > 0;
    if (newcomer !== undefined && this.#seats.size < batch) {
      this.#waiting.delete(newcomer);
      this.#seats.add(newcomer);
      this.#context += newcomer.job.promptTokens;
      const length = overhead + newcomer.job.uncached * perPromptToken;
      this.#work(begin, length, (end) => this.#say(newcomer, end));
    } else if (this.#busy) {
      this.#work(begin, this.#stepLength(), (end) => {
        for (const seat of [...this.#seats]) this.#say(seat, end);
      });
    }
  }

  #stepLength(): number {
    const { step, stepPerRequest, stepPerThousandTokens } = this.#batching;
    return (
      step + stepPerRequest * this.#seats.size + (stepPerThousandTokens * this.#context) / 1000
    );
  }

  #work(begin: number, length: number, finish: (end: number) => void): void {
    const { jitter } = this.#batching;
    this.#done += 1;
    const end = begin + length * (jitter === 0 ? 1 : this.#factor(jitter));
    this.#clock.at(end, () => {
      finish(end);
      this.#next(end);
    });
  }

  /** Lognormal with mean 1, a pure function of the seed and of how much was done before. */
  #factor(jitter: number): number {
    const draw = drawFrom(this.#seed, this.#done);
    return Math.exp(jitter * normalFrom(draw) - (jitter * jitter) / 2);
  }

  #say(seat: Seat, due: number): void {
    // Its client may have hung up while this was under way.
    if (!this.#seats.has(seat)) return;
    const { job, speaker, untold } = seat;
    seat.said += 1;
    this.#context += 1;
    untold.push(due);
    const isLast = seat.said >= job.steps;
    if (isLast) this.#leave(seat);
    // The first token comes alone, as a chunk that waits for others would be no first token.
    if (!isLast && seat.said > 1 && untold.length < this.#batching.tokensPerChunk) return;
    const from = seat.said - untold.length;
    seat.untold = [];
    speaker.emit(from, seat.said, { dueOf: (step) => untold[step - from]! });
  }

  #leave(seat: Seat): void {
    if (this.#seats.delete(seat)) this.#context -= seat.job.promptTokens + seat.said;
  }
}
