import { batchingOf } from '../../model/mock-latency.ts';
import type { MockClock } from '../clock.ts';
import type { Settings } from '../settings.ts';
import { BatchServer } from './batch-server.ts';
import { pace, type Speaker } from './pace.ts';
import { prefixCache } from './prefix-cache.ts';

/** What a model is to say, as far as time is concerned. */
export interface Job {
  /** Whatever is served by one machine has the same model. */
  readonly model: string;
  readonly promptTokens: number;
  /** The texts of the prompt, in order. */
  readonly prompt: readonly string[];
  /** Tokens of the answer, at least 1. */
  readonly steps: number;
}

/** Where chats get their time from. */
export interface Serving {
  /** Begins to serve now. The returned function calls the rest off and frees the place at once. */
  serve(job: Job, speaker: Speaker): () => void;
}

/** A server of unlimited size: every token at its own fixed distance. */
const fixedServing = ({ ttft, gap }: Settings, clock: MockClock): Serving => ({
  serve: ({ steps }, speaker) => pace(clock, { first: clock.now() + ttft, gap, steps }, speaker),
});

/** One server for each model, begun when it is first asked. */
export const openServing = (settings: Settings, clock: MockClock): Serving => {
  const batching = batchingOf(settings.latency);
  if (batching === null) return fixedServing(settings, clock);
  const servers = new Map<string, BatchServer>();
  const serverOf = (model: string): BatchServer => {
    const known = servers.get(model);
    if (known !== undefined) return known;
    const opened = new BatchServer(batching, settings.seed + servers.size, clock);
    servers.set(model, opened);
    return opened;
  };
  const uncachedOf = prefixCache();
  return {
    serve: (job, speaker) =>
      serverOf(job.model).serve({ ...job, uncached: uncachedOf(job) }, speaker),
  };
};
