import { dirname, join } from 'node:path';
import type { Calibration, CalibrationCell } from '../../model/series/calibration.ts';
import { writeCalibration } from '../../platform/files/calibration-file.ts';
import { startClock, wallClock } from '../../platform/host/clock.ts';
import { inTemporaryFolder } from '../../platform/files/plain-files.ts';
import type { RunFolder } from '../../platform/files/run-folder.ts';
import { thisMachine, weirVersion } from '../../platform/host/machine.ts';
import { calibrationDocument } from './report/calibration-document.ts';
import { streamLoadText, transportText } from '../../report/summary/calibration-text.ts';
import { calibrationGrid, type GridLoad, type GridRequest } from './calibration-grid.ts';
import { type ExitName, exitOfStop } from '../../run/output/exit-codes.ts';
import type { Host, StopCause } from '../../run/input/host.ts';
import { measureCell } from './measure-cell.ts';
import { calibrationPath } from '../../run/calibration-note.ts';
import { openOutputFolder, outputFiles } from '../../run/output/output-folder.ts';
import { type Output, pageIn, printed, publishOutcome } from '../../run/output/write-outputs.ts';

interface CalibrateRequest extends GridRequest {
  /** The folder for its files; `undefined`: the folder of the history. */
  readonly out: string | undefined;
}

/** No load starts after this many ms: on a busy machine each takes longer, and the largest loads come last. */
const startTimeout = 75_000;

const measureAll = async (
  grid: readonly GridLoad[],
  { environment, printer: { say }, onStop }: Host,
): Promise<{ readonly cells: CalibrationCell[]; readonly stopped: StopCause | null }> => {
  const cells: CalibrationCell[] = [];
  const clock = startClock();
  let stopped: StopCause | null = null;
  const release = onStop((cause) => {
    stopped ??= cause;
  });
  try {
    for (const [n, load] of grid.entries()) {
      if (clock.now() > startTimeout) {
        const skipped = `${grid.length - n} of ${grid.length} loads`;
        say(`Time is up after ${startTimeout / 1000} s: skipped ${skipped}.`);
        break;
      }
      say(`${n + 1}/${grid.length}: ${streamLoadText(load)}, ${transportText(load)}`);
      const measure = (folder: string) => measureCell(load, folder, environment);
      const cell = await inTemporaryFolder(measure).catch((error: unknown) => {
        // The signal ended the run too.
        if (stopped === null) throw error;
        return null;
      });
      if (stopped !== null) break;
      if (cell !== null) cells.push(cell);
    }
  } finally {
    release();
  }
  return { cells, stopped };
};

const fileOf = (folder: RunFolder, calibration: Calibration): Output => {
  const path = join(folder.path, outputFiles.calibration.data);
  return { title: 'Calibration', path, write: () => writeCalibration(path, calibration) };
};

/**
 * Measures this machine's measurement error over a grid of loads and stores it for later reports to
 * quote. A calibration that was stopped, or overloaded at every load, is printed but not kept.
 */
export const calibrate = async (request: CalibrateRequest, host: Host): Promise<ExitName> => {
  const { environment, printer } = host;
  const defaultPath = calibrationPath(environment);
  const path = request.out ?? (defaultPath === null ? null : dirname(defaultPath));
  const folder =
    path === null
      ? null
      : await openOutputFolder(
          path,
          'calibration',
          request.out === undefined ? () => undefined : printer.say,
        );
  const { cells, stopped } = await measureAll(calibrationGrid(request), host).catch(
    async (error: unknown) => {
      await folder?.discard();
      throw error;
    },
  );
  const calibration: Calibration = {
    format: 'calibration/1',
    weir: weirVersion(),
    calibratedAt: wallClock(),
    machine: thisMachine(),
    cells,
  };
  const isUseless = cells.every(({ trust }) => trust === 'invalid');
  const isKept = folder !== null && stopped === null && !isUseless;
  const document = calibrationDocument(calibration);
  const written = await publishOutcome(
    printer,
    printed(document, JSON.stringify(calibration)),
    isKept
      ? [pageIn(folder, outputFiles.calibration.page, document), fileOf(folder, calibration)]
      : [],
  );
  await (isKept ? folder.release() : folder?.discard());
  if (!isKept) printer.listFiles('The calibration was not kept.');
  if (stopped !== null) return exitOfStop[stopped];
  if (!isUseless) return written;
  printer.say(
    'The calibration was INVALID at every load, because of the load generator: stop other programs, and calibrate again.',
  );
  return 'invalid';
};
