import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
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

/**
 * Stores a calibration in one step. A run that starts meanwhile reads either the old one or the new one, never a part.
 */
export const writeCalibration = async (path: string, calibration: Calibration): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  const temporaryPath = `${path}.${process.pid}`;
  await rm(temporaryPath, { force: true });
  const text = `${JSON.stringify(calibration, null, 2)}\n`;
  await writeFile(temporaryPath, text, { flag: 'wx' });
  await rename(temporaryPath, path);
};
