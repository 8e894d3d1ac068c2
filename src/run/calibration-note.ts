import { dirname, join } from 'node:path';
import { calibratedFor, changedSince, fullestLoad } from '../judge/calibration/calibrated-for.ts';
import type { Result } from '../model/result/result.ts';
import { readCalibration } from '../platform/files/calibration-file.ts';
import { calibratedErrorText } from '../report/summary/calibration-text.ts';
import type { Environment } from '../scenario/text/environment-template.ts';
import { historyPath } from './input/report-paths.ts';

/**
 * Returns the path of this machine's calibration, which is stored beside the history; `null` if there is no history.
 */
export const calibrationPath = (environment: Environment): string | null => {
  const path = historyPath(environment);
  return path === null ? null : join(dirname(path), 'calibration.json');
};

/** Adds a note about this machine's measurement error under the load of the run, unless this error is unknown. */
export const withCalibrationNote = async (
  result: Result,
  environment: Environment,
): Promise<Result> => {
  const path = calibrationPath(environment);
  const load = fullestLoad(result);
  const calibration = path === null || load === null ? null : await readCalibration(path);
  if (load === null || calibration === null) return result;
  const { plan, slices } = result;
  const cell = calibratedFor(calibration, load, {
    transport: plan.transport,
    workers: slices.length,
  });
  const note = calibratedErrorText(calibration, cell, changedSince(calibration, result));
  return { ...result, notes: [...result.notes, note] };
};
