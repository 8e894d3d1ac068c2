import { expect, it } from 'vitest';
import { samplePoint, sampleSweep } from './sample-sweep.fixture.ts';
import { sweepPlot } from './sweep-plot.ts';

/** The plot of a curve of these points of throughput and latency. */
const plotOf = (...points: readonly (readonly [number, number])[]): string =>
  sweepPlot(
    sampleSweep({
      variables: [{ path: 'load.users', values: points.map((_, i) => `${i}`), isLoad: true }],
      points: points.map((point, i) => samplePoint([`${i}`], point)),
      curves: [{ name: 'a curve', points: points.map((_, i) => i), fit: null }],
    }),
  )!.markup;

const labelIn = (plot: string): string | undefined => /<text [^>]*>a curve</.exec(plot)?.[0];

it('a curve has its name at its last point, away from the edge of the plot', () => {
  expect(labelIn(plotOf([1, 100], [10, 400]))).toMatch(/ dx="-8" dy="-7" text-anchor="end">/);
  expect(labelIn(plotOf([10, 400], [0.1, 100]))).toMatch(/ dx="8" dy="-7" text-anchor="start">/);
});

it('a sweep is plotted with a dot for each point', () => {
  expect(plotOf([1, 100], [10, 400])).toMatchSnapshot();
  expect(sweepPlot(sampleSweep({ points: [] }))).toBeNull();
});
