import { expect, it } from 'vitest';
import type { SweepReport } from '../model/sweep.ts';
import { samplePoint, sampleSweep } from './sample-sweep.fixture.ts';
import { sweepHeatMaps } from './sweep-plot.ts';

const markupOf = (report: SweepReport): string => sweepHeatMaps(report)?.markup ?? '';

/** The heat map of the throughput, drawn for wide screens. */
const mapOf = (report: SweepReport): string => markupOf(report).split('</svg>')[0]!;

it('a heat map has a cell for each point, in its row and column, with its figure and its mark', () => {
  const map = mapOf(sampleSweep());
  const cells = [...map.matchAll(/<text class="cell"[^>]*>([^<]*)</g)].map(([, text]) => text);
  expect(cells).toEqual(['1.00 ◆', '4.00 ◆', '12.0 ✗', '0.90', '– !', expect.stringMatching(/^–/)]);
  expect(map).toContain(
    'prompt.tokens downwards, load.users across; the stronger the colour, the higher; one colour where values do not surely differ. ◆ is on the Pareto front, – has no figure.',
  );
  const places = [...map.matchAll(/<text class="cell" x="([\d.]+)" y="([\d.]+)"/g)].map(
    ([, x, y]) => [Number(x), Number(y)] as const,
  );
  const [columns, rows] = [places.map(([x]) => x), places.map(([, y]) => y)];
  expect(columns.slice(0, 3)).toEqual(columns.slice(3));
  expect(columns[1]! - columns[0]!).toBeCloseTo(columns[2]! - columns[1]!, 0);
  expect(columns[1]!).toBeGreaterThan(columns[0]!);
  expect(new Set(rows.slice(0, 3)).size).toBe(1);
  // A row is 34 pixels high.
  expect(rows[3]! - rows[0]!).toBeCloseTo(34, 0);
  expect(map).toContain('<title>prompt.tokens=100, load.users=16: broken</title>');
  // The label is at the middle of its cell, which two pixels part from the next one.
  const [, left, top, width, height] = /d="M([\d.]+) ([\d.]+)h([\d.]+)v(\d+)h-/
    .exec(map)!
    .map(Number);
  expect(width! + 2).toBeCloseTo(columns[1]! - columns[0]!, 0);
  expect(height).toBe(32);
  expect(columns[0]! - left!).toBeCloseTo((width! + 2) / 2, 0);
  expect(rows[0]! - top!).toBeCloseTo(17, 0);
});

it('a heat map of rates counts per second, and is drawn only for two variables of some values', () => {
  expect(mapOf(sampleSweep())).toContain('<span class="unit">per second</span>');
  const throughput = { name: 'completedRate', label: 'C', unit: 'x' };
  expect(mapOf(sampleSweep({ throughput }))).toContain('<span class="unit">x</span>');
  const [first, second] = sampleSweep().variables;
  for (const variables of [
    [first!],
    [first!, { ...second!, values: ['1'] }],
    [first!, second!, second!],
  ])
    expect(sweepHeatMaps(sampleSweep({ variables }))).toBeNull();
  expect(markupOf(sampleSweep())).toMatch(/^<div class="plots"><figure>/);
});

it('a figure that no point has is no map', () => {
  const latency = { name: 'gap.p99', label: 'Gap', unit: 'ms' };
  expect(markupOf(sampleSweep()).match(/<figure>/g)).toHaveLength(2);
  expect(markupOf(sampleSweep({ latency })).match(/<figure>/g)).toHaveLength(1);
  const whole = sampleSweep().points.filter(({ figures }) => 'completedRate' in figures);
  expect(mapOf(sampleSweep({ points: whole }))).toContain('◆ is on the Pareto front.');
});

it('two heat maps lie side by side unless they are wide, from eight columns on', () => {
  const mapsOf = (columns: number) => {
    const values = Array.from({ length: columns }, (_, i) => String(i));
    const maps = markupOf(
      sampleSweep({
        variables: [
          { path: 'p', values: ['a', 'b'], isLoad: false },
          { path: 'q', values, isLoad: false },
        ],
        points: ['a', 'b'].flatMap((row) =>
          values.map((each, i) => samplePoint([row, each], [1 + i, 100])),
        ),
        curves: [],
      }),
    );
    return [maps.startsWith('<div'), /viewBox="0 0 (\d+) (\d+)"/.exec(maps)?.slice(1)];
  };
  // 70 and 62 for each column, but at least 440; 54 and 34 for each row.
  expect(mapsOf(2)).toEqual([true, ['440', '122']]);
  expect(mapsOf(7)).toEqual([true, ['504', '122']]);
  expect(mapsOf(8)).toEqual([false, ['566', '122']]);
});

it('the colour of a figure is that of the mean of all that do not surely differ from the least of them', () => {
  const shadesOf = (latencies: readonly number[]): readonly number[] => {
    const across = latencies.length / 2;
    const [, map = ''] = markupOf(
      sampleSweep({
        variables: [
          { path: 'p', values: ['a', 'b'], isLoad: false },
          { path: 'q', values: Array.from({ length: across }, (_, i) => `${i}`), isLoad: false },
        ],
        points: latencies.map((latency, i) =>
          samplePoint([i < across ? 'a' : 'b', `${i % across}`], [10, latency]),
        ),
      }),
    ).split('<b>End to end p50</b>');
    const [wide = ''] = map.split('</svg>');
    return [...wide.matchAll(/fill-opacity="([\d.]+)"/g)].map(([, opacity]) => Number(opacity));
  };
  // Means 100, 205 and 400: 0.06 + 0.54 × 105 / 300 = 0.249.
  expect(shadesOf([100, 200, 210, 400])).toEqual([0.06, 0.25, 0.25, 0.6]);
  // A range of less than half of the least is drawn paler: 0.06 + 0.54 × 30 / 50 = 0.384.
  expect(shadesOf([130, 100, 100, 130])).toEqual([0.38, 0.06, 0.06, 0.38]);
  expect(shadesOf([0, 0, 0, 0])).toEqual([0.06, 0.06, 0.06, 0.06]);
});
