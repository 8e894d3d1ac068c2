import { expect, it } from 'vitest';
import type { KeyLimits } from '../../model/limits/run-limits.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { limitsVerdict } from './verdict.ts';

const zero = { exact: 0, conservative: 0, deceptive: 0, unknown: 0, absent: 0 };
const check = { id: 'requests-kept', claim: '', section: null, violates: true, evidence: [] };

const verdictOf = (units: Partial<Record<'requests' | 'tokens' | 'none', number>> | null) => {
  const result = sampleRunResult();
  const refusals =
    units === null
      ? null
      : {
          count: 3,
          first: 0,
          last: 1,
          units,
          forms: {},
          retryAfter: zero,
          resetTime: zero,
          stretches: 1,
          longestStretch: null,
        };
  const peak = { least: 1, most: 1 };
  const proved = { ...check, finding: 'proved' as const, observed: '' };
  const key: KeyLimits = {
    key: 'k',
    requests: peak,
    tokens: peak,
    refusals,
    explainedBy: null,
    checks: [proved],
  };
  const limits = { keys: [key], explained: 0, judged: true, violated: false };
  const declared = { requestsPerMinute: 60, tokensPerMinute: 100, limiter: 'any' as const };
  return limitsVerdict({ ...result, limits, plan: { ...result.plan, limits: declared } })?.text;
};

it('a limit is only called kept if it refused something', () => {
  expect(verdictOf({ requests: 2, tokens: 1 })).toMatch(/^Limits kept: /);
  expect(verdictOf({ none: 3 })).toMatch(/^Limits kept: /);
  expect(verdictOf({ tokens: 3 })).toMatch(/^Limit of tokens kept, that of requests refused noth/);
  expect(verdictOf(null)).toMatch(/^No limit violated, nothing was refused: /);
});
