// @gate 1 s
import { describe, expect, it } from 'vitest';
import {
  seenDecisions,
  trueLimiters,
} from '../../../../judge/limits/facts/true-limiters.fixture.ts';
import { replayEvidence } from '../../../../judge/limits/limiter/replay-class.ts';
import type { Fitted, LimiterFit } from '../../../../model/limits/limiter-fit.ts';
import { milliseconds } from '../../../../model/quantity.ts';
import { fitCounters } from './fit-counters.ts';
import { fitOtherLimits } from './fit-limits.ts';

/** What is fitted to decisions of limiters that have another limit than 6 in 3 s. */

const declared = { limit: 6, window: milliseconds(3000) };

/** A burst from idle, then a load above the limit, of so many requests. */
const moments = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => (i < 14 ? i * 5 : 7000 + i * 190));

const evidenceOf = (
  name: string,
  { limit, window }: { readonly limit: number; readonly window: number },
  count: number,
) => {
  const limiter = trueLimiters[name]!({ limit, window, tolerance: 0, draws: [0.3, 0.4, 0.5] });
  const requests = moments(count).map((sent) => ({ sent, there: 2, back: 2 }));
  return replayEvidence(seenDecisions(limiter, requests), {
    ...declared,
    clock: null,
    besides: [[]],
  });
};

const rangeText = ({ value, least, most }: Fitted): string =>
  [value, least, most].map((each) => Number(each.toFixed(1))).join(' ');

const fitText = ({ limiter, limit, window, wrong }: LimiterFit): string =>
  `${limiter}: ${rangeText(limit)} in ${rangeText(window)}, ${wrong} wrong`;

describe('another limit that is fitted', () => {
  it.each([
    ['a log', { limit: 8, window: 3000 }, 60, 'fixed-from-first'],
    ['windows from the first request', { limit: 5, window: 3000 }, 50, 'fixed-from-first'],
    ['windows on a grid', { limit: 6, window: 3600 }, 50, 'fixed-any-phase'],
    ['a full bucket', { limit: 8, window: 3000 }, 50, 'token-bucket'],
  ] as const)('explains the decisions of %s of %j, asked %i times', (name, rule, count, named) => {
    const evidence = evidenceOf(name, rule, count);
    const fits = fitOtherLimits(evidence, 12);
    expect(fits.map(fitText)).toMatchSnapshot('fits');
    expect(fits[0]?.limiter).toBe(named);
  });

  it('is fitted to a sample of many decisions first, and then to all', () => {
    const evidence = evidenceOf('windows from the first request', { limit: 5, window: 3000 }, 420);
    expect(fitOtherLimits(evidence, 6).map(fitText)).toMatchSnapshot();
  });
});

describe('a weighted counter of another limit', () => {
  it.each([
    ['a weighted counter that floors', { limit: 8, window: 3000 }],
    ['a weighted counter that adds first', { limit: 5, window: 3000 }],
    ['a weighted counter that rounds', { limit: 6, window: 4000 }],
  ] as const)('explains the decisions of %s of %j', (name, rule) => {
    const evidence = evidenceOf(name, rule, 60);
    expect(fitCounters(evidence, 9).map(fitText)).toMatchSnapshot('fits');
    expect(fitCounters(evidence, -1)).toEqual([]);
  });
});
