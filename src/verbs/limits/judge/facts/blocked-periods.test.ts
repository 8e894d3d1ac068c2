import { expect, it } from 'vitest';
import type { LimiterDecision } from '../../../../model/limits/limit-log.ts';
import { instant } from '../../../../model/quantity.ts';
import { blockedPeriods } from './blocked-periods.ts';

const at = (sent: number, admitted: boolean): LimiterDecision => ({
  sent: instant(sent),
  answered: instant(sent + 10),
  ended: instant(sent + 10),
  admitted,
});

it('a blocked period lasts from its first refusal to the answer of the next admission', () => {
  const decisions = [at(0, true), at(100, false), at(200, false), at(900, true), at(950, false)];
  // Nothing was admitted after the last refusal.
  expect(blockedPeriods(decisions)).toEqual([810]);
});

it('an admission that was sent before a refusal’s answer ends no period', () => {
  expect(blockedPeriods([at(0, false), at(5, true), at(60, true)])).toEqual([70]);
});
