import {
  type Calibration,
  type CalibrationCell,
  errorNames,
  type ErrorName,
} from '../../model/calibration.ts';
import { countText, figureText } from '../number-text.ts';

export const errorTitles = {
  ttft: 'TTFT',
  gap: 'chunk gap',
  endToEnd: 'end-to-end',
} as const satisfies Record<ErrorName, string>;

/** The same where there is little room. */
const columnTitles = {
  ttft: 'TTFT',
  gap: 'gap',
  endToEnd: 'end',
} as const satisfies Record<ErrorName, string>;

const msText = (ms: number): string => figureText(ms);

export const loadText = ({
  streams,
  tokensPerSecond,
}: Pick<CalibrationCell, 'streams' | 'tokensPerSecond'>): string =>
  `${countText(streams)} streams × ${countText(tokensPerSecond)} tokens/s`;

const day = ({ calibratedAt }: Calibration): string => calibratedAt.slice(0, 10);

/** How a load was sent: `socket`, `undici, 2 workers`. */
export const waySent = ({
  transport,
  workers,
}: Pick<CalibrationCell, 'transport' | 'workers'>): string =>
  workers === 1 ? transport : `${transport}, ${workers} workers`;

export const methodText =
  'The size of the error in ms: how far what a run recorded lies from what the reference gateway, a process of its own on this machine, noted when it handed each token to its socket. The way through the kernel is part of it.';

export const head = [
  ...['streams', 'tokens/s', 'transport', 'workers', 'generator'],
  ...Object.values(columnTitles).flatMap((title) => [`${title} p50`, 'p99']),
];

/** The place of the generator's verdict in a row. */
export const trustColumn = 4;

export const cellTexts = (cell: CalibrationCell): readonly string[] => [
  ...[countText(cell.streams), countText(cell.tokensPerSecond)],
  ...[cell.transport, String(cell.workers), cell.trust],
  ...errorNames.flatMap((name) => [cell.errors[name].p50, cell.errors[name].p99].map(msText)),
];

/** What a run's report says of its own error. `changed`: what is not as it was when it was calibrated. */
export const quoteText = (
  calibration: Calibration,
  cell: CalibrationCell | null,
  changed: readonly string[],
): string => {
  const stale =
    changed.length === 0 ? '' : ` This is stale (${changed.join('; ')}): run weir calibrate again.`;
  if (cell === null) {
    return `This run’s load is above every one that this machine’s error is known for, calibrated ${day(calibration)}: weir calibrate --streams and --rate measure it.${stale}`;
  }
  const bounds = errorNames
    .map((name) => `${errorTitles[name]} ±${figureText(cell.errors[name].p99)} ms`)
    .join(', ');
  const doubt = cell.trust === 'valid' ? '' : `, with a generator that was ${cell.trust} then`;
  return `This machine’s error at this load (up to ${loadText(cell)}, ${waySent(cell)}): ${bounds} (p99), calibrated ${day(calibration)}${doubt}.${stale}`;
};
