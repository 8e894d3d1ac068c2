import { expect, it } from 'vitest';
import type { KeyLimits } from '../../model/limits/run-limits.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { limitsVerdict } from './verdict.ts';

const zero = { exact: 0, conservative: 0, deceptive: 0, unknown: 0, absent: 0 };
const check = { id: 'requests-kept', claim: '', section: null, violates: true, evidence: [] };

const verdictOf = (
  units: Partial<Record<'requests' | 'tokens' | 'none', number>> | null,
  busiest: { readonly tokens?: number; readonly limiter?: 'any' | 'fixed-aligned' } = {},
  more: readonly (readonly [id: string, finding: 'proved' | 'refuted', observed: string])[] = [],
) => {
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
    tokens: { least: busiest.tokens ?? 1, most: busiest.tokens ?? 1 },
    refusals,
    explainedBy: null,
    checks: [
      proved,
      ...more.map(([id, finding, observed]) => ({
        ...check,
        violates: false,
        id,
        finding,
        observed,
      })),
    ],
  };
  const limits = { keys: [key], explained: 0, judged: true, violated: false };
  const { limiter = 'any' } = busiest;
  const declared = { requestsPerMinute: 60, tokensPerMinute: 100, limiter };
  return limitsVerdict({ ...result, limits, plan: { ...result.plan, limits: declared } })?.text;
};

it('a limit is only called kept if it refused something', () => {
  expect(verdictOf({ requests: 2, tokens: 1 })).toMatch(/^Limits kept: /);
  expect(verdictOf({ none: 3 })).toMatch(/^Limits kept: /);
  expect(verdictOf({ tokens: 3 })).toMatch(/^Limit of tokens kept, that of requests refused noth/);
  expect(verdictOf(null)).toMatch(/^No limit violated, nothing was refused: /);
});

it('no limit is called kept if a minute had more and any limiter is permitted, which a higher limit does too', () => {
  expect(verdictOf({ tokens: 3 }, { tokens: 150 })).toMatch(
    /^No limit violated, but one minute had 150 tokens of 100, which a limiter of the limit can admit/,
  );
  const declared = { tokens: 150, limiter: 'fixed-aligned' } as const;
  expect(verdictOf({ tokens: 3 }, declared)).toMatch(/^Limit of tokens kept/);
  expect(verdictOf({ tokens: 3 }, { tokens: 100 })).toMatch(/^Limit of tokens kept/);
});

it('no limit is called kept if refusals came with room left, as those of a lower limit do', () => {
  const early = 'tokens-refused-only-when-full';
  const left = '3 of 3 refusals came with tokens left';
  expect(verdictOf({ tokens: 3 }, {}, [[early, 'refuted', left]])).toBe(
    `No limit violated, but ${left}.`,
  );
  expect(verdictOf({ tokens: 3 }, {}, [[early, 'proved', left]])).toMatch(/^Limit of tokens kept/);
  // A limiter that counts what it refuses refuses with room left, and keeps its limit.
  const room = ['refused-only-when-full', 'refuted', 'they came with room left'] as const;
  expect(verdictOf({ requests: 3 }, {}, [room, ['limit-explained', 'proved', '']])).toMatch(
    /^Limit of requests kept/,
  );
  expect(verdictOf({ requests: 3 }, {}, [room])).toMatch(/^No limit violated, but they came/);
});
