import { describe, expect, it } from 'vitest';
import { samplePlan } from '../../../model/plan/sample-plan.fixture.ts';
import type { SeenArrival, SeenRun } from '../model/seen-arrival.ts';
import { backAfterNoise } from './back.ts';
import { judgeFairness } from './judge-fairness.ts';
import { blockFigures, movementOf } from './moved.ts';
import { foreseenHalf, leastRequests, pairsToDecide, pairsToIsolate } from './reach.ts';
import { refusalsOf } from './refusals.ts';
import { arrival, blocks, isLoud } from './sample-arrivals.fixture.ts';
import { maxMinShares, sharesOf } from './shares.ts';

/** Requests of b, one for each of so many ms of a minute, as `of` changes them. */
const every = (
  apart: number,
  of: (due: number, index: number) => Partial<SeenArrival> = () => ({}),
): readonly SeenArrival[] =>
  Array.from({ length: 60_000 / apart }, (_, index) =>
    arrival(apart * index, of(apart * index, index)),
  );
const runOf = (arrivals: readonly SeenArrival[], changes: Partial<SeenRun> = {}): SeenRun => ({
  blocks,
  arrivals,
  quiet: 'b',
  noisy: 'a',
  q: 0.5,
  until: 60_000,
  ...changes,
});
const noise = every(500, () => ({ population: 'a', key: 'a', tokens: 9 })).filter(({ due }) =>
  isLoud(due),
);
const plan = samplePlan({
  limits: { requestsPerMinute: 600, tokensPerMinute: null, limiter: null },
});
const unlimited = samplePlan({
  limits: { requestsPerMinute: null, tokensPerMinute: null, limiter: null },
});
const terms = { maxMoved: 0.1, settle: 2000, hasUsers: () => false, invalid: null };
const took = (least: number, most = least): Partial<SeenArrival> => ({ least, most });
const lost: Partial<SeenArrival> = { ...took(Infinity), isCompleted: false };
/** The numbers of a report without the digits that differ between machines. */
const rounded = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, each: unknown) =>
      typeof each === 'number' ? Number(each.toPrecision(9)) : each,
    ),
  );

describe('the report of two neighbours', () => {
  it('has all that was counted where each thing is there', () => {
    const own = every(100, (due, index) => ({
      ...(isLoud(due) ? took(80 + (index % 7), 90 + (due % 13)) : took(50 + (index % 3), 55)),
      ...(isLoud(due) && index % 40 === 0 ? { ...lost, limited: 2 } : {}),
      key: index % 2 === 0 ? 'b' : 'c',
    }));
    const users = (name: string): boolean => name === 'a';
    const judged = judgeFairness(
      runOf([...own, ...noise]),
      { ledger: [], plan },
      { ...terms, hasUsers: users },
    );
    expect(rounded(judged)).toMatchSnapshot();
  });

  it('has as little as it can where nothing was seen', () => {
    expect(judgeFairness(runOf([], { until: 0 }), { ledger: [], plan: unlimited }, terms)).toEqual({
      verdict: 'unknown',
      reasons: [
        'the noisy population sent nothing more in the blocks with noise',
        expect.stringMatching(/^0 pairs of blocks have the figure on both sides, and 3 are needed/),
      ],
      moved: null,
      failed: null,
      noiseBy: { alone: 0, noisy: 0 },
      blocks: [],
      shares: [],
      isContended: false,
      refusals: {
        cause: 'none',
        noisy: 0,
        ofNoisy: 0,
        alone: 0,
        ofAlone: 0,
        explained: 0,
        limits: [],
      },
      back: null,
    });
  });

  it('says how many pairs would decide, and in how many minutes', () => {
    const spread = [1, 1.08, 1.02];
    const own = every(50, (due) =>
      isLoud(due) ? took(50 * spread[Math.floor(due / 20_000)]!) : took(50),
    );
    const { reasons } = judgeFairness(runOf([...own, ...noise]), { ledger: [], plan }, terms);
    // Five pairs of 20 s.
    expect(reasons[0]).toContain('--pairs 5 decides in 2 min');
  });
});

describe('the move of the figure', () => {
  const moveOf = (own: readonly SeenArrival[], changes: Partial<SeenRun> = {}) =>
    rounded(movementOf(blockFigures(runOf(own, changes))));

  it('has the exact bounds of three pairs', () => {
    const rises = [1.1, 1.4, 1.2];
    const own = every(100, (due, index) => ({
      ...(isLoud(due)
        ? took(95 * rises[Math.floor(due / 20_000)]!, 100 * rises[Math.floor(due / 20_000)]!)
        : took(90, 100)),
      isCompleted: index % (isLoud(due) ? 10 : 40) !== 0,
    }));
    expect(moveOf(own)).toMatchSnapshot();
  });

  it('of failures alone is that of their counts if none failed', () => {
    const { failed } = movementOf(blockFigures(runOf(every(100))));
    // None of 240 on either side, by the interval of Newcombe.
    const half = 1.96 ** 2 / (240 + 1.96 ** 2);
    expect(failed).toEqual({
      value: 0,
      low: expect.closeTo(-half, 9),
      high: expect.closeTo(half, 9),
    });
  });

  it('leaves out a pair without the one block, and one whose figure is nothing', () => {
    const own = every(100, (due) => (due < 10_000 ? took(0) : {}));
    expect(moveOf(own)).toMatchObject({ pairs: 2, moved: null, rises: null });
    expect(moveOf(every(100), { until: 50_000 })).toMatchObject({ pairs: 2, moved: null });
    expect(moveOf(every(100), { blocks: blocks.slice(1) })).toMatchObject({ pairs: 2 });
  });

  it('is at most a hundredfold, and has no bound, where one side has no value', () => {
    expect(moveOf(every(100, (due) => (isLoud(due) ? lost : {})))).toMatchObject({
      pairs: 3,
      rises: null,
      moved: { value: 99, low: 99, high: null },
      failed: { value: 1 },
    });
    expect(moveOf(every(100, (due) => (isLoud(due) ? {} : lost)))).toMatchObject({
      moved: { value: -0.99, low: -0.99, high: null },
      failed: { value: -1 },
    });
  });
});

describe('the shares', () => {
  it('are divided so that nobody gets more than it asks for', () => {
    expect(maxMinShares([10, 2, 6], 12)).toEqual([5, 2, 5]);
    expect(maxMinShares([10, 2, 6], 30)).toEqual([10, 2, 6]);
    expect(maxMinShares([Infinity, 3], 4)).toEqual([2, 2]);
    expect(maxMinShares([4, 4], 0)).toEqual([0, 0]);
    expect(maxMinShares([], 5)).toEqual([]);
  });

  it('are contended from 2 % less than was asked for', () => {
    const failing = (isLost: (index: number) => boolean) =>
      sharesOf(
        runOf(
          every(20, (due, index) => ({ ended: due, isCompleted: !isLoud(due) || !isLost(index) })),
        ),
        () => false,
      ).isContended;
    expect(failing((index) => index % 50 === 0)).toBe(false);
    // In the middle of the second block.
    expect(failing((index) => index % 50 === 0 || index === 751)).toBe(true);
  });

  it('have no interval where a party may have nothing', () => {
    const idle = every(100, (due) => ({ population: 'c', isCompleted: !isLoud(due) }));
    const rows = sharesOf(runOf([...idle, ...every(100)]), (name) => name === 'a').rows;
    expect(rows.map(({ name, unit }) => [name, unit])).toEqual([
      ['c', 'requests'],
      ['b', 'requests'],
      ['c', 'tokens'],
      ['b', 'tokens'],
    ]);
    expect(rows[0]).toMatchObject({ got: 0, share: 0, kept: { value: 0, low: 0, high: 0 } });
    expect(rows[1]).toMatchObject({ share: 1 });
  });

  it('of users are what they ask for without noise, which is nothing where all is noise', () => {
    const loud = blocks.filter(({ isNoisy }) => isNoisy);
    const askedOf = (some: typeof blocks) =>
      sharesOf(runOf(every(100), { blocks: some }), () => true).rows[0]!.asked;
    expect([askedOf(loud), askedOf(blocks)]).toEqual([0, 10]);
  });

  it('count a request in the block in which it ended', () => {
    const ends = [19_999, 20_000, 11_999, 12_000].map((ended) => arrival(15_000, { ended }));
    const [row] = sharesOf(runOf(ends), () => false).rows;
    // Two of four ended in the 24 s with noise.
    expect(row).toMatchObject({ got: 2 / 24, asked: 4 / 24, share: 1, kept: null });
  });
});

describe('the 429s of the quiet population', () => {
  const limitedAt = (...instants: readonly number[]) =>
    every(1000, (due) => ({ limited: instants.includes(due) ? 2 : 0 }));
  const refusals = (arrivals: readonly SeenArrival[], changes = {}) =>
    refusalsOf(runOf([...arrivals, ...noise]), { ledger: [], plan, ...changes });

  it('are counted with the noise up to the next measured block', () => {
    expect(refusals(limitedAt(10_000, 21_000))).toEqual({
      cause: 'noise',
      noisy: 4,
      ofNoisy: 36,
      alone: 0,
      ofAlone: 24,
      explained: 0,
      limits: ['600 requests a minute'],
    });
    expect(refusals(limitedAt(10_000, 22_000))).toMatchObject({
      cause: 'alone',
      noisy: 2,
      alone: 2,
    });
    expect(refusals(limitedAt(29_000))).toMatchObject({ cause: 'alone', noisy: 0, alone: 2 });
    expect(refusals(limitedAt(30_000))).toMatchObject({ cause: 'noise', noisy: 2, alone: 0 });
  });

  it('are named once for keys with the same limits', () => {
    const keys = limitedAt(10_000).map((each, index) => ({ ...each, key: `k${index % 3}` }));
    expect(refusals(keys).limits).toEqual(['600 requests a minute']);
  });
});

describe('the return after the noise', () => {
  const slowUntil = (time: number, apart = 25) =>
    every(apart, (due) => (isLoud(due) || (due > 10_000 && due % 20_000 < time) ? took(500) : {}));
  const back = (own: readonly SeenArrival[], changes: Partial<SeenRun> = {}) =>
    backAfterNoise(runOf(own, { q: 0.95, ...changes }));

  it('needs two good parts in a row, and is unknown without any', () => {
    const isSlow = (due: number): boolean => {
      const after = due % 20_000;
      return isLoud(due) || (due > 20_000 && (after < 500 || (after >= 1000 && after < 1500)));
    };
    expect(back(every(25, (due) => (isSlow(due) ? took(500) : {})))).toMatchObject({ after: 1500 });
    const never = every(25, (due) =>
      isLoud(due) || (due > 20_000 && due % 20_000 < 5000) ? took(500) : {},
    );
    const short = blocks.map((each) =>
      each.isNoisy ? { ...each, begins: each.begins - 6000 } : each,
    );
    expect(back(never, { blocks: short })).toEqual({
      wasAway: true,
      after: null,
      resolution: 500,
      seen: 4000,
      ends: 2,
    });
  });

  it('begins with the last of several blocks with noise in a row', () => {
    const inRow = blocks.map((each, place) => ({ ...each, isNoisy: place === 1 || place === 2 }));
    const isSlow = (due: number): boolean => due >= 10_000 && due < 30_000;
    const own = every(25, (due) => (isSlow(due) ? took(500) : {}));
    expect(back(own, { blocks: inRow })).toEqual({
      wasAway: true,
      after: 0,
      resolution: 500,
      seen: 30_000,
      ends: 1,
    });
  });

  it('is seen from ends that the load outlasts and no other noise follows', () => {
    expect(back(slowUntil(0))?.ends).toBe(2);
    expect(back(slowUntil(0), { until: 60_999 })).toBeNull();
    expect(back(slowUntil(0), { until: 61_000 })).toEqual({
      wasAway: true,
      after: 0,
      resolution: 500,
      seen: 1000,
      ends: 3,
    });
  });
});

describe('the reach of an examination', () => {
  it('is that of an exponential', () => {
    expect(leastRequests).toBe(381);
    expect(foreseenHalf({ q: 0.95, requests: 200, pairs: 8 })).toBeCloseTo(0.12935206, 8);
    expect(pairsToIsolate({ q: 0.5, requests: 381, pairs: 3 }, 10)).toBe(3);
    expect(pairsToIsolate({ q: 0.5, requests: 127, pairs: 3 }, 10)).toBe(3);
    expect(pairsToIsolate({ q: 0.5, requests: 126, pairs: 3 }, 10)).toBe(4);
  });

  it('ends at 500 pairs, and begins after those that were seen', () => {
    const scatter = (mean: number, deviation: number) => ({ mean, deviation });
    const needed = (low: number, high: number, deviation: number, pairs = 8) =>
      pairsToDecide({ low: scatter(low, deviation), high: scatter(high, deviation), pairs }, 0.1);
    expect(needed(0, 0, 0)).toBe(9);
    expect(needed(0.2, 0.2, 0)).toBe(9);
    expect(needed(0, 0.2, 0)).toBe(null);
    expect(needed(Math.log1p(0.1), Math.log1p(0.1), 0)).toBe(9);
    expect([0.2, 1].map((deviation) => needed(0, 0, deviation))).toEqual([20, 426]);
    expect(needed(0.2, 0.3, 0.2)).toBe(17);
    expect(needed(0, 0, 0, 499)).toBe(500);
    expect(needed(0, 0, 0, 700)).toBe(701);
  });
});
