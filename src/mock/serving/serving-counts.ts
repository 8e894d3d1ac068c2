import type { ServingJob } from './prefix-cache.ts';
import type { TokenSink } from './token-schedule.ts';

/** What a server says of itself: the counters only grow. */
export interface ServingLevels {
  readonly running: number;
  readonly waiting: number;
  readonly promptTokens: number;
  readonly generatedTokens: number;
  /** Prompt tokens that were looked up in the prefix cache, and found there. */
  readonly prefixQueries: number;
  readonly prefixHits: number;
  /** Total time in ms that the admitted requests waited, and their number. */
  readonly queueTime: number;
  readonly queued: number;
}

type Counts = { -readonly [Name in keyof ServingLevels]: ServingLevels[Name] };

/** Of a model that nobody has asked for yet. */
export const noLevels: ServingLevels = {
  running: 0,
  waiting: 0,
  promptTokens: 0,
  generatedTokens: 0,
  prefixQueries: 0,
  prefixHits: 0,
  queueTime: 0,
  queued: 0,
};

/** Counts what a server does, by model, as the metrics of inference servers do. */
export class ServingCounts {
  readonly #byModel = new Map<string, Counts>();

  levels(): ReadonlyMap<string, ServingLevels> {
    return new Map([...this.#byModel].map(([model, counts]) => [model, { ...counts }]));
  }

  /** Counts a request that waits; its sink counts its tokens and, after the last, that it has left. */
  begin({ model, promptTokens, steps }: ServingJob, uncached: number, sink: TokenSink) {
    const counts = this.#byModel.get(model) ?? { ...noLevels };
    this.#byModel.set(model, counts);
    let place: 'waiting' | 'running' | null = 'waiting';
    counts.waiting += 1;
    const leave = (): void => {
      if (place !== null) counts[place] -= 1;
      place = null;
    };
    const emit: TokenSink['emit'] = (from, to, instants) => {
      if (from === 0) counts.promptTokens += promptTokens;
      counts.generatedTokens += to - from;
      if (to >= steps) leave();
      sink.emit(from, to, instants);
    };
    return {
      sink: { emit },
      leave,
      /** The request is worked on from now; it waited for `waited` ms. */
      admit: (waited: number): void => {
        if (place !== 'waiting') return;
        counts.waiting -= 1;
        counts.running += 1;
        place = 'running';
        counts.queueTime += waited;
        counts.queued += 1;
        counts.prefixQueries += promptTokens;
        counts.prefixHits += promptTokens - uncached;
      },
    };
  }
}
