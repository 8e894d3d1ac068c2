import {
  type Calibration,
  type CalibrationCell,
  calibratedMeasures,
} from '../../model/series/calibration.ts';
import { markup, type Markup } from '../text/markup.ts';
import { staticPage } from '../html/elements/static-page.ts';
import { figureText } from '../text/number-text.ts';
import {
  calibrationCellTexts,
  errorTitles,
  calibrationHead,
  streamLoadText,
  calibrationMethodText,
  calibrationTrustColumn,
  transportText,
} from './calibration-text.ts';

const frame = { width: 720, left: 320, right: 80, row: 26, top: 8 } as const;

/** From the smallest to the greatest figure on a scale of logarithms, which shows 0.1 and 100 ms alike. */
const scaleOf = (values: readonly number[]): ((value: number) => number) => {
  const low = Math.log10(Math.max(0.001, Math.min(...values)) / 1.3);
  const high = Math.log10(Math.max(0.002, ...values) * 1.1);
  return (value) =>
    frame.left +
    ((Math.log10(Math.max(0.001, value)) - low) / (high - low)) *
      (frame.width - frame.left - frame.right);
};

const coordinateText = (value: number): string => value.toFixed(1);

/** One measure over the grid: from the median to the greatest error a line, its p99 a dot. */
const plot = (
  cells: readonly CalibrationCell[],
  name: (typeof calibratedMeasures)[number],
): Markup => {
  const x = scaleOf(cells.flatMap(({ errors }) => [errors[name].p50, errors[name].max]));
  const rows = cells.map((cell, i) => {
    const y = frame.top + (i + 0.5) * frame.row;
    const { p50, p99, max } = cell.errors[name];
    const level = { valid: 'kept', degraded: 'undecided', invalid: 'broken' }[cell.trust];
    return markup`<text x="${frame.left - 10}" y="${coordinateText(y)}" dy="0.32em" text-anchor="end">${streamLoadText(cell)}, ${transportText(cell)}</text>
<path class="curve" d="M${coordinateText(x(p50))} ${coordinateText(y)}H${coordinateText(x(max))}" /><circle class="${level}" cx="${coordinateText(x(p99))}" cy="${coordinateText(y)}" r="4.5"><title>p50 ${figureText(p50)} ms, p99 ${figureText(p99)} ms, at most ${figureText(max)} ms</title></circle>
<text x="${coordinateText(x(max) + 10)}" y="${coordinateText(y)}" dy="0.32em">${figureText(p99)} ms</text>`;
  });
  const height = frame.top * 2 + cells.length * frame.row;
  return markup`<figure class="plot">
  <figcaption><b>Error of ${errorTitles[name]}</b> <span class="unit">ms, logarithmic</span><p class="aside">Each line goes from the median to the greatest error; the dot and the figure are its p99.</p></figcaption>
  <div class="scroll" role="region" aria-label="Error of ${errorTitles[name]}" tabindex="0"><svg class="forest capacity" viewBox="0 0 ${frame.width} ${height}" role="img" aria-label="Error of ${errorTitles[name]} over ${cells.length} loads">${rows}</svg></div>
</figure>`;
};

const row = (cell: CalibrationCell): Markup => {
  const [name = '', ...cells] = calibrationCellTexts(cell);
  return markup`<tr><th scope="row">${name}</th>${cells.map((text, i) =>
    i + 1 === calibrationTrustColumn
      ? markup`<td class="words ${cell.trust}"><span class="level">${text}</span></td>`
      : markup`<td>${text}</td>`,
  )}<td class="words">${cell.complaints.join(', ')}</td></tr>`;
};

/** A calibration as one HTML file without scripts. */
export const calibrationHtml = (calibration: Calibration, pageStyle: string): string => {
  const { weir, calibratedAt, machine, cells } = calibration;
  return staticPage(
    {
      weir,
      title: 'How exactly this machine measures',
      description: markup`Node ${machine.node}, ${machine.cores} × ${machine.cpu}, ${machine.platform}`,
      introduction: markup`<p>${calibrationMethodText}</p>`,
      sections: [
        {
          id: 'errors',
          title: 'Errors',
          body: calibratedMeasures.map((name) => plot(cells, name)),
        },
        {
          id: 'table',
          title: 'Table',
          body: markup`<div class="scroll" role="region" aria-label="Errors" tabindex="0"><table>
  <thead><tr>${calibrationHead.map((title, i) => (i === calibrationTrustColumn ? markup`<th scope="col" class="words">${title}</th>` : markup`<th scope="col">${title}</th>`))}<th scope="col" class="words">What was wrong</th></tr></thead>
  <tbody>${cells.map(row)}</tbody>
</table></div>`,
        },
      ],
      footer: `Calibrated by Weir ${weir}, ${calibratedAt}.`,
    },
    pageStyle,
  );
};
