import { peakOf } from '../engine/worker-count.ts';
import { neededSlices, sliceForecast } from '../judge/calibration/needed-slices.ts';
import type { Plan } from '../model/plan/plan.ts';
import type { SliceForecast } from '../model/plan/slice-forecast.ts';
import { readCalibration } from '../platform/files/calibration-file.ts';
import { Problem } from '../platform/problem.ts';
import { plural } from '../report/text/number-text.ts';
import type { Environment } from '../scenario/text/environment-template.ts';
import { calibrationPath } from './calibration-note.ts';

/**
 * What each slice of a plan needs, of so many slices or of as many as this machine's calibration says. `answerTime`: of an answer, in ms;
 * `null`: estimated. Throws a `Problem` without a calibration that helps.
 */
export const forecastSlices = async (
  plan: Plan,
  slices: number | 'auto',
  answerTime: number | null,
  environment: Environment,
): Promise<SliceForecast> => {
  const peak = peakOf(plan, answerTime);
  if (slices !== 'auto') return sliceForecast(peak, slices, null);
  const path = calibrationPath(environment);
  const calibration = path === null ? null : await readCalibration(path);
  if (calibration === null)
    throw new Problem(
      '--slices auto: this machine is not calibrated: run `weir calibrate` first, on a machine like those of the slices, or give their number',
    );
  const found = neededSlices(calibration, peak, plan);
  if (found !== null) return found;
  throw new Problem(
    `--slices auto: with the transport ${plan.transport}${plan.workers === 'auto' ? '' : ` and ${plural(plan.workers, 'worker')}`} every load of this machine’s calibration was invalid, or there was none: calibrate again on an idle machine, or give their number`,
  );
};
