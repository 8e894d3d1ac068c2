// @gate 1 s
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { LimitCheck, LimitLog } from '../../../model/limits/limit-log.ts';
import { judgeLimits } from './judge-limits.ts';

const storedLog = (name: string): LimitLog => {
  const path = new URL(`../../../../fixtures/limits/${name}.json`, import.meta.url);
  return (JSON.parse(readFileSync(path, 'utf8')) as { log: LimitLog }).log;
};

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

it('a window that is a fifth too long is a violation, even if the machine stalled meanwhile', () => {
  const { verdict, identification } = judgeLimits(storedLog('limits-moving-stalled'));
  expect(verdict).toBe('violated');
  expect(identification.best).toMatchObject({ limiter: 'sliding-log', limit: { value: 20 } });
  expect(identification.best?.window.least).toBeGreaterThan(11_000);
  expect(identification.best?.window.most).toBeLessThan(13_000);
});
