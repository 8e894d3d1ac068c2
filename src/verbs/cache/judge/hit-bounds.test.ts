import { describe, expect, it } from 'vitest';
import type { RepeatedPrompt } from '../model/cache-report.ts';
import { agesSeen, boundsOf, type CacheReply, chooseReader, inferShare } from './cache-hits.ts';

const timed = (...times: readonly number[]): readonly CacheReply[] =>
  times.map((took) => ({ took, tokens: 1000, cached: null }));
const rounded = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, each: unknown) =>
      typeof each === 'number' ? Number(each.toPrecision(7)) : each,
    ),
  );
const kept = (age: number, most?: number): RepeatedPrompt => ({
  age,
  hit: true,
  ...(most === undefined ? {} : { most }),
});
const lost = (age: number, most?: number): RepeatedPrompt => ({ ...kept(age, most), hit: false });
const unclear = (age: number): RepeatedPrompt => ({ age, hit: null });

describe('the bounds of times', () => {
  const hitsAt = (fresh: readonly number[], again: readonly number[], times: readonly number[]) => {
    const { isHit } = chooseReader({ short: [], fresh: timed(...fresh), again: timed(...again) })!;
    return times.map((took) => isHit(timed(took)[0]!));
  };

  it('are where one further time of 98 in 100 lies, with a deviation of half a ms at least', () => {
    // t is 6.965 for two degrees of freedom: half of it, √(1 + 1/3) times, is 4.0209.
    expect(hitsAt([100, 100, 100], [50, 50, 50], [54.02, 54.03, 95.97, 95.98])).toEqual([
      true,
      null,
      null,
      false,
    ]);
    // The deviation of 49, 50, 51 is twice as much; of four equal times, t is 4.541, and √(1 + 1/4) times half is 2.5385.
    expect(hitsAt([100, 100, 100, 100], [49, 50, 51], [58.04, 58.05, 97.46, 97.47])).toEqual([
      true,
      null,
      null,
      false,
    ]);
  });

  it('are none if they meet', () => {
    const seenBy = (again: number) =>
      chooseReader({
        short: [],
        fresh: timed(100, 100, 100),
        again: timed(again, again, again),
      })?.seenBy;
    expect([seenBy(91.95), seenBy(91.97)]).toEqual(['timed', undefined]);
  });

  it('of a share are those of its two differences', () => {
    const share = (short: number, fresh: readonly number[], again: number) =>
      rounded(
        inferShare({
          short: timed(short, short + 1, short + 2),
          fresh: timed(...fresh),
          again: timed(again, again, again),
        }),
      );
    expect([
      share(10, [110, 112, 117], 40),
      share(10, [110, 110, 110, 110], 60),
      // The length costs hardly more than its error, or less.
      share(107, [110, 111, 112], 60),
      share(109, [110, 111, 112], 60),
      share(120, [110, 111, 112], 60),
    ]).toMatchSnapshot();
  });

  it('of a share need three times of each kind', () => {
    const known = { short: timed(1, 2, 3), fresh: timed(51, 52, 53), again: timed(20, 21, 22) };
    expect(inferShare(known)).not.toBeNull();
    for (const kind of ['short', 'fresh', 'again'] as const)
      expect(inferShare({ ...known, [kind]: known[kind].slice(1) })).toBeNull();
  });
});

it('a report of no cached tokens is no hit, even of a prompt without any', () => {
  const reply = (cached: number | null, tokens: number | null = 1000): CacheReply => ({
    took: 1,
    tokens,
    cached,
  });
  const { isHit } = chooseReader({ short: [], fresh: [], again: [reply(1, null)] })!;
  expect(
    [reply(0, 0), reply(0, null), reply(1, null), reply(1, 2), reply(1, 3)].map(isHit),
  ).toEqual([false, false, true, true, false]);
  expect(chooseReader({ short: [], fresh: [reply(1, 1)], again: [reply(1, 1)] })).toBeNull();
});

describe('the ages at which prompts were kept and lost', () => {
  it('are the lower one of a kept prompt, and the higher one of a lost prompt', () => {
    expect(agesSeen([kept(5, 9), kept(7, 8), lost(10, 14), lost(11, 12)])).toEqual({
      kept: 7,
      lost: 12,
    });
    expect(agesSeen([kept(0), lost(3)])).toEqual({ kept: 0, lost: 3 });
    expect(agesSeen([lost(3), unclear(1)])).toEqual({ kept: null, lost: 3 });
    expect(agesSeen([lost(0)])).toEqual({ kept: null, lost: 0 });
    expect(agesSeen([])).toEqual({ kept: null, lost: null });
    // A loss at the age of a kept one, or below it, bounds nothing.
    expect(agesSeen([kept(7), lost(7), lost(6)])).toEqual({ kept: 7, lost: null });
    expect(agesSeen([kept(7), lost(6, 8)])).toEqual({ kept: 7, lost: 8 });
  });

  it('are a bound from three losses of a steady cache on', () => {
    const three = [kept(7), lost(10), lost(9), lost(8)];
    expect(boundsOf(three, [true, null])).toEqual({ age: { kept: 7, lost: 8 }, isSteady: true });
    expect(boundsOf(three.slice(0, 3), [])).toEqual({
      age: { kept: 7, lost: null },
      isSteady: true,
    });
    expect(boundsOf(three, [true, false])).toEqual({
      age: { kept: 7, lost: null },
      isSteady: false,
    });
    expect(boundsOf([...three, lost(6)], [])).toEqual({
      age: { kept: 7, lost: null },
      isSteady: false,
    });
    expect(boundsOf(three.slice(1), [])).toEqual({ age: { kept: null, lost: 8 }, isSteady: true });
  });
});
