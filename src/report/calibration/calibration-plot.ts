import type { CalibrationCell, CalibratedMeasure } from '../../model/series/calibration.ts';
import { coordinate, plotFigure } from '../document/plot-figure.ts';
import { markup, type Markup } from '../text/markup.ts';
import { figureText } from '../text/number-text.ts';
import { errorTitles, streamLoadText, transportText } from './calibration-text.ts';

const frame = { width: 720, left: 320, right: 80, row: 26, top: 8 } as const;

/** A logarithmic scale, which shows both 0.1 and 100 ms well. */
const scaleOf = (values: readonly number[]): ((value: number) => number) => {
  const low = Math.log10(Math.max(0.001, Math.min(...values)) / 1.3);
  const high = Math.log10(Math.max(0.002, ...values) * 1.1);
  return (value) =>
    frame.left +
    ((Math.log10(Math.max(0.001, value)) - low) / (high - low)) *
      (frame.width - frame.left - frame.right);
};

const levels = { valid: 'kept', degraded: 'undecided', invalid: 'broken' } as const;

/** The errors of one measure at every load: a line from the median to the maximum, a dot at the p99. */
export const calibrationPlot = (
  cells: readonly CalibrationCell[],
  name: CalibratedMeasure,
): Markup => {
  const x = scaleOf(cells.flatMap(({ errors }) => [errors[name].p50, errors[name].max]));
  const rows = cells.map((cell, i) => {
    const y = coordinate(frame.top + (i + 0.5) * frame.row);
    const { p50, p99, max } = cell.errors[name];
    return markup`<text x="${frame.left - 10}" y="${y}" dy="0.32em" text-anchor="end">${streamLoadText(cell)}, ${transportText(cell)}</text>
<path class="curve" d="M${coordinate(x(p50))} ${y}H${coordinate(x(max))}" /><circle class="${levels[cell.trust]}" cx="${coordinate(x(p99))}" cy="${y}" r="4.5"><title>p50 ${figureText(p50)} ms, p99 ${figureText(p99)} ms, maximum ${figureText(max)} ms</title></circle>
<text x="${coordinate(x(max) + 10)}" y="${y}" dy="0.32em">${figureText(p99)} ms</text>`;
  });
  const title = `Error of ${errorTitles[name]}`;
  const caption = {
    title,
    unit: 'ms, logarithmic',
    aside: 'Lines go from the median to the maximum error; dots and figures are the p99.',
    label: `${title} over ${cells.length} loads`,
  };
  const height = frame.top * 2 + cells.length * frame.row;
  return plotFigure(caption, { width: frame.width, height }, rows);
};
