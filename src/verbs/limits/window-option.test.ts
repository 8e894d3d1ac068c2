import { expect, it } from 'vitest';
import { readWindow } from './window-option.ts';

it('reads a window of at most an hour, by default a minute', () => {
  expect([
    readWindow(undefined, 'requests', 60),
    readWindow('10s', 'tokens', 60),
    readWindow('1h', 'tokens', 60),
  ]).toStrictEqual([60_000, 10_000, 3_600_000]);
});

it('refuses the limit of a day with a plan that spreads over days', () => {
  expect(() => readWindow('1d', 'tokens', 1_000_000)).toThrow(
    /expected at most 1h.*got 1d.*over 216 h.*\(1\) after 48 h of idleness send 1,100,000 tokens \(1\.1 times the limit\) at once.*\(2\).*12 h later.*\(3\).*900,000 tokens \(0\.9 times the limit\) evenly in 24 h, twice/,
  );
  expect(() => readWindow('24h', 'requests', null)).toThrow(/got 24h.*send 1\.1 times the limit/);
});
