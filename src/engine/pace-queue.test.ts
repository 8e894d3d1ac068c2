import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Pace } from '../model/plan/pace.ts';
import { milliseconds } from '../model/quantity.ts';
import { keyShareProblem, keySharesOf } from './pace-queue.ts';

const pace: Pace = {
  requests: 60,
  tokens: 1000,
  window: milliseconds(60_000),
  margin: milliseconds(1000),
  charged: 'sent',
};

const slicesOf = (count: number) => Array.from({ length: count }, (_, index) => ({ index, count }));

it('each key belongs to exactly one slice, whole, where the keys divide evenly', () => {
  const shares = slicesOf(3).map((slice) => keySharesOf(slice, 6, { ...pace, burst: 4 }));
  expect(shares.map(({ keys }) => keys)).toEqual([
    [0, 3],
    [1, 4],
    [2, 5],
  ]);
  const whole = { requests: 60, tokens: 1000, burst: 4 };
  for (const { amounts } of shares) expect(amounts).toEqual([whole, whole]);
});

it('together all slices use exactly the limits of all keys, whatever their number', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }), (keys, count) => {
      const used = Array.from({ length: keys }, () => ({ requests: 0, tokens: 0, burst: 0 }));
      for (const slice of slicesOf(count)) {
        const { keys: own, amounts } = keySharesOf(slice, keys, { ...pace, burst: 24 });
        for (const [place, key] of own.entries()) {
          used[key]!.requests += amounts[place]!.requests!;
          used[key]!.tokens += amounts[place]!.tokens!;
          used[key]!.burst += amounts[place]!.burst!;
        }
      }
      for (const each of used) expect(each).toEqual({ requests: 60, tokens: 1000, burst: 24 });
    }),
  );
});

it('a split below one request or one burst is refused, with what to do', () => {
  expect(keyShareProblem(pace, 2, 3)).toBeNull();
  expect(keyShareProblem({ ...pace, burst: 2 }, 2, 3)).toMatch(
    /^pace: 3 slices cannot share a key’s burst of 2.*as many keys as slices/,
  );
  expect(keyShareProblem({ ...pace, requests: 2 }, 1, 3)).toMatch(/requests of 2/);
  expect(keyShareProblem({ ...pace, requests: 2, burst: 1 }, 3, 3)).toBeNull();
  expect(keyShareProblem(null, 1, 3)).toBeNull();
});
