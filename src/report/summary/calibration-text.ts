import {
  type CalibratedMeasure,
  calibratedMeasures,
  type Calibration,
  type CalibrationCell,
} from '../../model/series/calibration.ts';
import { countText, figureText } from '../text/number-text.ts';

export const errorTitles = {
  ttft: 'TTFT',
  gap: 'chunk gap',
  endToEnd: 'end-to-end',
} as const satisfies Record<CalibratedMeasure, string>;

export const streamLoadText = (
  load: Pick<CalibrationCell, 'streams' | 'tokensPerSecond'>,
): string => `${countText(load.streams)} streams × ${countText(load.tokensPerSecond)} tokens/s`;

/** Formats how a load was sent, for example as `socket` or `undici, 2 workers`. */
export const transportText = (cell: Pick<CalibrationCell, 'transport' | 'workers'>): string =>
  cell.workers === 1 ? cell.transport : `${cell.transport}, ${cell.workers} workers`;

/**
 * Returns a note on the measurement error for a run's report. `changed` lists the changes of the machine since the
 * calibration.
 */
export const calibratedErrorText = (
  calibration: Calibration,
  cell: CalibrationCell | null,
  changed: readonly string[],
): string => {
  const date = calibration.calibratedAt.slice(0, 10);
  const stale =
    changed.length === 0 ? '' : ` This is stale (${changed.join('; ')}): run weir calibrate again.`;
  if (cell === null) {
    return `This run’s load is above every load of this machine’s calibration of ${date}: measure its error with weir calibrate --streams and --rate.${stale}`;
  }
  const bounds = calibratedMeasures
    .map((name) => `${errorTitles[name]} ±${figureText(cell.errors[name].p99)} ms`)
    .join(', ');
  const trustRemark =
    cell.trust === 'valid' ? '' : `, with a generator that was ${cell.trust} at that time`;
  return `This machine’s error at this load (up to ${streamLoadText(cell)}, ${transportText(cell)}): ${bounds} (p99), calibrated ${date}${trustRemark}.${stale}`;
};
