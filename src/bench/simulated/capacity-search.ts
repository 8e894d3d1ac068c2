import { searchSimulatedCapacity } from '../../acceptance/capacity/simulated-capacity.fixture.ts';
import { batchingPresets } from '../../model/gateway/mock-latency.ts';
import { atLeast, atMost, type BenchPart, benchRow } from '../harness/bench.ts';
import { saturationRate } from '../../mock/serving/saturation-rate.fixture.ts';

const seeds = 10;
const workload = { promptTokens: 200, outputTokens: 50 };

/** The relative errors of the searches of a preset, and their mean number of requests. */
const searchAll = async (name: keyof typeof batchingPresets, spacing: 'even' | 'poisson') => {
  const batching = batchingPresets[name];
  const saturation = saturationRate(batching, workload);
  const errors: number[] = [];
  let requests = 0;
  for (let seed = 1; seed <= seeds; seed += 1) {
    const { answer, steps } = await searchSimulatedCapacity({ batching, workload, seed, spacing });
    errors.push(answer === null ? 1 : Math.abs(answer.rate.value / saturation - 1));
    requests +=
      steps.reduce(
        (sum, { rate, seconds, warmUp = seconds }) => sum + rate * (seconds + warmUp),
        0,
      ) / seeds;
  }
  return { errors, requests };
};

/** How far capacity searches of simulated servers end from the saturation of their model by formula. */
export const capacitySearches = (['large', 'medium', 'small'] as const).map(
  (name): BenchPart =>
    async (say) => {
      const even = await searchAll(name, 'even');
      const drawn = await searchAll(name, 'poisson');
      const [requests, drawnRequests] = [even, drawn].map((all) => Math.round(all.requests));
      say(
        `${name}: ${requests} requests with even arrivals, ${drawnRequests} with Poisson arrivals`,
      );
      const { batch } = batchingPresets[name];
      const what = `highest rate, batch ${batch}, even arrivals: largest error of ${seeds} seeds`;
      const within = drawn.errors.filter((error) => error <= 0.05).length;
      const drawnWhat = `the same with Poisson arrivals: seeds within 5 %, of ${seeds}`;
      return [
        benchRow(what, '%', Math.max(...even.errors) * 100, atMost(5)),
        benchRow(drawnWhat, '', within, atLeast(9)),
      ];
    },
);
