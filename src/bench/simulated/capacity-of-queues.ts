import {
  fullRate,
  meanLength,
  type QueueSearch,
  rateOfBound,
  searchQueue,
} from '../../acceptance/capacity/queue-search.fixture.ts';
import {
  exponentialLength,
  lognormalLength,
} from '../../acceptance/capacity/queue-server.fixture.ts';
import { meanOf, varianceOf } from '../../judge/statistics/significance.ts';
import { atLeast, atMost, type BenchPart, benchRow } from '../harness/bench.ts';

const searches = 50;
/** What a search may use by default. */
const budget = { requests: 50_000, seconds: 1800, steps: 40 };

interface KnownQueue extends Omit<QueueSearch, 'seed'> {
  readonly name: string;
  readonly truth: number;
}

const random = (servers: number) => exponentialLength(meanLength(servers));

const queue = (
  servers: number,
  condition: QueueSearch['condition'],
  spacing: QueueSearch['spacing'],
  bound = 4,
): KnownQueue => ({
  name: `${servers} servers, random answers, ${spacing} arrivals: ${condition}`,
  servers,
  length: random(servers),
  spacing,
  condition,
  bound,
  truth: condition === 'flow' ? fullRate : rateOfBound(servers, bound),
});

/** The truth of those that no formula gives is from simulations of four million answers by another program. */
const queues: readonly KnownQueue[] = [
  queue(8, 'flow', 'even'),
  queue(8, 'flow', 'poisson'),
  queue(8, 'p95', 'poisson'),
  { ...queue(8, 'p95', 'even'), truth: 73.717 },
  queue(8, 'goodput', 'poisson'),
  queue(1, 'flow', 'poisson'),
  queue(4, 'flow', 'even'),
  queue(1, 'p95', 'poisson', 6),
  { ...queue(4, 'p95', 'even'), truth: 68.234 },
  {
    ...queue(8, 'flow', 'even'),
    name: '8 servers, lognormal answers, even arrivals: flow',
    length: lognormalLength(meanLength(8), 1),
  },
  {
    ...queue(8, 'p95', 'poisson'),
    name: '8 servers, lognormal answers, poisson arrivals: p95',
    length: lognormalLength(meanLength(8), 1),
    truth: 64.492,
  },
];

/** How often the intervals of capacity searches hold the truth, and how far they are off on average. */
export const capacityOfQueues = queues.map(
  ({ name, truth, ...search }): BenchPart =>
    async (say) => {
      let [held, requests, seconds] = [0, 0, 0];
      const found: number[] = [];
      for (let seed = 1001; seed <= 1000 + searches; seed += 1) {
        const { answer, steps } = await searchQueue({ ...search, seed, budget });
        const { value, low, high } = answer?.rate ?? { value: 0, low: 0, high: 0 };
        found.push(value / truth);
        if (low <= truth && truth <= high) held += 1;
        for (const step of steps) {
          const length = step.seconds + (step.warmUp ?? step.seconds);
          requests += (step.rate * length) / searches;
          seconds += length / searches;
        }
      }
      const off = (meanOf(found) - 1) * 100;
      const own = Math.sqrt(varianceOf(found)) * 100;
      say(
        `${name}: ${off.toFixed(2)} % off, standard deviation ${own.toFixed(2)} %, ${held} of ${searches} intervals hold; ${Math.round(requests)} requests in ${Math.round(seconds)} s`,
      );
      return [
        benchRow(`${name}: mean of ${searches} searches off by`, '%', Math.abs(off), atMost(2)),
        benchRow('90 % intervals that hold the truth', '%', (held / searches) * 100, atLeast(85)),
      ];
    },
);
