// @gate 1 s
import { expect, it } from 'vitest';
import { judgeFairness } from '../../verbs/fairness/judge/judge-fairness.ts';
import { maxMinShares } from '../../verbs/fairness/judge/shares.ts';
import type { SeenRun } from '../../verbs/fairness/model/seen-arrival.ts';
import { examineVirtual, neighboursPlan } from './shared-server.fixture.ts';

/** Eight workers of 100 ms: 80 requests a second. */
const server = { workers: 8, mean: 100 } as const;
const steady = { b: { rate: 20 }, a: { users: 24 } } as const;
const greedy = { b: { users: 6 }, a: { users: 24 } } as const;

const short = { pairs: 3, block: 8000, settle: 2000 };

const requestsOf = ({ shares }: Awaited<ReturnType<typeof examineVirtual>>, who: string) =>
  shares.find(({ name, unit }) => name === who && unit === 'requests')!;

it('sees that a shared queue isolates nobody, and lets the noise take a share', async () => {
  const found = await examineVirtual(
    { ...server, policy: 'shared' },
    neighboursPlan(greedy, 1),
    short,
  );
  expect(found.verdict).toBe('moved');
  expect(found.moved!.low).toBeGreaterThan(1);
  expect(found.isContended).toBe(true);
  // First come, first served: 6 of 30 users, a fifth; max–min a half.
  const { share, kept } = requestsOf(found, 'b');
  expect(share).toBeCloseTo(0.2, 1);
  expect(kept!.high).toBeLessThan(0.5);
});

it('finds that separate queues isolate keys', async () => {
  const found = await examineVirtual({ ...server, policy: 'per-key' }, neighboursPlan(steady, 1), {
    ...short,
    maxMoved: 0.3,
  });
  expect(found).toMatchObject({ verdict: 'isolated', reasons: [], back: { wasAway: false } });
  expect(found.moved!.low).toBeLessThan(0);
  expect(found.moved!.high).toBeGreaterThan(0);
});

it('sees that weighted fair shares keep a share, and not the time', async () => {
  const weighted = { ...server, policy: 'weighted' } as const;
  const found = await examineVirtual(weighted, neighboursPlan(steady, 1), short);
  expect(found.verdict).toBe('moved');
  const { kept } = requestsOf(found, 'b');
  expect(kept!.low).toBeLessThan(1);
  expect(kept!.high).toBeGreaterThan(1);
  expect(kept!.low).toBeGreaterThan(0.85);
});

/** Fifty requests a second of b, of which those due in `slow` ms after the end of a noise take ten times as long. */
const seenRun = (slow: number): SeenRun => {
  const blocks = Array.from({ length: 6 }, (_, place) => {
    const begins = 20_000 * place;
    const isNoisy = place % 2 === 1;
    return {
      pair: Math.floor(place / 2),
      isNoisy,
      begins,
      from: begins + 5000,
      to: begins + 20_000,
    };
  });
  const arrivals = Array.from({ length: 6000 }, (_, index) => {
    const due = 20 * index;
    const since = due % 40_000;
    const isSlow = since >= 20_000 || (due >= 40_000 && since < slow);
    const most = (isSlow ? 500 : 50) + (index % 17);
    const times = { due, ended: due + most, least: most, most, isTimed: true };
    const counts = { isCompleted: true, limited: 0, tokens: 1, sent: 1, cost: null };
    return [
      { population: 'b', key: 'b', ...times, ...counts },
      ...(since >= 20_000 ? [{ population: 'a', key: 'a', ...times, ...counts }] : []),
    ];
  }).flat();
  return { blocks, arrivals, quiet: 'b', noisy: 'a', q: 0.95, until: 120_000 };
};

const judged = (slow: number, maxMoved: number, run = seenRun(slow)) =>
  judgeFairness(
    run,
    { ledger: [], plan: neighboursPlan(steady, 1) },
    { maxMoved, settle: 5000, hasUsers: () => false, invalid: null },
  );

it('says when a quiet population recovers, and gives no verdict if that is after the measuring began', () => {
  expect(judged(3000, 0.1)).toMatchObject({
    verdict: 'moved',
    back: { wasAway: true, after: 3000, resolution: 500, seen: 20_000, ends: 2 },
  });
  const late = judged(7000, 100);
  expect(late).toMatchObject({ verdict: 'unknown', back: { after: 7000 } });
  expect(late.reasons.join()).toContain('give a longer --settle');
  expect(judged(3000, 100).verdict).toBe('isolated');
});

it('gives no verdict without blocks, without noise or with an invalid load', () => {
  const run = seenRun(0);
  expect(judged(0, 100, { ...run, until: 70_000 }).verdict).toBe('unknown');
  const silent = run.arrivals.filter(({ population }) => population === 'b');
  expect(judged(0, 100, { ...run, arrivals: silent }).verdict).toBe('unknown');
  expect(judged(0, 0.1, { ...run, until: 0 })).toMatchObject({ moved: null, blocks: [] });
});

it('counts failures as infinitely slow, and calls their rise a move', () => {
  const run = seenRun(0);
  const failing = run.arrivals.map((each, index) =>
    each.population === 'b' && each.most > 400 && index % 10 === 0
      ? { ...each, isCompleted: false, least: Infinity, most: Infinity }
      : each,
  );
  const found = judged(0, 100, { ...run, arrivals: failing });
  expect(found.verdict).toBe('moved');
  expect(found.moved!.high).toBe(null);
  expect(found.failed!.low).toBeGreaterThan(0.02);
});

it('divides what there is max–min', () => {
  expect(maxMinShares([2, 10, Infinity], 12)).toEqual([2, 5, 5]);
  expect(maxMinShares([2, 3], 12)).toEqual([2, 3]);
  expect(maxMinShares([Infinity, 1], 0)).toEqual([0, 0]);
});
