import { expect, it } from 'vitest';
import { fitText } from './other-limit.ts';

it('a fitted limiter is named with its limit and window, and their ranges where they are wider', () => {
  const fitted = (value: number, least = value, most = value) => ({ value, least, most });
  const text = (limit: object, window: object): string =>
    fitText({ limiter: 'sliding-log', limit, window } as Parameters<typeof fitText>[0]);
  expect(text(fitted(60), fitted(60_000))).toBe('sliding-log: 60 requests in 60 s');
  expect(text(fitted(60, 58, 61), fitted(59_960, 59_740, 60_250))).toBe(
    'sliding-log: 60 (58 to 61) requests in 60 (59.7 to 60.3) s',
  );
  // A range that shows as one number is none.
  expect(text(fitted(60.04, 60.01, 60.04), fitted(500))).toBe('sliding-log: 60 requests in 0.5 s');
});
