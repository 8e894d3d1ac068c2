import {
  type CalibratedMeasure,
  calibratedMeasures,
  type Calibration,
  type CalibrationCell,
} from '../../../model/series/calibration.ts';
import {
  column,
  type Column,
  picture,
  type ReportDocument,
  section,
  table,
  trustTones,
} from '../../../report/document/document.ts';
import {
  logarithmicAxis,
  plotFigure,
  roundAbove,
  roundBelow,
  rowAxis,
} from '../../../report/document/plot.ts';
import { markup, type Markup } from '../../../report/text/markup.ts';
import {
  errorTitles,
  streamLoadText,
  transportText,
} from '../../../report/summary/calibration-text.ts';
import { countText, figureText, plural } from '../../../report/text/number-text.ts';

/** Plots the errors of one measure at every load: a line from the median to the maximum, and a dot at the p99. */
const calibrationPlot = (cells: readonly CalibrationCell[], name: CalibratedMeasure): Markup => {
  const errors = cells.map((cell) => cell.errors[name]);
  const least = roundBelow(Math.max(0.001, Math.min(...errors.map(({ p50 }) => p50))));
  // A tenth of the width is left for the text to the right of the longest line.
  const highest = Math.max(0.002, ...errors.map(({ max }) => max));
  const most = roundAbove(highest * (highest / least) ** 0.12);
  const title = `Error of ${errorTitles[name]}`;
  return plotFigure(
    {
      title,
      unit: 'ms, logarithmic',
      aside: 'Lines go from the median to the maximum error; dots and figures are the p99.',
      label: `${title} over ${cells.length} loads`,
      size: [1040, 46 + cells.length * 26],
      x: logarithmicAxis(least, most),
      y: rowAxis(cells.map((cell) => `${streamLoadText(cell)}, ${transportText(cell)}`)),
    },
    ({ x, y, dot }) =>
      errors.map(({ p50, p99, max }, i) => {
        const row = i + 0.5;
        const text = `p50 ${figureText(p50)} ms, p99 ${figureText(p99)} ms, maximum ${figureText(max)} ms`;
        return markup`<path class="firm" d="M${x(p50)} ${y(row)}H${x(max)}" />${dot(cells[i]!.trust, [p99, row], text)}
          <text x="${x(max)}" y="${y(row)}" dx="10" dy="0.32em">${figureText(p99)} ms</text>`;
      }),
  );
};

const shortTitles = { ttft: 'TTFT', gap: 'gap', endToEnd: 'E2E' } as const;

const columns: readonly Column<CalibrationCell>[] = [
  column.name('Streams', ({ streams }) => countText(streams)),
  column.number('Tokens/s', (cell) => countText(cell.tokensPerSecond)),
  column.text('Transport', ({ transport }) => transport),
  column.number('Workers', ({ workers }) => String(workers)),
  column.verdict('Generator', ({ trust }) => ({ text: trust, tone: trustTones[trust] })),
  ...calibratedMeasures.flatMap((name) =>
    (['p50', 'p99'] as const).map((quantile): Column<CalibrationCell> =>
      column.number(
        {
          title: `${errorTitles[name]} ${quantile}`,
          short: quantile === 'p50' ? `${shortTitles[name]} p50` : 'p99',
        },
        ({ errors }) => figureText(errors[name][quantile]),
      ),
    ),
  ),
  column.words('Problems', ({ complaints }) => complaints.join(', ')),
];

/** Returns the verdict: how exactly the machine measures the largest valid load, and how many loads are valid. */
const calibrationVerdict = ({ cells }: Calibration): NonNullable<ReportDocument['verdict']> => {
  const valid = cells.filter(({ trust }) => trust === 'valid');
  const count = `${valid.length} of ${plural(cells.length, 'load')} valid`;
  const byLoad = (cell: CalibrationCell): number => cell.streams * cell.tokensPerSecond;
  const [largest] = valid.toSorted((a, b) => byLoad(b) - byLoad(a));
  if (largest === undefined)
    return { text: `${count}: this machine was too busy to be calibrated`, tone: 'bad' };
  const errors = calibratedMeasures
    .map((name) => `${errorTitles[name]} ±${figureText(largest.errors[name].p99)} ms`)
    .join(', ');
  return {
    text: `Measurement error (p99): ${errors} at up to ${streamLoadText(largest)}, ${transportText(largest)}; ${count}`,
    tone: valid.length === cells.length ? 'good' : 'warning',
  };
};

export const calibrationDocument = (calibration: Calibration): ReportDocument => {
  const { weir, calibratedAt, machine, cells } = calibration;
  return {
    weir,
    title: 'Measurement error of this machine',
    description: [
      `Weir ${weir}, Node ${machine.node}, ${machine.cores} × ${machine.cpu}, ${machine.platform}`,
      'The error in ms is the difference between the times that a run recorded and the times that the reference gateway, another process on this machine, recorded when it wrote each token to its socket. It includes the way through the kernel.',
    ],
    verdict: calibrationVerdict(calibration),
    blocks: [
      section(
        'Errors',
        calibratedMeasures.map((name) => picture(() => calibrationPlot(cells, name))),
      ),
      section('Errors in ms', [table('Errors in ms', columns, cells)]),
    ],
    footer: `Calibrated by Weir ${weir}, ${calibratedAt}.`,
  };
};
