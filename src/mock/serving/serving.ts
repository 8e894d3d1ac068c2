import { batchingOf } from '../../model/gateway/mock-latency.ts';
import type { PromptCache } from '../../model/gateway/mock-settings.ts';
import type { MockClock } from '../clock/mock-clock.ts';
import type { Settings } from '../settings/settings.ts';
import { BatchServer, type ServingJob } from './batch-server.ts';
import { scheduleTokens, type TokenSink } from './token-schedule.ts';

/** The number of characters of a cached block. `blockTokens` is the approximate number of tokens of a block. */
const blockLength = 256;
const blockTokens = 64;

/** Continues an FNV-1a hash from block to block, so a block's hash depends on the block and all text before it. */
const continueHash = (seed: number, text: string, from: number, to: number): number => {
  let hash = seed;
  for (let i = from; i < to; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
};

/**
 * Returns a function that adds a prompt to the cache of its model, and returns the number of tokens that were not in
 * the cache. The cache contains the most recently used blocks.
 */
export const openPrefixCache = (
  { keeps, tokens }: PromptCache,
  { now }: Pick<MockClock, 'now'>,
): ((job: Pick<ServingJob, 'model' | 'prompt' | 'promptTokens'>) => number) => {
  const capacity = Math.ceil(tokens / blockTokens);
  /** The time at which each block was last used, in the order of time. */
  const lastUses = new Map<string, number>();
  const forget = (earliest: number): void => {
    for (const [oldest, used] of lastUses) {
      if (lastUses.size <= capacity && used >= earliest) break;
      lastUses.delete(oldest);
    }
  };
  return ({ model, prompt, promptTokens }) => {
    const at = now();
    const earliest = keeps === null ? -Infinity : at - keeps;
    forget(earliest);
    const text = prompt.join('\0');
    const blocks = Math.floor(text.length / blockLength);
    let hash = 0x811c9dc5;
    let cached = 0;
    for (let block = 0; block < blocks; block += 1) {
      hash = continueHash(hash, text, block * blockLength, (block + 1) * blockLength);
      const name = `${model}\0${block}\0${hash}`;
      if (lastUses.delete(name) && cached === block) cached += 1;
      lastUses.set(name, at);
    }
    forget(earliest);
    return Math.round(promptTokens * (1 - (cached * blockLength) / Math.max(1, text.length)));
  };
};

/** The figures of a model before its first request. All figures except `running` and `waiting` only grow. */
export const noLevels = {
  running: 0,
  waiting: 0,
  promptTokens: 0,
  generatedTokens: 0,
  /** How many prompt tokens were looked up in the prefix cache. `prefixHits` of these tokens were in it. */
  prefixQueries: 0,
  prefixHits: 0,
  /** How long all admitted requests together waited, in ms. `queued` is the number of admitted requests. */
  queueTime: 0,
  queued: 0,
};

export type ServingLevels = Readonly<typeof noLevels>;

/** Counts the work of servers by model, as the metrics of inference servers do. */
class ServingCounts {
  readonly #byModel = new Map<string, typeof noLevels>();

  levels(): ReadonlyMap<string, ServingLevels> {
    return new Map([...this.#byModel].map(([model, counts]) => [model, { ...counts }]));
  }

  /**
   * Counts a waiting request. The returned sink counts the tokens of the request. After the last token, the request
   * counts neither as waiting nor as running.
   */
  begin({ model, promptTokens, uncached, steps }: ServingJob, sink: TokenSink) {
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
      /** Records that work on the request begins after a wait of `waited` ms. */
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

export interface Serving {
  readonly levels: () => ReadonlyMap<string, ServingLevels>;
  /** Adds a prompt to the cache, and returns the number of tokens of the prompt that were not in the cache. */
  readonly uncachedOf: ReturnType<typeof openPrefixCache>;
  serve(job: ServingJob, sink: TokenSink): () => void;
}

/** Serves any number of chats at once, with a constant gap between tokens. */
const fixedServing = (settings: Settings, clock: MockClock): Serving => {
  const { ttft, gap } = settings;
  const counts = new ServingCounts();
  return {
    levels: () => counts.levels(),
    uncachedOf: openPrefixCache(settings.promptCache, clock),
    serve: (job, sink) => {
      const counted = counts.begin(job, sink);
      counted.admit(0);
      const { steps } = job;
      const leave = scheduleTokens(clock, { first: clock.now() + ttft, gap, steps }, counted.sink);
      return () => {
        counted.leave();
        leave();
      };
    },
  };
};

/** Opens the servers of the gateway. With batching, a model gets a server when its first chat comes. */
export const openServing = (settings: Settings, clock: MockClock): Serving => {
  const batching = batchingOf(settings.latency);
  if (batching === null) return fixedServing(settings, clock);
  const servers = new Map<string, BatchServer>();
  const serverOf = (model: string): BatchServer => {
    const seed = settings.seed + servers.size;
    const server = servers.get(model) ?? new BatchServer(batching, seed, clock);
    servers.set(model, server);
    return server;
  };
  const counts = new ServingCounts();
  return {
    levels: () => counts.levels(),
    uncachedOf: openPrefixCache(settings.promptCache, clock),
    serve: (job, sink) => {
      const counted = counts.begin(job, sink);
      const asked = clock.now();
      const onAdmitted = (at: number): void => counted.admit(Math.max(0, at - asked));
      const leave = serverOf(job.model).serve({ ...job, onAdmitted }, counted.sink);
      return () => {
        counted.leave();
        leave();
      };
    },
  };
};
