import { type Calibration, calibrationSchema } from '../../model/series/calibration.ts';
import { fileBounds, readFileBytes } from './whole-file.ts';

/**
 * Returns the stored calibration. Returns `null` if there is none or if it cannot be read, since a run can continue
 * without it.
 */
export const readCalibration = async (path: string): Promise<Calibration | null> => {
  try {
    return calibrationSchema.parse(
      JSON.parse(readFileBytes(path, fileBounds.calibration).toString('utf8')),
    );
  } catch {
    return null;
  }
};
