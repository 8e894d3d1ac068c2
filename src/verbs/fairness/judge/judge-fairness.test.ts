// @gate 1 s
import { describe, expect, it } from 'vitest';
import { samplePlan } from '../../../model/plan/sample-plan.fixture.ts';
import type { Result } from '../../../model/result/result.ts';
import type { SeenArrival, SeenRun } from '../model/seen-arrival.ts';
import { backAfterNoise } from './back.ts';
import { type FairnessTerms, judgeFairness } from './judge-fairness.ts';
import { percentileWithFailures } from '../../../judge/statistics/percentile-with-failures.ts';
import { blockFigures, meanInterval, movementOf } from './moved.ts';
import { refusalsOf } from './refusals.ts';
import { arrival, blocks, isLoud } from './sample-arrivals.fixture.ts';
import { sharesOf } from './shares.ts';

/** So many requests of b in each of 60 s, as `of` changes them; with noise, five a second of a. */
const runWith = (
  of: (due: number, index: number) => Partial<SeenArrival>,
  perSecond = 10,
): SeenRun => {
  const own = Array.from({ length: 60 * perSecond }, (_, index) => {
    const due = (1000 * index) / perSecond;
    return arrival(due, of(due, index));
  });
  const noise = Array.from({ length: 300 }, (_, index) => 200 * index)
    .filter(isLoud)
    .map((due) => arrival(due, { population: 'a', key: 'a', tokens: 9 }));
  return {
    blocks,
    arrivals: [...own, ...noise],
    quiet: 'b',
    noisy: 'a',
    q: 0.5,
    until: 60_000,
  };
};

const took = (time: number, least = time): Partial<SeenArrival> => ({ least, most: time });
const plan = samplePlan({
  limits: { requestsPerMinute: null, tokensPerMinute: null, limiter: null },
});
const declared = samplePlan({
  limits: { requestsPerMinute: 600, tokensPerMinute: 9000, limiter: null },
});
const without: Pick<Result, 'ledger' | 'plan'> = { ledger: [], plan };
const terms: FairnessTerms = {
  maxMoved: 0.1,
  settle: 2000,
  hasUsers: () => false,
  invalid: null,
};
const judge = (run: SeenRun, changes: Partial<FairnessTerms> = {}) =>
  judgeFairness(run, without, { ...terms, ...changes });

describe('a mean with its interval', () => {
  it('is that of Student for three values and more', () => {
    // t is 4.3027 for two degrees of freedom, and the deviation of 1, 2, 3 is 1.
    const { value, low, high } = meanInterval([1, 2, 3])!;
    expect([value, low, high]).toEqual([
      2,
      expect.closeTo(2 - 4.3027 / Math.sqrt(3), 3),
      expect.closeTo(2 + 4.3027 / Math.sqrt(3), 3),
    ]);
    expect(meanInterval([2, 2, 2])).toEqual({ value: 2, low: 2, high: 2 });
    expect(meanInterval([1, 2])).toBe(null);
  });

  it('a percentile counts failures as the slowest', () => {
    expect(percentileWithFailures([3, 1, 2, Infinity], 0.5)).toBe(2);
    expect(percentileWithFailures([3, 1, 2, Infinity], 0.75)).toBe(3);
    expect(percentileWithFailures([3, 1, 2, Infinity], 0.76)).toBe(Infinity);
    expect(percentileWithFailures([7], 0)).toBe(7);
    expect(percentileWithFailures([], 0.5)).toBe(Infinity);
  });
});

describe('a move', () => {
  it('is the geometric mean of the pairs’ rises', () => {
    const rises = [1.1, 1.2, 1.3];
    const run = runWith((due) =>
      isLoud(due) ? took(100 * rises[Math.floor(due / 20_000)]!) : took(100),
    );
    const { pairs, moved, failed } = movementOf(blockFigures(run));
    expect(pairs).toBe(3);
    expect(moved!.value).toBeCloseTo(Math.cbrt(1.1 * 1.2 * 1.3) - 1, 10);
    expect(moved!.low).toBeLessThan(0.1);
    expect(moved!.high).toBeGreaterThan(0.3);
    expect(failed).toMatchObject({ value: 0 });
    // None of 240: at most 1.96² of 240 and 1.96² more.
    expect(failed!.high).toBeCloseTo(1.96 ** 2 / (240 + 1.96 ** 2), 4);
  });

  it('has an interval for what the load generator may have added on either side', () => {
    const run = runWith((due) => (isLoud(due) ? took(150, 120) : took(100, 80)));
    const { moved } = movementOf(blockFigures(run));
    // From 100 to 120 at least, from 80 to 150 at most.
    expect(moved!.value).toBeCloseTo(0.5, 10);
    expect(moved!.low).toBeCloseTo(0.2, 10);
    expect(moved!.high).toBeCloseTo(150 / 80 - 1, 10);
  });

  it('counts what is due while it is measured, and needs enough of it', () => {
    const slowAtFirst = runWith((due) => (isLoud(due) && due % 10_000 < 2000 ? took(999) : {}));
    expect(movementOf(blockFigures(slowAtFirst)).moved).toEqual({ value: 0, low: 0, high: 0 });
    const figures = blockFigures({ ...slowAtFirst, q: 0.987 });
    expect(figures.map(({ arrivals, isEnough }) => [arrivals.length, isEnough])).toEqual(
      Array.from({ length: 6 }, () => [80, true]),
    );
    // Eight seconds with 20, and with 10: as many as the percentile needs.
    for (const [perSecond, q] of [
      [2.5, 0.95],
      [1.25, 0.9],
    ] as const)
      expect(blockFigures({ ...runWith(() => ({}), perSecond), q })[0]).toMatchObject({
        isEnough: true,
      });
    const few = blockFigures({ ...slowAtFirst, q: 0.99 });
    expect(few.every(({ isEnough }) => !isEnough)).toBe(true);
    expect(movementOf(few)).toMatchObject({ pairs: 0, moved: null, failed: { value: 0 } });
    expect(blockFigures({ ...slowAtFirst, until: 59_999 })).toHaveLength(5);
    const untimed = blockFigures(runWith(() => ({ isTimed: false })));
    expect(untimed.every(({ isEnough, arrivals }) => !isEnough && arrivals.length === 80)).toBe(
      true,
    );
  });

  it('has no bound where half of the requests with noise fail, and counts them', () => {
    const lost = { ...took(Infinity), isCompleted: false };
    const run = runWith((due, index) => (isLoud(due) && index % 10 < 6 ? lost : {}));
    const { moved, failed } = movementOf(blockFigures(run));
    expect(moved).toMatchObject({ value: expect.closeTo(99), high: null });
    expect(failed!.value).toBeCloseTo(0.6, 10);
    // Three pairs leave two degrees of freedom: 4.3 deviations of about 3 %, not two.
    expect(failed!.low).toBeLessThan(0.5);
    expect(failed!.low).toBeGreaterThan(0.35);
    // Where the same fail without noise, nothing is known of a rise.
    const down = runWith((_, index) => (index % 10 < 6 ? lost : {}));
    expect(movementOf(blockFigures(down)).moved).toBeNull();
    expect(movementOf([])).toEqual({ pairs: 0, rises: null, moved: null, failed: null });
  });
});

describe('a verdict', () => {
  const slower = (share: number) => runWith((due) => (isLoud(due) ? took(50 * (1 + share)) : {}));

  it('is a move if the whole interval is above what is allowed', () => {
    expect(judge(slower(0.101))).toMatchObject({ verdict: 'moved', reasons: [] });
    expect(judge(slower(0.101), { maxMoved: 0.102 }).reasons.join()).not.toContain('the move');
  });

  it('is isolated only if enough requests exclude failures, too', () => {
    const { verdict, reasons } = judge(slower(0));
    expect(verdict).toBe('unknown');
    expect(reasons).toEqual([expect.stringContaining('the requests are too few to exclude')]);
    const many = judge(runWith(() => ({}), 200));
    expect(many).toMatchObject({ verdict: 'isolated', reasons: [] });
    expect(
      judge(
        runWith(() => ({}), 200),
        { maxMoved: 0 },
      ).verdict,
    ).toBe('isolated');
    expect(many.noiseBy).toEqual({ alone: 0, noisy: 5 });
    expect(many.blocks[1]).toEqual({
      ...blocks[1],
      arrivals: 1600,
      value: 50,
      failed: 0,
      noise: 5,
    });
  });

  it('is no move if one block fails, with the noise or without', () => {
    for (const place of [0, 1, 3]) {
      const isDown = (due: number): boolean => Math.floor(due / 10_000) === place;
      const down = { least: Infinity, most: Infinity, isCompleted: false };
      expect(judge(runWith((due) => (isDown(due) ? down : {}), 200)).verdict).toBe('unknown');
    }
  });

  it('is not isolated if what begins with the noise is only left out', () => {
    const begins = (due: number): boolean => isLoud(due) && due % 10_000 < 1900;
    const slow = judge(runWith((due) => (begins(due) ? took(500) : {}), 200));
    const failing = judge(runWith((due) => ({ isCompleted: !begins(due) }), 200));
    for (const { verdict, reasons } of [slow, failing]) {
      expect(verdict).toBe('unknown');
      expect(reasons).toEqual([
        expect.stringContaining('in the first 2 s of the noise, which --settle leaves out'),
      ]);
    }
  });

  it('asks for a lower percentile of a beginning that is too short for that of the figure', () => {
    const slow = runWith((due) => (isLoud(due) && due % 10_000 < 1900 ? took(500) : {}), 5);
    expect(judge({ ...slow, q: 0.95 }).reasons.join()).toContain(
      'which --settle leaves out, it was surely moved (by its p90, since that time is too short for the figure)',
    );
  });

  it('names the failures where a percentile has no value', () => {
    const lost = { ...took(Infinity), isCompleted: false };
    const isDown = (due: number): boolean => due < 20_000;
    const some = judge(runWith((due) => (isDown(due) || isLoud(due) ? lost : {}), 200));
    expect(some.reasons.join()).toMatch(/have the figure on both sides/);
    const noise = judge(runWith((due, i) => (due > 50_000 && i % 10 < 6 ? lost : {}), 200));
    expect(noise.verdict).toBe('unknown');
    expect(noise.reasons.join()).toContain('so many failed that its percentile has no value');
  });

  it('is unknown with each reason for it', () => {
    expect(judge(slower(9), { invalid: 'the load was late' })).toMatchObject({
      verdict: 'unknown',
      reasons: ['the load was late'],
    });
    const silent = slower(9);
    const own = silent.arrivals.filter(({ population }) => population === 'b');
    expect(judge({ ...silent, arrivals: own }).reasons).toEqual([
      'the noisy population sent nothing more in the blocks with noise',
    ]);
    expect(judge({ ...slower(9), until: 39_999 }).reasons).toEqual([
      expect.stringMatching(/^1 pairs of blocks have the figure on both sides, and 3 are needed/),
    ]);
  });
});

describe('shares', () => {
  it('are what each got of its max–min share in the blocks with noise', () => {
    // b asks for ten a second, and half of it completes; a gets all of its five.
    const run = runWith((due, index) => ({ isCompleted: !isLoud(due) || index % 2 === 0 }));
    const { rows, isContended } = sharesOf(run, () => false);
    expect(isContended).toBe(true);
    const rowOf = (who: string, unit: string) =>
      rows.find((row) => row.name === who && row.unit === unit)!;
    expect(rowOf('b', 'requests')).toMatchObject({ asked: 10, fair: 5 });
    expect(rowOf('b', 'requests').got).toBeCloseTo(5, 0);
    expect(rowOf('b', 'requests').share).toBeCloseTo(0.5, 1);
    expect(rowOf('a', 'requests')).toMatchObject({ asked: 5 });
    expect(rowOf('a', 'tokens').got).toBeCloseTo(45, -1);
    expect(rowOf('b', 'tokens').got).toBeCloseTo(15, 0);
    const users = sharesOf(run, (name) => name === 'a').rows;
    expect(users.find(({ name }) => name === 'a')!.asked).toBe(null);
    const calm = sharesOf(run, (name) => name === 'b').rows.find(({ name }) => name === 'b')!;
    expect(calm.asked).toBeCloseTo(10, 0);
  });

  it('are those of each key where a population has several, and nothing where nothing completed', () => {
    const keys = runWith((_, index) => ({ key: index % 2 === 0 ? 'one' : 'two' }));
    const { rows, isContended } = sharesOf(keys, () => false);
    expect(rows.map(({ name }) => name)).toEqual([
      'b, key one',
      'b, key two',
      'a',
      'b, key one',
      'b, key two',
      'a',
    ]);
    expect(isContended).toBe(false);
    const none = runWith(() => ({}));
    const failed = none.arrivals.map((each) => ({ ...each, isCompleted: false }));
    expect(sharesOf({ ...none, arrivals: failed }, () => false)).toEqual({
      rows: [],
      isContended: false,
    });
  });
});

describe('429s of the quiet population', () => {
  const limitedIf = (is: (due: number) => boolean) =>
    runWith((due) => ({ limited: is(due) && due % 5000 === 0 ? 1 : 0 }));
  const loud = limitedIf(isLoud);

  it('come from the noise if they come only with it, and its own limit is declared', () => {
    expect(refusalsOf(loud, { ledger: [], plan: declared })).toEqual({
      cause: 'noise',
      // Two in each of three blocks with noise; what is due before the measuring counts with them.
      noisy: 6,
      ofNoisy: 600 - 240,
      alone: 0,
      ofAlone: 240,
      explained: 0,
      limits: ['600 requests a minute', '9000 tokens a minute'],
    });
    expect(refusalsOf(loud, without)).toMatchObject({ cause: 'undeclared', limits: [] });
    const later = loud.blocks.map((block, place) =>
      place === 0 ? { ...block, begins: 500 } : block,
    );
    expect(refusalsOf({ ...loud, blocks: later }, without).ofNoisy).toBe(600 - 240 - 5);
  });

  it('have other causes, too', () => {
    expect(
      refusalsOf(
        limitedIf(() => false),
        without,
      ).cause,
    ).toBe('none');
    expect(
      refusalsOf(
        limitedIf(() => true),
        without,
      ),
    ).toMatchObject({ cause: 'alone', alone: 3 });
    const same = loud.arrivals.map((each) => ({ ...each, key: 'b' }));
    expect(refusalsOf({ ...loud, arrivals: same }, without).cause).toBe('shared');
    const cut = [{ key: 'b', left: 1, rows: [] }] as unknown as Result['ledger'];
    expect(refusalsOf(loud, { ledger: cut, plan }).cause).toBe('unknown');
    const others = [{ key: 'a', left: 1, rows: [] }] as unknown as Result['ledger'];
    expect(refusalsOf(loud, { ledger: others, plan }).cause).toBe('undeclared');
  });
});

describe('the quiet population is back', () => {
  const runOf = (of: (due: number) => Partial<SeenArrival>, perSecond = 40): SeenRun => ({
    ...runWith(of, perSecond),
    q: 0.95,
  });
  /** Slow with the noise, and for so long after it. */
  const slowFor = (time: number) =>
    runOf((due) => (isLoud(due) || (due > 10_000 && due % 20_000 < time) ? took(500) : {}));

  it.each([
    [0, 0],
    [900, 1000],
    [3200, 3500],
  ])('when it is slow for %d ms: after %d ms', (time, after) => {
    expect(backAfterNoise(slowFor(time))).toEqual({
      wasAway: true,
      after,
      resolution: 500,
      seen: 10_000,
      ends: 2,
    });
  });

  it('or never away, or not seen, by parts that have twenty requests', () => {
    expect(backAfterNoise(runOf(() => ({})))).toMatchObject({ wasAway: false, after: 0 });
    expect(backAfterNoise({ ...slowFor(0), until: 19_000 })).toBe(null);
    // 20 requests come after two ends in 10 s at one a second, which is more than half of what is seen.
    expect(backAfterNoise(runOf(() => ({}), 1))).toBe(null);
    expect(backAfterNoise(runOf(() => ({}), 4))!.resolution).toBe(5000);
    expect(backAfterNoise(runOf(() => ({}), 5))!.resolution).toBe(2000);
  });
});
