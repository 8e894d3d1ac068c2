// @long 5 s
import { describe, expect, it } from 'vitest';
import { batchingPresets } from '../../model/gateway/mock-latency.ts';
import { refusals, sheddingTransport } from './shedding-server.fixture.ts';
import { searchSimulatedCapacity } from './simulated-capacity.fixture.ts';

const searchOn = (waiting: number, refusal: keyof typeof refusals) =>
  searchSimulatedCapacity({
    batching: batchingPresets.small,
    workload: { promptTokens: 7, outputTokens: 1 },
    seed: 1,
    transport: (queue) =>
      sheddingTransport({ rate: 80, waiting, refusal: refusals[refusal] }, queue),
  });

const kinds = Object.keys(refusals) as (keyof typeof refusals)[];

describe('the capacity of a server that answers 80 a second and refuses the rest at once', () => {
  it.each(kinds.flatMap((kind) => [2, 40].map((waiting) => ({ kind, waiting }))))(
    'is found near 80/s where it $kind and $waiting can wait',
    async ({ kind, waiting }) => {
      const { answer, end } = await searchOn(waiting, kind);
      expect(end).toBe('done');
      expect(answer!.rate.value).toBeGreaterThan(76);
      expect(answer!.rate.value).toBeLessThan(84);
    },
  );
});
