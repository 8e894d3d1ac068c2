import type { ServingJob } from './serving-job.ts';
import { batchingOf } from '../../model/gateway/mock-latency.ts';
import type { MockClock } from '../clock/mock-clock.ts';
import type { Settings } from '../settings/settings.ts';
import { BatchServer } from './batch-server.ts';
import { scheduleTokens, type TokenSink } from './token-schedule.ts';
import { openPrefixCache } from './prefix-cache.ts';

/** Where chats get their time from. */
export interface Serving {
  /** Begins to serve now. The returned function calls the rest off and frees the place at once. */
  serve(job: ServingJob, sink: TokenSink): () => void;
}

/** A server of unlimited size: every token at its own fixed distance. */
const fixedServing = ({ ttft, gap }: Settings, clock: MockClock): Serving => ({
  serve: ({ steps }, sink) =>
    scheduleTokens(clock, { first: clock.now() + ttft, gap, steps }, sink),
});

/** One server for each model, begun when it is first asked. */
export const openServing = (settings: Settings, clock: MockClock): Serving => {
  const batching = batchingOf(settings.latency);
  if (batching === null) return fixedServing(settings, clock);
  const servers = new Map<string, BatchServer>();
  const serverOf = (model: string): BatchServer => {
    const existing = servers.get(model);
    if (existing !== undefined) return existing;
    const opened = new BatchServer(batching, settings.seed + servers.size, clock);
    servers.set(model, opened);
    return opened;
  };
  const uncachedOf = openPrefixCache();
  return {
    serve: (job, sink) => serverOf(job.model).serve({ ...job, uncached: uncachedOf(job) }, sink),
  };
};
