import { type Calibration, calibrationSchema } from '../../model/series/calibration.ts';
import { fileBounds, readFileBytes } from './whole-file.ts';

/**
 * Returns the stored calibration. If there is no calibration or the file cannot be read, returns `null` and throws no
 * error, since a run can continue without a calibration.
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
