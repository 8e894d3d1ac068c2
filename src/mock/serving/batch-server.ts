import { drawFrom, drawNormal } from '../../model/workload/draw.ts';
import type { Batching } from '../../model/gateway/mock-latency.ts';
import type { MockClock } from '../clock/mock-clock.ts';
import type { TokenSink } from './token-schedule.ts';

export interface ServingJob {
  readonly model: string;
  readonly promptTokens: number;
  readonly prompt: readonly string[];
  /** The tokens of the prompt that are not in the cache. */
  readonly uncached: number;
  /** The number of tokens of the answer, at least 1. */
  readonly steps: number;
}

export interface BatchJob extends Pick<ServingJob, 'promptTokens' | 'uncached' | 'steps'> {
  /** Called when the request has a place in the batch, at the start of its prefill. */
  readonly onAdmitted?: (at: number) => void;
}

interface BatchSequence {
  readonly job: BatchJob;
  readonly sink: TokenSink;
  /**
   * The number of generated tokens. `pendingInstants` contains the due times of the tokens that wait for their chunk.
   */
  emitted: number;
  pendingInstants: number[];
}

/**
 * Simulates a server with continuous batching. A waiting request joins the batch as soon as the batch has room. The
 * prefill of a request generates its first token, and each later step generates one token for every request in the
 * batch. A step begins when the previous step was due to end, even if this process is late. So delays of this process
 * do not add up.
 */
export class BatchServer {
  readonly #batching: Batching;
  readonly #seed: number;
  readonly #clock: Pick<MockClock, 'now' | 'at'>;
  readonly #waiting = new Set<BatchSequence>();
  readonly #running = new Set<BatchSequence>();
  #context = 0;
  #stepsDone = 0;
  #busy = false;

  constructor(batching: Batching, seed: number, clock: Pick<MockClock, 'now' | 'at'>) {
    this.#batching = batching;
    this.#seed = seed;
    this.#clock = clock;
  }

  serve(job: BatchJob, sink: TokenSink): () => void {
    const sequence: BatchSequence = { job, sink, emitted: 0, pendingInstants: [] };
    this.#waiting.add(sequence);
    if (!this.#busy) this.#next(this.#clock.now());
    return () => {
      this.#waiting.delete(sequence);
      this.#remove(sequence);
    };
  }

  /** Starts the next step at `begin`. Without requests, the server becomes idle. */
  #next(begin: number): void {
    const { batch, overhead, perPromptToken } = this.#batching;
    const { step, stepPerRequest, stepPerThousandTokens } = this.#batching;
    const [next] = this.#waiting;
    this.#busy = next !== undefined || this.#running.size > 0;
    if (next !== undefined && this.#running.size < batch) {
      this.#waiting.delete(next);
      this.#running.add(next);
      this.#context += next.job.promptTokens;
      next.job.onAdmitted?.(begin);
      const length = overhead + next.job.uncached * perPromptToken;
      this.#work(begin, length, (end) => this.#emit(next, end));
    } else if (this.#busy) {
      const perRequest = stepPerRequest * this.#running.size;
      const perContext = (stepPerThousandTokens * this.#context) / 1000;
      this.#work(begin, step + perRequest + perContext, (end) => {
        for (const sequence of Array.from(this.#running)) this.#emit(sequence, end);
      });
    }
  }

  #work(begin: number, length: number, finish: (end: number) => void): void {
    const { jitter } = this.#batching;
    this.#stepsDone += 1;
    const end = begin + length * (jitter === 0 ? 1 : this.#factor(jitter));
    this.#clock.at(end, () => {
      finish(end);
      this.#next(end);
    });
  }

  /**
   * Returns a lognormal factor with mean 1. For a given `jitter`, the factor depends only on the seed and the number of
   * steps.
   */
  #factor(jitter: number): number {
    const draw = drawFrom(this.#seed, this.#stepsDone);
    return Math.exp(jitter * drawNormal(draw) - (jitter * jitter) / 2);
  }

  #emit(sequence: BatchSequence, due: number): void {
    // The client may have disconnected during the step.
    if (!this.#running.has(sequence)) return;
    const { job, sink, pendingInstants } = sequence;
    sequence.emitted += 1;
    this.#context += 1;
    pendingInstants.push(due);
    const isLast = sequence.emitted >= job.steps;
    if (isLast) this.#remove(sequence);
    // The first token shares its chunk with no other token, so it is sent as soon as it is generated.
    if (!isLast && sequence.emitted > 1 && pendingInstants.length < this.#batching.tokensPerChunk)
      return;
    const from = sequence.emitted - pendingInstants.length;
    sequence.pendingInstants = [];
    sink.emit(from, sequence.emitted, { dueOf: (step) => pendingInstants[step - from]! });
  }

  #remove(sequence: BatchSequence): void {
    if (this.#running.delete(sequence))
      this.#context -= sequence.job.promptTokens + sequence.emitted;
  }
}
