import {
  type Calibration,
  type CalibrationCell,
  calibratedMeasures,
  type CalibratedMeasure,
} from '../../model/series/calibration.ts';
import { countText, figureText } from '../text/number-text.ts';

export const errorTitles = {
  ttft: 'TTFT',
  gap: 'chunk gap',
  endToEnd: 'end-to-end',
} as const satisfies Record<CalibratedMeasure, string>;

/** The same where there is little room. */
const columnTitles = {
  ttft: 'TTFT',
  gap: 'gap',
  endToEnd: 'end',
} as const satisfies Record<CalibratedMeasure, string>;

const msText = (ms: number): string => figureText(ms);

export const streamLoadText = ({
  streams,
  tokensPerSecond,
}: Pick<CalibrationCell, 'streams' | 'tokensPerSecond'>): string =>
  `${countText(streams)} streams × ${countText(tokensPerSecond)} tokens/s`;

const calibrationDate = ({ calibratedAt }: Calibration): string => calibratedAt.slice(0, 10);

/** How a load was sent: `socket`, `undici, 2 workers`. */
export const transportText = ({
  transport,
  workers,
}: Pick<CalibrationCell, 'transport' | 'workers'>): string =>
  workers === 1 ? transport : `${transport}, ${workers} workers`;

export const calibrationMethodText =
  'The size of the error in ms: how far what a run recorded lies from what the reference gateway, a process of its own on this machine, noted when it handed each token to its socket. The way through the kernel is part of it.';

export const calibrationHead = [
  'streams',
  'tokens/s',
  'transport',
  'workers',
  'generator',
  ...Object.values(columnTitles).flatMap((title) => [`${title} p50`, 'p99']),
];

/** The place of the generator's verdict in a row. */
export const calibrationTrustColumn = 4;

export const calibrationCellTexts = (cell: CalibrationCell): readonly string[] => [
  countText(cell.streams),
  countText(cell.tokensPerSecond),
  cell.transport,
  String(cell.workers),
  cell.trust,
  ...calibratedMeasures.flatMap((name) =>
    [cell.errors[name].p50, cell.errors[name].p99].map(msText),
  ),
];

/** What a run's report says of its own error. `changed`: what is not as it was when it was calibrated. */
export const calibratedErrorText = (
  calibration: Calibration,
  cell: CalibrationCell | null,
  changed: readonly string[],
): string => {
  const stale =
    changed.length === 0 ? '' : ` This is stale (${changed.join('; ')}): run weir calibrate again.`;
  if (cell === null) {
    return `This run’s load is above every one that this machine’s error is known for, calibrated ${calibrationDate(calibration)}: weir calibrate --streams and --rate measure it.${stale}`;
  }
  const bounds = calibratedMeasures
    .map((name) => `${errorTitles[name]} ±${figureText(cell.errors[name].p99)} ms`)
    .join(', ');
  const trustRemark =
    cell.trust === 'valid' ? '' : `, with a generator that was ${cell.trust} then`;
  return `This machine’s error at this load (up to ${streamLoadText(cell)}, ${transportText(cell)}): ${bounds} (p99), calibrated ${calibrationDate(calibration)}${trustRemark}.${stale}`;
};
