// @gate 1 s
import { describe, expect, it } from 'vitest';
import { judgePairs, type RequestPair } from './judge-pairs.ts';
import type { PairedFigure } from '../model/pairs.ts';
import { pairsFacts, failedRequest } from './paired-facts.fixture.ts';

describe('what a side adds', () => {
  it('is undecided, not none, where it is likely but not sure', () => {
    const found = Array.from({ length: 24 }, (_, i) => {
      const { figures, verdict } = judgePairs(pairsFacts(i / 24));
      const [{ differences, shifts }] = figures as [PairedFigure];
      const judged = [differences[0]!, shifts[1]!];
      const isLikely = judged.some(({ low }) => (low ?? 0) > 0);
      const isSure = judged.some(({ outer }) => (outer.low ?? 0) > 0);
      expect(verdict).toBe(isSure ? 'adds' : isLikely ? 'undecided' : 'no difference');
      return verdict;
    });
    expect(new Set(found)).toEqual(new Set(['no difference', 'undecided', 'adds']));
  });
});

describe('a side that fails', () => {
  it.each([3, 6, 12])('for %i of 30 s in one outage passes for nothing', (length) => {
    const outage = (pair: RequestPair) =>
      pair.second >= 10 && pair.second < 10 + length ? { ...pair, next: failedRequest } : pair;
    for (const limits of [[], [{ q: 0.5, most: 1000 }]])
      expect(['undecided', 'fails more']).toContain(
        judgePairs(pairsFacts(0, { change: outage }, limits)).verdict,
      );
  });
});
