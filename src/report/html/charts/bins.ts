import type { TimelineSecond } from '../../../model/measures/counts.ts';
import type { Result } from '../../../model/result/result.ts';
import type { Chart, ChartColour, ChartLine, ChartMarks } from './chart.ts';

/** The equal bins into which a chart divides the run: `count` bins of `step` whole seconds. */
export interface Bins {
  readonly step: number;
  readonly count: number;
}

const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600];
/** The maximum number of bins. No screen can show more points separately. */
const maxBins = 600;
/**
 * A bin should have at least this many samples, since a percentile of fewer samples is noise. In a short run, bins may
 * have fewer, so that at least `minBins` points remain.
 */
const samplesPerBin = 20;
const minBins = 10;

const lastSecond = (result: Result): number =>
  Math.max(1, Math.ceil(Math.max(result.ended, result.scheduled) / 1000), result.timeline.length);

/** Returns the bins for counts. A bin is one second unless the run has more than 600 seconds. */
export const countBins = (result: Result): Bins => {
  const seconds = lastSecond(result);
  const step = steps.find((width) => seconds / width <= maxBins) ?? Math.ceil(seconds / maxBins);
  return { step, count: Math.ceil(seconds / step) };
};

/**
 * Returns the bins for percentiles. `samples` is the number of samples in the whole run. Each bin is wide enough for
 * about twenty samples, unless fewer than `minBins` bins would remain.
 */
export const percentileBins = (result: Result, samples: number): Bins => {
  const finest = countBins(result);
  const seconds = lastSecond(result);
  const widestStep = steps.findLast((width) => seconds / width >= minBins) ?? finest.step;
  const wantedStep =
    steps.find((width) => (samples * width) / seconds >= samplesPerBin) ?? widestStep;
  const step = Math.max(finest.step, Math.min(wantedStep, widestStep));
  return { step, count: Math.ceil(seconds / step) };
};

export const intoBins = <T extends Pick<TimelineSecond, 'second'>>(
  rows: readonly T[],
  { step, count }: Bins,
): readonly (readonly T[])[] => {
  const bins = Array.from({ length: count }, (): T[] => []);
  for (const row of rows) bins[Math.min(count - 1, Math.floor(row.second / step))]?.push(row);
  return bins;
};

/** Rounds to four significant digits, since no chart can show more. */
export const chartValue = (value: number): number => Number(value.toPrecision(4));

type Series<Part, Value> = readonly [
  label: string,
  colour: ChartColour,
  of: (part: Part, bin: number) => Value,
];

export const chartLines = <Part>(
  parts: readonly Part[],
  lines: readonly (readonly [...Series<Part, number | null>, style?: ChartLine['style']])[],
): readonly ChartLine[] =>
  lines.map(([label, colour, of, style = 'plain']) => {
    const values = parts.map(of);
    return { label, colour, style, values };
  });

export const hasValues = ({ values }: ChartLine): boolean => values.some((value) => value !== null);

export const chartMarks = <Part>(
  parts: readonly Part[],
  marks: readonly Series<Part, number>[],
): readonly ChartMarks[] =>
  marks
    .map(([label, colour, of]) => ({ label, colour, values: parts.map(of) }))
    .filter(({ values }) => values.some((value) => value > 0));

/** Makes a chart. Values are joined by straight lines by default; with `held`, values are drawn as steps. */
export const timeChart = (
  [id, title, unit]: readonly [id: string, title: string, unit: string],
  { step }: Bins,
  lines: readonly ChartLine[],
  marks: readonly ChartMarks[] = [],
  drawn: Chart['drawn'] = 'joined',
): Chart => ({ id, title, unit, step, drawn, lines, marks });
