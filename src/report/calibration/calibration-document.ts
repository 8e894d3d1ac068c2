import {
  type CalibratedMeasure,
  calibratedMeasures,
  type Calibration,
  type CalibrationCell,
} from '../../model/series/calibration.ts';
import {
  column,
  type Column,
  picture,
  type ReportDocument,
  section,
  table,
  trustTones,
} from '../document/document.ts';
import { coordinate, linearScale, plotFigure } from '../document/plot-figure.ts';
import { markup, type Markup } from '../text/markup.ts';
import { countText, figureText } from '../text/number-text.ts';

const errorTitles = {
  ttft: 'TTFT',
  gap: 'chunk gap',
  endToEnd: 'end-to-end',
} as const satisfies Record<CalibratedMeasure, string>;

export const streamLoadText = (
  load: Pick<CalibrationCell, 'streams' | 'tokensPerSecond'>,
): string => `${countText(load.streams)} streams × ${countText(load.tokensPerSecond)} tokens/s`;

const calibrationDate = ({ calibratedAt }: Calibration): string => calibratedAt.slice(0, 10);

/** How a load was sent: `socket`, `undici, 2 workers`. */
export const transportText = ({
  transport,
  workers,
}: Pick<CalibrationCell, 'transport' | 'workers'>): string =>
  workers === 1 ? transport : `${transport}, ${workers} workers`;

/** A note on the measurement error for a run's report. `changed`: what has changed since the calibration. */
export const calibratedErrorText = (
  calibration: Calibration,
  cell: CalibrationCell | null,
  changed: readonly string[],
): string => {
  const stale =
    changed.length === 0 ? '' : ` This is stale (${changed.join('; ')}): run weir calibrate again.`;
  if (cell === null) {
    return `This run’s load is above every load of this machine’s calibration of ${calibrationDate(calibration)}: measure its error with weir calibrate --streams and --rate.${stale}`;
  }
  const bounds = calibratedMeasures
    .map((name) => `${errorTitles[name]} ±${figureText(cell.errors[name].p99)} ms`)
    .join(', ');
  const trustRemark =
    cell.trust === 'valid' ? '' : `, with a generator that was ${cell.trust} at that time`;
  return `This machine’s error at this load (up to ${streamLoadText(cell)}, ${transportText(cell)}): ${bounds} (p99), calibrated ${calibrationDate(calibration)}${trustRemark}.${stale}`;
};

const frame = { width: 720, left: 320, right: 80, row: 26, top: 8 } as const;

/** A logarithmic scale, which shows both 0.1 and 100 ms well. */
const scaleOf = (values: readonly number[]): ((value: number) => number) => {
  const low = Math.log10(Math.max(0.001, Math.min(...values)) / 1.3);
  const high = Math.log10(Math.max(0.002, ...values) * 1.1);
  const scale = linearScale([low, high], [frame.left, frame.width - frame.right]);
  return (value) => scale(Math.log10(Math.max(0.001, value)));
};

const levels = { valid: 'kept', degraded: 'undecided', invalid: 'broken' } as const;

/** The errors of one measure at every load: a line from the median to the maximum, a dot at the p99. */
const calibrationPlot = (cells: readonly CalibrationCell[], name: CalibratedMeasure): Markup => {
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
          short: quantile === 'p50' ? `${errorTitles[name].replace('chunk ', '')} p50` : 'p99',
        },
        ({ errors }) => figureText(errors[name][quantile]),
      ),
    ),
  ),
  column.words('Problems', ({ complaints }) => complaints.join(', ')),
];

export const calibrationDocument = (calibration: Calibration): ReportDocument => {
  const { weir, calibratedAt, machine, cells } = calibration;
  return {
    weir,
    title: 'Measurement error of this machine',
    description: [
      `Weir ${weir}, Node ${machine.node}, ${machine.cores} × ${machine.cpu}, ${machine.platform}`,
      'The error in ms is the difference between the times that a run recorded and the times that the reference gateway, another process on this machine, recorded when it wrote each token to its socket. It includes the way through the kernel.',
    ],
    blocks: [
      section(
        'Errors',
        calibratedMeasures.map((name) => picture(() => calibrationPlot(cells, name))),
      ),
      section('Table', [table('Errors in ms', columns, cells)]),
    ],
    footer: `Calibrated by Weir ${weir}, ${calibratedAt}.`,
  };
};
