import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Calibration, CalibrationCell } from '../model/calibration.ts';
import { keepCalibration } from '../platform/calibration-file.ts';
import { startClock, wallClock } from '../platform/clock.ts';
import { openRunFolder } from '../platform/files.ts';
import { onInterrupt, type StopSignal } from '../platform/interrupts.ts';
import { thisMachine, weirVersion } from '../platform/machine.ts';
import { readReportAssets } from '../platform/report-assets.ts';
import { calibrationHtml } from '../report/calibration/calibration-html.ts';
import { calibrationTerminal } from '../report/calibration/calibration-terminal.ts';
import { loadText, waySent } from '../report/calibration/calibration-words.ts';
import { calibrationGrid, type GridLoad } from './calibration-grid.ts';
import { type ExitName, exitOfSignal } from './exit-codes.ts';
import { measureCell } from './measure-cell.ts';
import { calibrationPlace } from './quote-calibration.ts';
import { stdoutLook, toStderr, toStdout } from './streams.ts';

/** What `weir calibrate` was asked. */
export interface CalibrateOrder {
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
const patience = 75_000;

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
      if (clock.now() > patience) {
        say(`Left out after ${patience / 1000} s: ${grid.length - n} of ${grid.length} loads.`);
        break;
      }
      say(`${n + 1}/${grid.length}: ${loadText(load)}, ${waySent(load)}`);
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
const keep = async (calibration: Calibration, out: string | undefined): Promise<string | null> => {
  const usual = calibrationPlace();
  if (out === undefined && usual === null) return null;
  const folder = await openRunFolder(out ?? dirname(usual!));
  const { pageStyle } = await readReportAssets();
  const page = await folder.write('calibration.html', calibrationHtml(calibration, pageStyle));
  const file = join(folder.path, 'calibration.json');
  await keepCalibration(file, calibration);
  return `Picture: ${page}\nCalibration: ${file}`;
};

/**
 * Measures this machine's own error over a grid of loads and keeps it, for later reports to quote. One
 * that was stopped, or in which the generator was never fit, is told and does not replace another.
 */
export const calibrate = async (order: CalibrateOrder): Promise<ExitName> => {
  const grid = calibrationGrid(order);
  const say = (text: string): void => {
    if (!order.quiet) toStderr(text);
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
  const where = stopped === null && !isUseless ? await keep(calibration, order.out) : null;
  if (order.json) toStdout(JSON.stringify(calibration));
  else if (!order.quiet) toStdout(calibrationTerminal(calibration, stdoutLook()));
  say(where ?? 'Nothing was kept.');
  if (stopped !== null) return exitOfSignal[stopped];
  if (isUseless) say('The generator was fit under no load: stop what else runs, and do it again.');
  return isUseless ? 'invalid' : 'pass';
};
