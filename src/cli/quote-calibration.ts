import { dirname, join } from 'node:path';
import { calibratedFor, changedSince, fullestLoad } from '../judge/calibration/calibrated-for.ts';
import type { Result } from '../model/result.ts';
import { readCalibration } from '../platform/calibration-file.ts';
import { quoteText } from '../report/calibration/calibration-words.ts';
import { historyPlace } from './history-place.ts';

/** The file of this machine's calibration, beside the history; `null` where nothing is to be kept. */
export const calibrationPlace = (): string | null => {
  const place = historyPlace(process.env);
  return place === null ? null : join(dirname(place), 'calibration.json');
};

/** The result, and in its notes how exactly this machine measures at such a load, where that is known. */
export const quoteCalibration = async (result: Result): Promise<Result> => {
  const place = calibrationPlace();
  const load = fullestLoad(result);
  const calibration = place === null || load === null ? null : await readCalibration(place);
  if (load === null || calibration === null) return result;
  const { plan, slices } = result;
  const cell = calibratedFor(calibration, load, {
    transport: plan.transport,
    workers: slices.length,
  });
  const note = quoteText(calibration, cell, changedSince(calibration, result));
  return { ...result, notes: [...result.notes, note] };
};
