import { expect, it } from 'vitest';
import { milliseconds } from '../quantity.ts';
import { type ReportedLimit, reportedLimitOf } from './limit-log.ts';

it('the limit of a key is the one that is named after it, else one of a minute, else any of its unit', () => {
  const limit = { profile: 'litellm', descriptor: null, limit: 9, remaining: 9, resetIn: null };
  const ofHour = { ...limit, unit: 'requests', window: milliseconds(3_600_000) };
  const ofMinute = { ...limit, unit: 'requests', window: milliseconds(60_000) };
  const ofTeam = { ...ofMinute, descriptor: 'team' };
  const ofKey = { ...ofHour, descriptor: 'api_key' };
  const ofTokens = { ...ofKey, unit: 'tokens' };
  const found = (...limits: readonly ReportedLimit[]) =>
    reportedLimitOf({ told: limits }, 'requests');
  expect(found(ofTokens, ofHour, ofTeam, ofKey)).toBe(ofKey);
  expect(found(ofTokens, ofHour, ofMinute, ofTeam)).toBe(ofMinute);
  expect(found(ofTokens, ofHour, { ...ofHour })).toBe(ofHour);
  expect(found(ofTokens)).toBeUndefined();
});
