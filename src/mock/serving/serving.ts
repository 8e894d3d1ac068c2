import { batchingOf } from '../../model/gateway/mock-latency.ts';
import type { MockClock } from '../clock/mock-clock.ts';
import type { Settings } from '../settings/settings.ts';
import { BatchServer } from './batch-server.ts';
import { scheduleTokens, type TokenSink } from './token-schedule.ts';
import { ServingCounts, type ServingLevels } from './serving-counts.ts';
import { openPrefixCache, type ServingJob } from './prefix-cache.ts';

export interface Serving {
  /** The levels of each model that has been asked for. */
  readonly levels: () => ReadonlyMap<string, ServingLevels>;
  /** Starts to serve a chat. The returned function cancels the rest and frees its place. */
  serve(job: ServingJob, sink: TokenSink): () => void;
}

/** A server of unlimited size with a constant gap between tokens. */
const fixedServing = ({ ttft, gap }: Settings, clock: MockClock): Serving => {
  const counts = new ServingCounts();
  return {
    levels: () => counts.levels(),
    serve: (job, sink) => {
      const counted = counts.begin(job, job.promptTokens, sink);
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
  const counts = new ServingCounts();
  return {
    levels: () => counts.levels(),
    serve: (job, sink) => {
      const uncached = uncachedOf(job);
      const counted = counts.begin(job, uncached, sink);
      const asked = clock.now();
      const onAdmitted = (at: number): void => counted.admit(Math.max(0, at - asked));
      const leave = serverOf(job.model).serve({ ...job, uncached, onAdmitted }, counted.sink);
      return () => {
        counted.leave();
        leave();
      };
    },
  };
};
