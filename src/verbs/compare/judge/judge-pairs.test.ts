// @gate 1 s
import { describe, expect, it } from 'vitest';
import {
  judgePairs,
  type PairedRequest,
  type PairsFacts,
  type RequestPair,
} from './judge-pairs.ts';
import type { PairedFigure } from '../model/pairs.ts';
import { fixed, pairsOf } from './paired-streams.fixture.ts';

const answered = (value: number, over = 0): PairedRequest => ({
  outcome: 'completed',
  status: 'completed',
  times: { ttft: { value, over, under: 0, per: 1 } },
});
const failed: PairedRequest = { outcome: 'refused', status: 'failed', times: {} };

const reading = { beyond: () => 0, instants: Number.POSITIVE_INFINITY };

const unchanged: (pair: RequestPair, i: number) => RequestPair = (pair) => pair;

const facts = (
  added: number,
  { over = 0, change = unchanged } = {},
  limits: PairsFacts['limits'] = [],
): PairsFacts => ({
  pairs: pairsOf(3, { perSecond: 20, seconds: 30, added: fixed(added), noise: 1 }).map((pair, i) =>
    change(
      {
        second: pair.second,
        nextFirst: i % 2 === 0,
        base: answered(pair.base!, over),
        next: answered(pair.next!, over),
      },
      i,
    ),
  ),
  seconds: 30,
  reading,
  limits,
  mockError: 0,
});

describe('what a side adds', () => {
  it('is stated without a limit', () => {
    expect(judgePairs(facts(5)).verdict).toBe('adds');
    expect(judgePairs(facts(-5)).verdict).toBe('saves');
    expect(judgePairs(facts(0)).verdict).toBe('no difference');
  });

  it('is undecided, not none, where it is likely but not sure', () => {
    const found = Array.from({ length: 24 }, (_, i) => {
      const { figures, verdict } = judgePairs(facts(i / 24));
      const [{ differences, shifts }] = figures as [PairedFigure];
      const judged = [differences[0]!, shifts[1]!];
      const isLikely = judged.some(({ low }) => (low ?? 0) > 0);
      const isSure = judged.some(({ outer }) => (outer.low ?? 0) > 0);
      expect(verdict).toBe(isSure ? 'adds' : isLikely ? 'undecided' : 'no difference');
      return verdict;
    });
    expect(new Set(found)).toEqual(new Set(['no difference', 'undecided', 'adds']));
  });

  it('is undecided where the median surely falls and the tail rises', () => {
    const slower = (pair: RequestPair, i: number): RequestPair =>
      i % 4 === 0 ? { ...pair, next: answered(pair.next.times.ttft!.value + 200) } : pair;
    expect(judgePairs(facts(-1, { change: slower })).verdict).toBe('undecided');
  });

  it('keeps a limit, breaks it, or leaves it open', () => {
    const verdict = (most: number) => judgePairs(facts(5, {}, [{ q: 0.5, most }])).verdict;
    expect([verdict(6), verdict(4), verdict(5)]).toEqual(['within', 'worse', 'undecided']);
  });

  it('is not told apart from nothing by a machine that read as late', () => {
    const { figures, verdict } = judgePairs(facts(2, { over: 4 }));
    expect(verdict).toBe('no difference');
    expect(figures[0]!.boundBy).toBe('this machine');
    expect(figures[0]!.error).toMatchObject({ base: 4, next: 4 });
  });

  it('has the share and rate of pairs to which at most some time is added', () => {
    const { kept } = judgePairs(facts(8)).figures[0]!;
    const shares = kept.map(({ within, share }) => [within, Math.round(share.value ?? -1)]);
    expect(shares).toEqual([
      [1, 0],
      [5, 0],
      [10, 1],
      [50, 1],
      [100, 1],
    ]);
    expect(kept.at(-1)?.perSecond).toBeCloseTo(20, 9);
  });
});

describe('a side that fails', () => {
  const everyTenth = (side: 'base' | 'next') => (pair: RequestPair, i: number) =>
    (i * 7) % 10 === 0 ? { ...pair, [side]: failed } : pair;

  it('more often has a verdict of its own, whatever its times are', () => {
    const limits = [{ q: 0.5, most: 100 }];
    const { verdict, failures } = judgePairs(facts(0, { change: everyTenth('next') }, limits));
    expect(verdict).toBe('fails more');
    expect(failures).toMatchObject({ nextOnly: 60, baseOnly: 0, both: 0 });
  });

  it.each([3, 6, 12])('for %i of 30 s in one outage passes for nothing', (length) => {
    const outage = (pair: RequestPair) =>
      pair.second >= 10 && pair.second < 10 + length ? { ...pair, next: failed } : pair;
    for (const limits of [[], [{ q: 0.5, most: 1000 }]])
      expect(['undecided', 'fails more']).toContain(
        judgePairs(facts(0, { change: outage }, limits)).verdict,
      );
  });

  it('for one of 50 pairs keeps a limit, for two it does not', () => {
    const limits = [{ q: 0.5, most: 1000 }];
    const verdictWith = (failing: readonly number[]) => {
      const { pairs, ...others } = facts(0, {}, limits);
      const some = pairs
        .filter((_, i) => i % 12 === 0)
        .map((pair, i) => (failing.includes(i) ? { ...pair, next: failed } : pair));
      expect(some).toHaveLength(50);
      return judgePairs({ ...others, pairs: some }).verdict;
    };
    expect([[], [7], [7, 30]].map(verdictWith)).toEqual(['within', 'within', 'undecided']);
  });

  it('for one pair of 600 keeps a limit', () => {
    const one = (pair: RequestPair, i: number) => (i === 77 ? { ...pair, next: failed } : pair);
    const limits = [{ q: 0.5, most: 100 }];
    expect(judgePairs(facts(0, { change: one }, limits)).verdict).toBe('within');
    expect(judgePairs(facts(0, { change: one })).verdict).toBe('no difference');
  });

  it('at the base does not make the new side pass a limit of the tail', () => {
    const both = (pair: RequestPair, i: number) =>
      (i * 7) % 10 === 0 ? { ...pair, base: failed, next: failed } : pair;
    const limits = [{ q: 0.95, most: 100 }];
    expect(judgePairs(facts(0, { change: both }, limits)).verdict).toBe('undecided');
  });
});

describe('missing data', () => {
  it('never keeps a limit', () => {
    const limits = [{ q: 0.5, most: 1000 }];
    const { pairs, ...others } = facts(0, {}, limits);
    const few = judgePairs({ ...others, pairs: pairs.filter(({ second }) => second < 9) });
    expect(few.verdict).toBe('undecided');
    expect(judgePairs({ ...others, pairs: [] }).verdict).toBe('undecided');
    const unsent: PairedRequest = { outcome: 'dropped', status: 'unknown', times: {} };
    const most = pairs.map((pair, i) => (i % 10 < 7 ? { ...pair, next: unsent } : pair));
    expect(judgePairs({ ...others, pairs: most }).verdict).toBe('undecided');
  });
});
