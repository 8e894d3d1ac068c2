import { batchingPresets } from '../../model/gateway/mock-latency.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { SearchBudget } from '../../verbs/capacity/find-capacity.ts';
import type { SearchTerms } from '../../verbs/capacity/judge/next-step.ts';
import { queueTransport, type QueueServer } from './queue-server.fixture.ts';
import { searchSimulatedCapacity } from './simulated-capacity.fixture.ts';

/** The answers per second that every queue of these searches can give. */
export const fullRate = 80;

/** The mean length in ms of the answers of so many servers. */
export const meanLength = (servers: number): number => (1000 * servers) / fullRate;

const scope = { traffic: null, model: null, key: null, stages: null } as const;

/** What a search looks for: a steady flow, a 95th percentile below a bound in ms, or 95 % of the answers within it. */
export const conditions = {
  flow: () => ({}),
  p95: (bound) => ({
    objectives: [
      {
        text: `endToEnd.p95 < ${bound}ms`,
        severity: 'fail',
        figure: { kind: 'measure', name: 'endToEnd', statistic: 0.95 },
        comparison: '<',
        bound,
        minSamples: 20,
        scope,
        abortAfter: null,
      },
    ],
  }),
  goodput: (bound) => ({
    perRequest: [
      { text: `endToEnd < ${bound}ms`, measure: 'endToEnd', comparison: '<', bound, scope },
    ],
  }),
} as const satisfies Readonly<Record<string, (bound: number) => Partial<Plan>>>;

export interface QueueSearch {
  readonly servers: number;
  readonly length: QueueServer['length'];
  readonly spacing: 'even' | 'poisson';
  readonly condition: keyof typeof conditions;
  /** In mean lengths of an answer. */
  readonly bound: number;
  readonly seed: number;
  readonly terms?: Partial<SearchTerms>;
  readonly budget?: SearchBudget;
}

/** Searches a simulated queue for its highest rate. */
export const searchQueue = ({
  servers,
  length,
  spacing,
  condition,
  bound,
  seed,
  terms = {},
  budget,
}: QueueSearch): ReturnType<typeof searchSimulatedCapacity> => {
  let started = 0;
  return searchSimulatedCapacity(
    {
      batching: batchingPresets.small,
      workload: { promptTokens: 7, outputTokens: 1 },
      seed,
      spacing,
      transport: (queue) => {
        started += 1;
        return queueTransport({ servers, length, seed: seed * 1000 + started })(queue);
      },
    },
    conditions[condition](bound * meanLength(servers)),
    condition === 'p95' ? { samples: 22, ...terms } : terms,
    budget,
  );
};

/** The share of the answers of an M/M/c queue that take longer than `time` seconds, by Erlang’s C formula. */
const lateShare = (rate: number, servers: number, time: number): number => {
  const each = fullRate / servers;
  const offered = rate / each;
  let [termOf, sum] = [1, 0];
  for (let k = 0; k < servers; k += 1) {
    sum += termOf;
    termOf *= offered / (k + 1);
  }
  const waiting = termOf / (1 - rate / fullRate);
  const waits = waiting / (sum + waiting);
  const spare = fullRate - rate;
  // The sum of two exponential times. If both are equally fast, the formula is its limit.
  const both =
    Math.abs(spare - each) < 1e-6
      ? (1 + each * time) * Math.exp(-each * time)
      : (spare * Math.exp(-each * time) - each * Math.exp(-spare * time)) / (spare - each);
  return (1 - waits) * Math.exp(-each * time) + waits * both;
};

/** The rate at which 95 % of the answers of an M/M/c queue take no longer than so many mean lengths. */
export const rateOfBound = (servers: number, bound: number): number => {
  let [low, high] = [0, fullRate];
  for (let halving = 0; halving < 60; halving += 1) {
    const middle = (low + high) / 2;
    if (lateShare(middle, servers, (bound * servers) / fullRate) > 0.05) high = middle;
    else low = middle;
  }
  return low;
};
