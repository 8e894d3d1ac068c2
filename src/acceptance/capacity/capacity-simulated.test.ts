// @long 2 s
import { describe, expect, it } from 'vitest';
import { batchingPresets } from '../../model/gateway/mock-latency.ts';
import { searchSimulatedCapacity } from './simulated-capacity.fixture.ts';
import { saturationRate } from '../../mock/serving/saturation-rate.fixture.ts';

const workload = { promptTokens: 200, outputTokens: 50 };

describe.each(['large', 'medium', 'small'] as const)(
  'simulated capacity of the %s preset',
  (name) => {
    const batching = batchingPresets[name];
    const saturation = saturationRate(batching, workload);

    it('is found within 5 % of the formula, and concurrency is the bound', async () => {
      const { answer, end } = await searchSimulatedCapacity({ batching, workload, seed: 3 });
      expect(end).toBe('done');
      expect(answer!.rate.value / saturation).toBeGreaterThan(0.95);
      expect(answer!.rate.value / saturation).toBeLessThan(1.05);
      expect(answer).toMatchObject({ binding: 'concurrency', proved: true });
    });
  },
);

describe('simulated capacity under other bounds', () => {
  const batching = batchingPresets.medium;

  it('is bound by latency, well below saturation, where each request has an objective', async () => {
    const { answer } = await searchSimulatedCapacity(
      { batching, workload, seed: 3 },
      {
        perRequest: [
          {
            text: 'e2e < 1.6s',
            measure: 'endToEnd',
            comparison: '<',
            bound: 1600,
            scope: { traffic: null, model: null, key: null, stages: null },
          },
        ],
      },
    );
    // By Little and the model’s own step: N in flight take 1.6 s where N / 1.6 s = X(N).
    expect(answer).toMatchObject({ binding: 'latency' });
    expect(answer!.rate.value / saturationRate(batching, workload)).toBeLessThan(0.9);
    expect(answer!.latency).toBeLessThan(1600);
  });

  it('is bound by the declared limit where that is reached first', async () => {
    const { answer, steps } = await searchSimulatedCapacity(
      { batching, workload, seed: 3 },
      {},
      { requestsPerMinute: 120, keys: 2 },
    );
    expect(answer).toMatchObject({ binding: 'requests', rate: { value: 4 }, keysForRequests: 2 });
    expect(Math.max(...steps.map(({ rate }) => rate))).toBe(4);
  });
});
