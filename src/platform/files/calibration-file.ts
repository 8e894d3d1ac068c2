import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Calibration, calibrationSchema } from '../../model/series/calibration.ts';

/** The calibration that is kept there; `null` where there is none, or none that can be read: runs go on without. */
export const readCalibration = async (path: string): Promise<Calibration | null> => {
  try {
    return calibrationSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
};

/** Keeps it, in one step, so that a run that begins meanwhile reads the old one or the new one. */
export const writeCalibration = async (path: string, calibration: Calibration): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  const temporaryPath = `${path}.${process.pid}`;
  await writeFile(temporaryPath, `${JSON.stringify(calibration, null, 2)}\n`);
  await rename(temporaryPath, path);
};
