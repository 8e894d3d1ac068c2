import {
  type Calibration,
  type CalibrationCell,
  calibratedMeasures,
} from '../../model/series/calibration.ts';
import {
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
  { title: 'Streams', holds: 'name', cell: ({ streams }) => countText(streams) },
  { title: 'Tokens/s', holds: 'number', cell: (cell) => countText(cell.tokensPerSecond) },
  { title: 'Transport', holds: 'text', cell: ({ transport }) => transport },
  { title: 'Workers', holds: 'number', cell: ({ workers }) => String(workers) },
  {
    title: 'Generator',
    holds: 'verdict',
    cell: ({ trust }) => ({ text: trust, tone: trustTones[trust] }),
  },
  ...calibratedMeasures.flatMap((name) =>
    (['p50', 'p99'] as const).map((quantile): Column<CalibrationCell> => ({
      title: `${errorTitles[name]} ${quantile}`,
      short: quantile === 'p50' ? `${errorTitles[name].replace('chunk ', '')} p50` : 'p99',
      holds: 'number',
      cell: ({ errors }) => figureText(errors[name][quantile]),
    })),
  ),
  { title: 'Problems', holds: 'words', cell: ({ complaints }) => complaints.join(', ') },
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
    verdict: null,
    introduction: [],
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
