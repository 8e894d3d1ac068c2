import { expect, it } from 'vitest';
import { emptyOutcomeCounts } from '../../../model/measures/outcome-counts.ts';
import { figureText } from '../../../report/text/number-text.ts';
import { judgePairs, type PairedRequest } from '../judge/judge-pairs.ts';
import type { PairedSide, PairsReport } from '../model/pairs.ts';
import { pairsDocument } from './pairs-document.ts';

const side: PairedSide = {
  target: 'http://h/v1',
  key: ['a'],
  trust: 'valid',
  outcomes: { ...emptyOutcomeCounts(), completed: 600 },
  inFlight: { mean: 1, most: 2 },
  cachedFirst: null,
  cachedSecond: null,
};

const answered = (value: number): PairedRequest => ({
  outcome: 'completed',
  status: 'completed',
  times: { ttft: { value, over: 0, under: 0, per: 1 } },
});

/** Ten pairs in each of 60 seconds, of which the new side takes 1 to 9 ms longer. */
const reportWith = (most: number): PairsReport => ({
  format: 'pairs/1',
  weir: '0.1.0',
  name: 'evening',
  comparedAt: '2026-07-01T10:20:30.000Z',
  seed: 1,
  gap: 10,
  seconds: 60,
  base: side,
  next: side,
  notes: [],
  ...judgePairs({
    pairs: Array.from({ length: 600 }, (_, i) => ({
      second: Math.floor(i / 10),
      nextFirst: i % 2 === 0,
      base: answered(100),
      next: answered(101 + 8 * ((i * 0.618034) % 1)),
    })),
    seconds: 60,
    reading: { beyond: () => 0, instants: Number.POSITIVE_INFINITY },
    limits: [{ q: 0.5, most }],
    mockError: 0,
  }),
});

it('shows the interval that decides, so that a limit within it is never called kept or broken', () => {
  const { low, outer } = reportWith(5).figures[0]!.differences[0]!;
  expect(outer.low!).toBeLessThan(low!);
  const between = (low! + outer.low!) / 2;
  const report = reportWith(between);
  expect(report.verdict).toBe('undecided');
  const { text } = pairsDocument(report).verdict!;
  expect(text).toContain('cannot tell');
  expect(text).toContain(`(+${figureText(outer.low!)} to +${figureText(outer.high!)})`);
});

it('names the measure of a limit, and says that nothing failed', () => {
  const document = pairsDocument(reportWith(20));
  expect(document.verdict?.text).toContain('at most +20.0 ms at the median of TTFT: kept');
  expect(JSON.stringify(document)).toContain('no other outcome');
});
