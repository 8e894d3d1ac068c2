import { expect, it } from 'vitest';
import type { UsageAudit } from '../model/measures/usage-audit.ts';
import type { Observation } from '../model/observation/observation.ts';
import { recordUsageAudit, storedUsageAudit } from './usage-audits.ts';

const answerWith = (tokens: object): Observation => {
  const answer = { kind: 'chat', finish: 'stop', tokens: { source: 'usage', ...tokens } };
  return { outcome: { kind: 'completed', answer } } as unknown as Observation;
};

it('a group whose answers have nothing to check has no audit', () => {
  const group: { usageAudit?: UsageAudit } = {};
  recordUsageAudit(group, answerWith({ input: 3, output: 5 }));
  expect(storedUsageAudit(group)).toEqual({});
  recordUsageAudit(group, answerWith({ input: 3, output: 50, most: 20 }));
  const text = { answers: 1, differing: 1, reported: 50, bound: 20 };
  expect(storedUsageAudit(group)).toEqual({ usageAudit: { text } });
});
