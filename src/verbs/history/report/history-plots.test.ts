import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Trend } from '../model/trend.ts';
import { paretoFront, paretoPlots, trendChart } from './history-plots.ts';
import { sampleTrend } from './sample-history.fixture.ts';

const point = fc.record({
  throughput: fc.integer({ min: 1, max: 20 }),
  latency: fc.integer({ min: 1, max: 20 }),
});
type Point = Readonly<Record<'throughput' | 'latency', number>>;

const beats = (a: Point, b: Point): boolean =>
  a.throughput >= b.throughput &&
  a.latency <= b.latency &&
  (a.throughput > b.throughput || a.latency < b.latency);

/** Runs with a throughput of output tokens and a latency that grows with it. */
const trendOf = (throughputs: readonly number[]): Trend => {
  const whole = sampleTrend();
  const figure = { ...whole.runs[0]!.figures[1]! };
  return {
    ...whole,
    runs: throughputs.map((value, i) => ({
      ...whole.runs[i]!,
      figures: [
        { ...figure, value: 100 + 10 * value },
        { ...figure, id: 'outputTokens', label: 'Output tokens', unit: '/s', value },
      ],
    })),
  };
};

describe('the Pareto front', () => {
  it('is every run that none beats, and one of equals', () => {
    fc.assert(
      fc.property(fc.array(point, { minLength: 1 }), (points) => {
        const front = paretoFront(points);
        const unbeaten = points.filter((each) => !points.some((other) => beats(other, each)));
        const keyOf = (each: Point): string => `${each.throughput} ${each.latency}`;
        expect(new Set(front.map(keyOf))).toEqual(new Set(unbeaten.map(keyOf)));
        expect(front).toHaveLength(new Set(front.map(keyOf)).size);
        expect(front).toEqual(front.toSorted((a, b) => a.throughput - b.throughput));
      }),
    );
  });

  it('is drawn through the runs, and named', () => {
    const [plot, ...more] = paretoPlots([trendOf([10, 20, 30])]);
    expect(more).toEqual([]);
    expect(plot!.markup).toContain('chat-stream TTFT p95 against throughput');
    expect(plot!.markup).toContain('3 runs of all plans; no run beats runs 1, 2 and 3 at both.');
    expect(plot!.markup.match(/<circle/g)).toHaveLength(3);
    expect(plot!.markup).not.toMatch(/NaN|Infinity/);
  });

  it('is not drawn where the throughputs hardly differ, or there is one run', () => {
    expect(paretoPlots([trendOf([10, 10.1, 10.2])])).toEqual([]);
    expect(paretoPlots([trendOf([10])])).toEqual([]);
    expect(paretoPlots([])).toEqual([]);
  });
});

describe('the chart of a trend', () => {
  /** Returns where the dots of two runs with these values are, in pixels from the top: the axis goes from 12 to 136. */
  const heightsOf = (...values: readonly [number, number]): readonly string[] => {
    const { runs, figures } = sampleTrend();
    const points = values.map((value, i) => ({ run: i + 1, value }));
    const { markup } = trendChart({ ...figures[1]!, points }, runs.slice(0, 2));
    return [...markup.matchAll(/cy="([^"]*)"/g)].map(([, y]) => y!);
  };

  it.each<readonly [string, readonly [number, number], readonly string[]]>([
    // From 88 to 212, which is one pixel for each unit.
    ['12 % of the span', [100, 200], ['124.0', '24.0']],
    // From 0 instead of -0.8, to 110.8.
    ['no value below 0', [10, 100], ['124.8', '24.1']],
    // From 38 to 42: 5 % of 40 would be 2.
    ['5 % of the largest value', [40, 40], ['74.0', '74.0']],
    ['a ten-thousandth', [0, 0], ['136.0', '136.0']],
  ])('has a margin above and below the values: %s', (_, values, heights) => {
    expect(heightsOf(...values)).toEqual(heights);
  });
});
