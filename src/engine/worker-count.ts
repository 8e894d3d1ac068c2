import type { TokenCount } from '../model/workload/token-count.ts';
import type { Load, Plan, Stage } from '../model/plan/plan.ts';
import { maxAnswerTokens, type Traffic } from '../model/workload/traffic.ts';

/** Streamed chunks per second that one worker reads without strain (measured: see the design notes on performance). */
const chunksPerWorker = 30_000;

/** The cost of sending and recording a request, in chunks read. */
const requestCost = 10;

/** Assumed where a plan does not say: the chunks of an answer, and the ms before the first and between two. */
const assumedAnswer = { chunks: 256, first: 100, gap: 10 };

const typical = (count: TokenCount): number => {
  if (typeof count === 'number') return count;
  switch (count.kind) {
    case 'uniform':
      return (count.min + count.max) / 2;
    case 'normal':
      return count.mean;
    case 'lognormal':
      return count.median;
    case 'empirical':
      return count.values.reduce((sum, value) => sum + value, 0) / count.values.length;
  }
};

/** The chunks of an answer: one for each token of a stream, none for an answer in one piece. */
const chunksOf = (entry: Traffic, load: Load): number => {
  if (entry.kind !== 'chat-stream') return 0;
  if (load.kind === 'trace') return load.facts.outputTokens / load.facts.requests;
  const { maxTokens, body } = entry;
  const most = maxTokens === null ? null : typical(maxTokens);
  return maxAnswerTokens({ body, maxTokens: most }) ?? assumedAnswer.chunks;
};

/** Requests per second at the peak; for users, with a quick target. */
const requestsPerSecond = (load: Load, chunks: number): number => {
  switch (load.kind) {
    case 'open':
      return Math.max(...load.curve.flatMap(({ from, to }) => [from, to]));
    case 'trace':
      return load.facts.busiestMinute.requests / 60;
    case 'saturate':
      return (load.connections * 1000) / assumedAnswer.first;
    case 'closed':
    case 'iterations':
      return (
        (load.users * 1000) / (load.thinkTime + assumedAnswer.first + chunks * assumedAnswer.gap)
      );
  }
};

const chunksPerSecond = ({ load, traffic }: Stage): number => {
  const weights = traffic.reduce((sum, { weight }) => sum + weight, 0);
  const chunks = traffic.reduce(
    (sum, entry) => sum + (chunksOf(entry, load) * entry.weight) / weights,
    0,
  );
  return requestsPerSecond(load, chunks) * (chunks + requestCost);
};

/**
 * How many workers a plan needs: one for each 30,000 chunks per second of its busiest stage, where a
 * request counts as ten chunks; at least one. One core is left to the main thread, the kernel and the target.
 */
export const recommendedWorkers = ({ stages }: Pick<Plan, 'stages'>, cores: number): number => {
  const busiest = Math.max(...stages.map(chunksPerSecond));
  return Math.max(1, Math.min(cores - 1, Math.ceil(busiest / chunksPerWorker)));
};
