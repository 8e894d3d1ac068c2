import {
  type Calibration,
  type CalibrationCell,
  calibratedMeasures,
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
import { countText, figureText } from '../text/number-text.ts';
import { calibrationPlot } from './calibration-plot.ts';
import { errorTitles } from './calibration-text.ts';

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

/** The measurement error of a machine at each load. */
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
