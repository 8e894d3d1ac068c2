import { batchingOf } from '../../model/gateway/mock-latency.ts';
import type { MockClock } from '../clock/mock-clock.ts';
import type { Settings } from '../settings/settings.ts';
import { BatchServer } from './batch-server.ts';
import { scheduleTokens, type TokenSink } from './token-schedule.ts';
import { openPrefixCache, type ServingJob } from './prefix-cache.ts';

export interface Serving {
  /** Starts to serve a chat. The returned function cancels the rest and frees its place. */
  serve(job: ServingJob, sink: TokenSink): () => void;
}

/** A server of unlimited size with a constant gap between tokens. */
const fixedServing = ({ ttft, gap }: Settings, clock: MockClock): Serving => ({
  serve: ({ steps }, sink) =>
    scheduleTokens(clock, { first: clock.now() + ttft, gap, steps }, sink),
});

/** One server for each model, created on its first chat. */
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
  const uncachedOf = openPrefixCache();
  return {
    serve: (job, sink) => serverOf(job.model).serve({ ...job, uncached: uncachedOf(job) }, sink),
  };
};
