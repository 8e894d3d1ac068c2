import { readFileSync } from 'node:fs';
import { createContext, Script } from 'node:vm';
import { expect, it } from 'vitest';
import type { Chart } from '../../report/html/charts/chart.ts';

/** The script of the page draws on a plot that only keeps what it gets. */

const file = new URL('../../report/html/page/charts.js', import.meta.url);

interface Plotted {
  readonly options: {
    readonly series: readonly { readonly label: string; readonly dash?: readonly number[] }[];
    readonly height: number;
  };
  readonly columns: readonly (readonly (number | null)[])[];
}

const drawn = (chart: Chart): Plotted => {
  const plots: Plotted[] = [];
  class Plot {
    static readonly paths = { stepped: () => 'stepped' };
    constructor(options: Plotted['options'], columns: Plotted['columns']) {
      plots.push({ options, columns });
    }
  }
  const element = () => ({ style: {} });
  const page = createContext({
    uPlot: Plot,
    document: { createElement: element, body: { appendChild: element } },
    getComputedStyle: () => ({ color: 'grey' }),
    chart,
    place: { clientWidth: 800 },
    data: { seconds: 600, warmUp: 0, scheduled: 600 },
  });
  new Script(`${readFileSync(file, 'utf8')}\ndraw(chart, data, place);`).runInContext(page);
  // Lists of another context have another prototype.
  return JSON.parse(JSON.stringify(plots[0])) as Plotted;
};

const chart = (changes: Partial<Chart>): Chart => ({
  id: 'ttft',
  title: 'TTFT',
  unit: 'ms',
  step: 5,
  drawn: 'joined',
  lines: [
    { label: 'p50', colour: 'p50', style: 'strong', values: [10, null, 30] },
    { label: 'p95', colour: 'p95', style: 'dashed', values: [11, 21, 31] },
  ],
  marks: [],
  ...changes,
});

it('a joined value stands in the middle of its seconds, at any width of them', () => {
  const { columns, options } = drawn(chart({}));
  expect(columns).toEqual([
    [2.5, 7.5, 12.5],
    [10, null, 30],
    [11, 21, 31],
  ]);
  expect(options.series.map(({ label, dash }) => [label, dash !== undefined])).toEqual([
    ['', false],
    ['p50', false],
    ['p95', true],
  ]);
  expect(drawn(chart({ step: 1 })).columns[0]).toEqual([0.5, 1.5, 2.5]);
});

it('a held value begins with its seconds, and the last one lasts until their end', () => {
  expect(drawn(chart({ drawn: 'held', step: 10 })).columns).toEqual([
    [0, 10, 20, 30],
    [10, null, 30, 30],
    [11, 21, 31, 31],
  ]);
});

it('each kind of marks has its own height above the plot', () => {
  const marks = ['limited', 'broken'].map((label) => ({
    label,
    colour: 'limited' as const,
    values: [1],
  }));
  expect(drawn(chart({ marks })).options.height - drawn(chart({})).options.height).toBe(12);
});
