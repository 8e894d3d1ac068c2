import { searchSimulatedCapacity } from '../../acceptance/capacity/simulated-capacity.fixture.ts';
import { batchingPresets, saturationRate } from '../../model/gateway/mock-latency.ts';
import { atLeast, atMost, type BenchPart, benchRow, type BenchRow } from '../harness/bench.ts';

const seeds = 10;
const workload = { promptTokens: 200, outputTokens: 50 };
const names = ['large', 'medium', 'small'] as const;

/** The relative errors of the searches of a preset, and their mean number of requests. */
const searchAll = async (
  name: (typeof names)[number],
  spacing: 'even' | 'poisson',
): Promise<{ readonly errors: readonly number[]; readonly requests: number }> => {
  const batching = batchingPresets[name];
  const saturation = saturationRate(batching, workload);
  const errors: number[] = [];
  let requests = 0;
  for (let seed = 1; seed <= seeds; seed += 1) {
    const { answer, steps } = await searchSimulatedCapacity({ batching, workload, seed, spacing });
    errors.push(answer === null ? 1 : Math.abs(answer.rate.value / saturation - 1));
    requests += steps.reduce((sum, { rate, seconds }) => sum + rate * 2 * seconds, 0) / seeds;
  }
  return { errors, requests };
};

/** How far capacity searches of simulated servers end from the saturation of their model by formula. */
export const measureCapacitySearch: BenchPart = async (say) => {
  const rows: BenchRow[] = [];
  for (const name of names) {
    const even = await searchAll(name, 'even');
    const drawn = await searchAll(name, 'poisson');
    say(
      `${name}: ${Math.round(even.requests)} requests with even arrivals, ${Math.round(drawn.requests)} with Poisson arrivals`,
    );
    const { batch } = batchingPresets[name];
    rows.push(
      benchRow(
        `highest rate, batch ${batch}, even arrivals: largest error of ${seeds} seeds`,
        Math.max(...even.errors) * 100,
        '%',
        atMost(5),
      ),
      benchRow(
        `the same with Poisson arrivals: seeds within 5 %, of ${seeds}`,
        drawn.errors.filter((error) => error <= 0.05).length,
        '',
        atLeast(9),
      ),
    );
  }
  return rows;
};
