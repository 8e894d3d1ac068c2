import type { TokenCount } from '../model/workload/token-count.ts';
import type { Load, Plan, Stage } from '../model/plan/plan.ts';
import { chunksPerWorker } from '../model/plan/slice-forecast.ts';
import { maxAnswerTokens, type Traffic } from '../model/workload/traffic.ts';
import { sumOf } from '../model/sums.ts';

/** Sending and recording a request costs as much as reading this many chunks. */
const requestCost = 10;

/**
 * The assumed answer if a plan does not describe its answers: the number of chunks, the time before the first chunk,
 * and the time between two chunks. Times are in ms.
 */
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
      return sumOf(count.values) / count.values.length;
  }
};

/** Returns the number of chunks of an answer: one for each token if it is streamed, otherwise 0. */
const chunksOf = (entry: Traffic, load: Load): number => {
  if (entry.kind !== 'chat-stream') return 0;
  if (load.kind === 'trace') return load.facts.outputTokens / load.facts.requests;
  const { maxTokens, body } = entry;
  const most = maxTokens === null ? null : typical(maxTokens);
  return maxAnswerTokens({ body, maxTokens: most }) ?? assumedAnswer.chunks;
};

/** Returns a load's highest rate, in requests per second. `answerTime` is how long users wait for an answer, in ms. */
const requestsPerSecond = (load: Load, answerTime: number): number => {
  switch (load.kind) {
    case 'open':
      return Math.max(...load.curve.flatMap(({ from, to }) => [from, to]));
    case 'trace':
      return load.facts.busiestMinute.requests / 60;
    case 'saturate':
      return (load.connections * 1000) / assumedAnswer.first;
    case 'closed':
    case 'iterations':
      return (load.users * 1000) / (load.thinkTime + answerTime);
  }
};

export interface LoadPeak {
  /** The number of requests per second. */
  readonly requests: number;
  /** The number of streamed chunks per second. A request counts as ten chunks. */
  readonly chunks: number;
  /** The number of requests in flight at the same time. */
  readonly streams: number;
}

/**
 * Returns the number of requests in flight. In an open load, this is the number of requests that arrive during one
 * answer (Little's law). In a closed load, each user has one request in flight.
 */
const streamsOf = (load: Load, requests: number, answerTime: number): number => {
  if (load.kind === 'closed' || load.kind === 'iterations') return load.users;
  if (load.kind === 'saturate') return load.connections;
  return Math.ceil((requests * answerTime) / 1000);
};

const peakOfStage = ({ load, traffic }: Stage, given: number | null): LoadPeak => {
  const weights = sumOf(traffic, ({ weight }) => weight);
  const chunks = sumOf(traffic, (entry) => (chunksOf(entry, load) * entry.weight) / weights);
  const answerTime = given ?? assumedAnswer.first + chunks * assumedAnswer.gap;
  const requests = requestsPerSecond(load, answerTime);
  return {
    requests,
    chunks: requests * (chunks + requestCost),
    streams: streamsOf(load, requests, answerTime),
  };
};

/**
 * Returns the load in a plan's busiest second. All populations count as if they had their busiest second at the same
 * time. `answerTime` is the length of an answer in ms; `null` means 100 ms plus 10 ms for each token.
 */
export const peakOf = (
  { stages, populations }: Pick<Plan, 'stages' | 'populations'>,
  answerTime: number | null = null,
): LoadPeak => {
  const parallel = (populations ?? [undefined]).map((each) =>
    stages
      .filter(({ population }) => population === each?.name)
      .map((stage) => peakOfStage(stage, answerTime)),
  );
  const most = (figure: keyof LoadPeak): number =>
    sumOf(parallel, (peaks) => Math.max(...peaks.map((peak) => peak[figure])));
  return { requests: most('requests'), chunks: most('chunks'), streams: most('streams') };
};

/**
 * Returns how many workers a plan needs: one worker for each 30,000 chunks per second of its busiest stage, and at
 * least one worker. A request counts as ten chunks. One core stays free for the main thread, the kernel and the target.
 */
export const recommendedWorkers = (
  plan: Pick<Plan, 'stages' | 'populations'>,
  cores: number,
): number => Math.max(1, Math.min(cores - 1, Math.ceil(peakOf(plan).chunks / chunksPerWorker)));
