// @gate 3 s
import { describe, expect, it } from 'vitest';
import { batchingPresets } from '../../model/gateway/mock-latency.ts';
import { sweepReportSchema } from '../../verbs/sweep/model/sweep.ts';
import { formulaKnee, sweepSimulated } from './simulated-sweep.fixture.ts';

const medium = batchingPresets.medium;
const outputTokens = 50;
const promptTokens = [50, 200, 800];
const users = [1, 4, 12, 32];

describe.each([
  // Without chance the law is the server's own, and the knee the formula's.
  ['without chance in its steps, exactly', 0, 1e-6],
  ['with chance in its steps, within 2 %', medium.jitter, 0.02],
] as const)('a sweep of 4 × 3 on the mock’s serving model %s', async (_, jitter, within) => {
  const batching = { ...medium, jitter };
  const report = await sweepSimulated({ batching, users, promptTokens, outputTokens });

  it.each(promptTokens)(
    'finds the knee with %i prompt tokens where the formula has it',
    (tokens) => {
      const { fit } = report.curves.find(({ name }) => name === `prompt.tokens=${tokens}`)!;
      const wanted = formulaKnee(batching, { promptTokens: tokens, outputTokens });
      expect(Math.abs(fit!.knee!.rate / wanted.rate - 1)).toBeLessThan(within);
      expect(Math.abs(fit!.knee!.inFlight / wanted.inFlight - 1)).toBeLessThan(within);
    },
  );

  it('keeps every point, and has those with the shortest prompts on the front', () => {
    expect(sweepReportSchema.safeParse(report).error).toBeUndefined();
    expect(new Set(report.points.map(({ verdict }) => verdict))).toEqual(new Set(['kept']));
    const front = report.points.filter(({ isOnFront }) => isOnFront);
    expect(front.map(({ values }) => values[0])).toEqual(['50', '50', '50', '50']);
  });
});
