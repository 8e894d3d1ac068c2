import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Calibration, CalibrationCell } from '../../model/series/calibration.ts';
import { writeCalibration } from '../../platform/files/calibration-file.ts';
import { startClock, wallClock } from '../../platform/host/clock.ts';
import { openRunFolder } from '../../platform/files/run-folder.ts';
import { onInterrupt, type StopSignal } from '../../platform/process/interrupts.ts';
import { thisMachine, weirVersion } from '../../platform/host/machine.ts';
import { readReportAssets } from '../../platform/files/report-assets.ts';
import { calibrationHtml } from '../../report/calibration/calibration-html.ts';
import { calibrationTerminal } from '../../report/calibration/calibration-terminal.ts';
import { streamLoadText, transportText } from '../../report/calibration/calibration-text.ts';
import { calibrationGrid } from './calibration-grid.ts';
import { type ExitName, exitOfSignal } from '../../run/output/exit-codes.ts';
import { measureCell, type GridLoad } from '../../run/series/measure-cell.ts';
import { calibrationPath } from '../../run/calibration-note.ts';
import { stdoutStyle, toStderr, toStdout } from '../../platform/standard-streams.ts';

/** What `weir calibrate` was asked. */
export interface CalibrateRequest {
  readonly quick: boolean;
  /** Lists with commas; by default the usual grid. */
  readonly streams: string | undefined;
  readonly rate: string | undefined;
  readonly workers: string | undefined;
  /** The folder of its files; by default that of the history. */
  readonly out: string | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
}

/** Files of each run, of no use to anybody once its errors are known. */
const inTemporaryFolder = async <T>(use: (folder: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-calibrate-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** No load is begun after this long (ms): a busy machine takes longer for each, and the greatest come last. */
const startTimeout = 75_000;

const measureAll = async (
  grid: readonly GridLoad[],
  say: (text: string) => void,
): Promise<{ readonly cells: readonly CalibrationCell[]; readonly stopped: StopSignal | null }> => {
  const cells: CalibrationCell[] = [];
  const clock = startClock();
  const stops: StopSignal[] = [];
  const release = onInterrupt((signal) => stops.push(signal));
  try {
    for (const [n, load] of grid.entries()) {
      if (clock.now() > startTimeout) {
        say(`Left out after ${startTimeout / 1000} s: ${grid.length - n} of ${grid.length} loads.`);
        break;
      }
      say(`${n + 1}/${grid.length}: ${streamLoadText(load)}, ${transportText(load)}`);
      const cell = await inTemporaryFolder((folder) => measureCell(load, folder)).catch(
        (error: unknown) => {
          // The signal ended the run too.
          if (stops.length === 0) throw error;
          return null;
        },
      );
      if (stops[0] !== undefined) return { cells, stopped: stops[0] };
      if (cell !== null) cells.push(cell);
    }
  } finally {
    release();
  }
  return { cells, stopped: null };
};

/** Writes what is to be kept, and says where; returns where. */
const saveCalibration = async (
  calibration: Calibration,
  out: string | undefined,
): Promise<string | null> => {
  const defaultPath = calibrationPath();
  if (out === undefined && defaultPath === null) return null;
  const folder = await openRunFolder(out ?? dirname(defaultPath!));
  const { pageStyle } = await readReportAssets();
  const page = await folder.write('calibration.html', calibrationHtml(calibration, pageStyle));
  const file = join(folder.path, 'calibration.json');
  await writeCalibration(file, calibration);
  return `Picture: ${page}\nCalibration: ${file}`;
};

/**
 * Measures this machine's own error over a grid of loads and keeps it, for later reports to quote. One
 * that was stopped, or in which the generator was never fit, is told and does not replace another.
 */
export const calibrate = async (request: CalibrateRequest): Promise<ExitName> => {
  const grid = calibrationGrid(request);
  const say = (text: string): void => {
    if (!request.quiet) toStderr(text);
  };
  const { cells, stopped } = await measureAll(grid, say);
  const calibration: Calibration = {
    format: 'calibration/1',
    weir: weirVersion(),
    calibratedAt: wallClock(),
    machine: thisMachine(),
    cells: [...cells],
  };
  const isUseless = cells.every(({ trust }) => trust === 'invalid');
  const where =
    stopped === null && !isUseless ? await saveCalibration(calibration, request.out) : null;
  if (request.json) toStdout(JSON.stringify(calibration));
  else if (!request.quiet) toStdout(calibrationTerminal(calibration, stdoutStyle()));
  say(where ?? 'Nothing was kept.');
  if (stopped !== null) return exitOfSignal[stopped];
  if (isUseless) say('The generator was fit under no load: stop what else runs, and do it again.');
  return isUseless ? 'invalid' : 'pass';
};
