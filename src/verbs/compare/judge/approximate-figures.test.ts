// @gate 1 s
import { describe, expect, it } from 'vitest';
import { approximateSide } from '../../../judge/series/approximate-side.fixture.ts';
import type { Side } from '../../../judge/series/repetition.ts';
import { compareSides } from './compare-sides.ts';

const compared = (base: Side, next: Side, gates: readonly string[] | null = null) =>
  compareSides({
    base,
    next,
    gates,
    intended: [],
    allowed: [],
    weir: '0.1.0',
    comparedAt: '2026-07-01T10:20:30.000Z',
  });

const metricOf = (found: ReturnType<typeof compared>, name: string) => {
  if (!found.ok) throw new Error(found.refusals.map(({ message }) => message).join('; '));
  return found.comparison.metrics.find((metric) => metric.name === name)!;
};

const exact = approximateSide('a', { late: 0.5 });
const slower = { factor: 1.5 };

describe('runs whose figures are approximate', () => {
  const approximate = approximateSide('b', { late: 8, ...slower });

  it('are compared, and the comparison says that their generator adds noise', () => {
    const found = compared(exact, approximate);
    expect(approximate.repetitions.map(({ trust }) => trust.level)).toEqual(
      Array.from({ length: 5 }, () => 'degraded'),
    );
    expect(found).toMatchObject({
      ok: true,
      comparison: { cautions: [expect.stringContaining('5 of 10 runs')] },
    });
  });

  it.each(['endToEnd.p50', 'endToEnd.p95', 'endToEnd.p75', 'endToEnd.p98'])(
    'raise the minimum effect of %s by their error, so that it is no regression',
    (name) => {
      const [sharp, blurred] = [approximateSide('b', { late: 0.5, ...slower }), approximate].map(
        (next) => metricOf(compared(exact, next, [name]), name),
      );
      expect(sharp!.verdict).toBe('regression');
      // 8 ms of 30 ms and more, beside 5 ms of 20 ms and more.
      expect(blurred!.effect!.least - sharp!.effect!.least).toBeGreaterThan(0.2);
      expect(blurred!.verdict).toBe('inconclusive');
    },
  );
});

describe('runs whose figures are unknown', () => {
  it('are compared as long as their load was on time, and decide nothing', () => {
    const found = compared(exact, approximateSide('b', { late: 900, factor: 5 }));
    const { verdict, needed } = metricOf(found, 'endToEnd.p50');
    expect({ verdict, needed }).toEqual({ verdict: 'inconclusive', needed: null });
  });
});

describe('runs whose load was late', () => {
  it.each([0.5, 900])('are refused, whether or not their figures are exact: %s ms', (late) => {
    const found = compared(exact, approximateSide('b', { late, lag: 150, count: 1 }));
    expect(found).toMatchObject({
      ok: false,
      refusals: [{ what: 'validity', message: expect.stringContaining('b/1/result.json') }],
    });
  });
});
