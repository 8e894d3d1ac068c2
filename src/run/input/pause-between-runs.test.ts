import { expect, it } from 'vitest';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { pauseFor } from './pause-between-runs.ts';

const url = { kind: 'url', url: 'https://h/v1' } as const;
const none = { requestsPerMinute: null, tokensPerMinute: null, limiter: null };
const limited = { ...none, requestsPerMinute: 60 };

it.each([
  [{ target: url, limits: limited }, undefined, 60_000],
  [{ target: url, limits: none }, undefined, 0],
  [{ target: { kind: 'mock' } as const, limits: limited }, undefined, 0],
  [{ target: url, limits: limited }, '5s', 5000],
  [{ target: url, limits: none }, '2m', 120_000],
])('the pause between runs of %j with --pause %s is %i ms', (changes, text, pause) => {
  expect(pauseFor(samplePlan(changes), text)).toBe(pause);
});

it('a pause that is no length of time is refused with the name of its option', () => {
  expect(() => pauseFor(samplePlan(), 'soon')).toThrow(/^--pause: .*soon/);
});
