import { expect, it } from 'vitest';
import type { LimitCheck } from '../../../model/limits/limit-log.ts';
import { judgeLimits } from './judge-limits.ts';
import { storedLog } from './stored-log.fixture.ts';

const checkOf = (checks: readonly LimitCheck[], id: string): LimitCheck =>
  checks.find((check) => check.id === id)!;

it('LiteLLM’s proxy keeps its limit: 71 requests within a minute are allowed for windows that begin with a request', () => {
  const { verdict, facts, identification, checks } = judgeLimits(storedLog('litellm-v3'));
  expect(verdict).toBe('kept');
  expect(facts.mostAdmitted.least).toBe(71);
  expect(facts.overAdmitted).toBe('proved');
  expect(facts.envelope.finding).toBe('proved');
  expect(identification.best?.limiter).toBe('fixed-from-first');
  expect(checkOf(checks, 'token-accounting')).toMatchObject({ finding: 'proved' });
  expect(checkOf(checks, 'token-accounting').observed).toMatch(/corrected later/);
});

it('nginx with a burst is a bucket of 11 that keeps its limit and refuses below it', () => {
  const { verdict, identification, checks } = judgeLimits(storedLog('nginx-burst'));
  expect(verdict).toBe('kept');
  expect(identification.best?.limiter).toBe('burst-bucket');
  expect(identification.best?.parameters['burst']?.value).toBeCloseTo(11, 0);
  expect(checkOf(checks, 'refused-only-when-full')).toMatchObject({
    finding: 'refuted',
    violates: false,
  });
  expect(checkOf(checks, 'refused-only-when-full').observed).toContain('at most 12 at once');
});
