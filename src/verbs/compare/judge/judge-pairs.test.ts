import { describe, expect, it } from 'vitest';
import { judgePairs, type PairedRequest, type RequestPair } from './judge-pairs.ts';
import { answered, pairsFacts, failedRequest } from './paired-facts.fixture.ts';

describe('what a side adds', () => {
  it('is stated without a limit', () => {
    expect(judgePairs(pairsFacts(5)).verdict).toBe('adds');
    expect(judgePairs(pairsFacts(-5)).verdict).toBe('saves');
    expect(judgePairs(pairsFacts(0)).verdict).toBe('no difference');
  });

  it('is undecided where the median surely falls and the tail rises', () => {
    const slower = (pair: RequestPair, i: number): RequestPair =>
      i % 4 === 0 ? { ...pair, next: answered(pair.next.times.ttft!.value + 200) } : pair;
    expect(judgePairs(pairsFacts(-1, { change: slower })).verdict).toBe('undecided');
  });

  it('keeps a limit, breaks it, or leaves it open', () => {
    const verdict = (most: number) => judgePairs(pairsFacts(5, {}, [{ q: 0.5, most }])).verdict;
    expect([verdict(6), verdict(4), verdict(5)]).toEqual(['within', 'worse', 'undecided']);
  });

  it('counts as no difference if this machine read the answers that late', () => {
    const { figures, verdict } = judgePairs(pairsFacts(2, { over: 4 }));
    expect(verdict).toBe('no difference');
    expect(figures[0]!.boundBy).toBe('this machine');
    expect(figures[0]!.error).toMatchObject({ base: 4, next: 4 });
  });

  it('has the median and the tail, both as differences and as shifts', () => {
    const [figure] = judgePairs(pairsFacts(8)).figures;
    for (const estimates of [figure!.differences, figure!.shifts])
      expect(estimates.map(({ q }) => q)).toEqual([0.5, 0.95, 0.99]);
  });

  it('has the share and rate of pairs to which at most some time is added', () => {
    const { kept } = judgePairs(pairsFacts(8)).figures[0]!;
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
    (i * 7) % 10 === 0 ? { ...pair, [side]: failedRequest } : pair;

  it('more often has a separate verdict, whatever its times are', () => {
    const limits = [{ q: 0.5, most: 100 }];
    const { verdict, failures } = judgePairs(pairsFacts(0, { change: everyTenth('next') }, limits));
    expect(verdict).toBe('fails more');
    expect(failures).toMatchObject({ nextOnly: 60, baseOnly: 0, both: 0 });
  });

  it('for one of 50 pairs keeps a limit, for two it does not', () => {
    const limits = [{ q: 0.5, most: 1000 }];
    const verdictWith = (failing: readonly number[]) => {
      const { pairs, ...others } = pairsFacts(0, {}, limits);
      const some = pairs
        .filter((_, i) => i % 12 === 0)
        .map((pair, i) => (failing.includes(i) ? { ...pair, next: failedRequest } : pair));
      expect(some).toHaveLength(50);
      return judgePairs({ ...others, pairs: some }).verdict;
    };
    expect([[], [7], [7, 30]].map(verdictWith)).toEqual(['within', 'within', 'undecided']);
  });

  it('for one pair of 600 keeps a limit', () => {
    const one = (pair: RequestPair, i: number) =>
      i === 77 ? { ...pair, next: failedRequest } : pair;
    const limits = [{ q: 0.5, most: 100 }];
    expect(judgePairs(pairsFacts(0, { change: one }, limits)).verdict).toBe('within');
    expect(judgePairs(pairsFacts(0, { change: one })).verdict).toBe('no difference');
  });

  it('at the base does not make the new side pass a limit of the tail', () => {
    const both = (pair: RequestPair, i: number) =>
      (i * 7) % 10 === 0 ? { ...pair, base: failedRequest, next: failedRequest } : pair;
    const limits = [{ q: 0.95, most: 100 }];
    expect(judgePairs(pairsFacts(0, { change: both }, limits)).verdict).toBe('undecided');
  });
});

describe('missing data', () => {
  it('never keeps a limit', () => {
    const limits = [{ q: 0.5, most: 1000 }];
    const { pairs, ...others } = pairsFacts(0, {}, limits);
    const few = judgePairs({ ...others, pairs: pairs.filter(({ second }) => second < 9) });
    expect(few.verdict).toBe('undecided');
    expect(judgePairs({ ...others, pairs: [] }).verdict).toBe('undecided');
    const unsent: PairedRequest = { outcome: 'dropped', status: 'unknown', times: {} };
    const most = pairs.map((pair, i) => (i % 10 < 7 ? { ...pair, next: unsent } : pair));
    expect(judgePairs({ ...others, pairs: most }).verdict).toBe('undecided');
  });
});
