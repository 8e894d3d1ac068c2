import { expect, it } from 'vitest';
import { causeText } from './cause-text.ts';

it('a failure is called by its status and its cause, and a status only once', () => {
  expect(causeText({ status: 401, cause: 'invalid_api_key' })).toBe('401 invalid_api_key');
  expect(causeText({ status: null, cause: 'reset' })).toBe('reset');
  expect(causeText({ status: 429, cause: '429' })).toBe('429');
  expect(causeText({ status: 503, cause: null })).toBe('503');
});
