import { describe, expect, it } from 'vitest';
import { batchingPresets } from '../../model/gateway/mock-latency.ts';
import { sweepReportSchema } from '../../model/series/sweep.ts';
import { formulaKnee, sweepSimulated } from './simulated-sweep.fixture.ts';

const batching = batchingPresets.medium;
const outputTokens = 50;
const promptTokens = [50, 200, 800];

describe('a sweep of 4 × 3 on the mock’s serving model', async () => {
  const report = await sweepSimulated({
    batching,
    users: [1, 4, 12, 32],
    promptTokens,
    outputTokens,
  });

  it.each(promptTokens)(
    'finds the knee with %i prompt tokens within 5 % of the formula',
    (tokens) => {
      const { fit } = report.curves.find(({ name }) => name === `prompt.tokens=${tokens}`)!;
      const wanted = formulaKnee(batching, { promptTokens: tokens, outputTokens });
      expect(fit!.knee!.rate / wanted.rate).toBeGreaterThan(0.95);
      expect(fit!.knee!.rate / wanted.rate).toBeLessThan(1.05);
      expect(fit!.knee!.inFlight / wanted.inFlight).toBeGreaterThan(0.95);
      expect(fit!.knee!.inFlight / wanted.inFlight).toBeLessThan(1.05);
    },
  );

  it('keeps every point, and has those with the shortest prompts on the front', () => {
    expect(sweepReportSchema.safeParse(report).error).toBeUndefined();
    expect(new Set(report.points.map(({ verdict }) => verdict))).toEqual(new Set(['kept']));
    const front = report.points.filter(({ isOnFront }) => isOnFront);
    expect(front.map(({ values }) => values[0])).toEqual(['50', '50', '50', '50']);
  });
});
