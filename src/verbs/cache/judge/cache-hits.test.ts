import { expect, it } from 'vitest';
import { type CacheReply, chooseReader, inferShare } from './cache-hits.ts';

const timed = (...times: readonly number[]): readonly CacheReply[] =>
  times.map((took) => ({ took, tokens: 1000, cached: null }));
const reported = (cached: number): CacheReply => ({ took: 100, tokens: 1000, cached });
const known = (fresh: readonly CacheReply[], again: readonly CacheReply[]) => ({
  short: timed(10, 11, 12),
  fresh,
  again,
});

it('hits are seen by times from three replies of each on, if these do not overlap', () => {
  const seenBy = (...replies: Parameters<typeof known>) => chooseReader(known(...replies))?.seenBy;
  const [slow, fast] = [timed(500, 501, 502), timed(50, 51, 52)];
  expect(seenBy(slow, fast)).toBe('timed');
  expect(seenBy(slow.slice(1), fast)).toBeUndefined();
  expect(seenBy(slow, fast.slice(1))).toBeUndefined();
  expect(seenBy(slow, slow)).toBeUndefined();
  expect(seenBy(fast, slow)).toBeUndefined();
});

it('a time between new and repeated prompts is neither', () => {
  const { isHit } = chooseReader(known(timed(500, 501, 502), timed(50, 51, 52)))!;
  expect([51, 275, 501].map((took) => isHit(timed(took)[0]!))).toEqual([true, null, false]);
});

it('hits that are reported count at half of the prompt', () => {
  const reader = chooseReader(known([reported(0)], [reported(900), reported(0)]))!;
  expect(reader.seenBy).toBe('reported');
  expect([0, 499, 500, 1000].map((cached) => reader.isHit(reported(cached)))).toEqual([
    false,
    false,
    true,
    true,
  ]);
  expect(reader.isHit(timed(1)[0]!)).toBeNull();
  expect(reader.isHit({ took: 1, tokens: null, cached: 0 })).toBe(false);
  // Cached tokens that are reported of new prompts, too, prove nothing.
  expect(chooseReader(known([reported(900)], [reported(900)]))).toBeNull();
});

it('the cached share is what a repetition saves of what length costs, within 0 and 1', () => {
  const shareOf = (again: readonly number[]) =>
    inferShare({
      short: timed(10, 11, 12),
      fresh: timed(510, 511, 512),
      again: timed(...again),
    });
  const half = shareOf([260, 261, 262])!;
  expect(half.value).toBeCloseTo(0.5, 9);
  expect(half.low).toBeLessThan(0.5);
  expect(half.high).toBeGreaterThan(0.5);
  expect(shareOf([1, 2, 3])).toMatchObject({ value: 1, high: 1 });
  expect(shareOf([610, 611, 612])).toMatchObject({ value: 0, low: 0 });
  expect(shareOf([260, 261])).toBeNull();
});
