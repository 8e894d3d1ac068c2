import type { CalibrationCell, Calibration } from '../../model/series/calibration.ts';
import { transportNames } from '../../model/observation/exchange.ts';
import { join, dirname } from 'node:path';
import { measuredErrors, type SentTokens } from './judge/measured-errors.ts';
import { judgeTrust } from '../../judge/trust/judge-trust.ts';
import { milliseconds } from '../../model/quantity.ts';
import { resultSchema } from '../../model/result/result.ts';
import { type SettingsInput, testKey } from '../../mock/settings/settings.ts';
import { writeText, inTemporaryFolder } from '../../platform/files/plain-files.ts';
import { readTextFile } from '../../platform/files/whole-file.ts';
import { mockCommand, startMockProcess } from '../../platform/process/mock-process.ts';
import { runProgram } from '../../platform/process/run-program.ts';
import { thisNode } from '../../platform/process/this-process.ts';
import type { Environment } from '../../scenario/text/environment-template.ts';
import { Problem } from '../../platform/problem.ts';
import { readObservation, readObservationsHeader } from '../../record/observation-lines.ts';
import { programPath } from '../../run/target/prepare-target.ts';
import { startClock, wallClock } from '../../platform/host/clock.ts';
import { thisMachine, weirVersion } from '../../platform/host/machine.ts';
import { calibrationDocument } from './report/calibration-document.ts';
import { streamLoadText, transportText } from '../../report/summary/calibration-text.ts';
import { type ExitName, exitOfStop } from '../../run/output/exit-codes.ts';
import type { Host, StopCause } from '../../run/input/host.ts';
import { calibrationPath } from '../../run/calibration-note.ts';
import { openOutputFolder, outputFiles } from '../../run/output/output-folder.ts';
import { fileIn, pageIn, printed, publishOutcome } from '../../run/output/write-outputs.ts';

type SendingSetup = Pick<CalibrationCell, 'transport' | 'workers'>;

type StreamLoad = Pick<CalibrationCell, 'streams' | 'tokensPerSecond'>;

type GridLoad = SendingSetup & StreamLoad;

const loadsOf = (streamCounts: readonly number[], rates: readonly number[]): StreamLoad[] =>
  streamCounts.flatMap((streams) => rates.map((tokensPerSecond) => ({ streams, tokensPerSecond })));

const defaultLoads = [...loadsOf([100], [20, 50]), ...loadsOf([500, 1000, 2000], [20])];

/** The grid of loads that the user asks for; `null` means the default. */
interface GridRequest {
  readonly quick: boolean;
  readonly streams: readonly number[] | null;
  readonly rates: readonly number[] | null;
  readonly workers: readonly number[] | null;
}

/** From this many tokens per second on, two workers may measure better than one, so they are also tried. */
const twoWorkerTokenRate = 20_000;

/**
 * Returns the ways in which a load is sent: over each of the two transports and, if the load is large, also by two
 * workers over the transport `socket`. If the user set numbers of workers, only these numbers are used.
 */
const sendingSetupsFor = (tokens: number, workers: readonly number[] | null): SendingSetup[] => {
  const setups: SendingSetup[] = transportNames.flatMap((transport) =>
    (workers ?? [1]).map((count) => ({ transport, workers: count })),
  );
  const isLarge = workers === null && tokens >= twoWorkerTokenRate;
  return isLarge ? [...setups, { transport: 'socket', workers: 2 }] : setups;
};

/** Returns the loads to measure, the smallest first, each with all its ways of sending. */
export const calibrationGrid = (request: GridRequest): readonly GridLoad[] => {
  const { quick, workers, streams, rates } = request;
  const isDefault = !quick && streams === null && rates === null;
  const loads = isDefault ? defaultLoads : loadsOf(streams ?? [100, 1000], rates ?? [20]);
  const tokensOf = (load: StreamLoad): number => load.streams * load.tokensPerSecond;
  return loads
    .toSorted((a, b) => tokensOf(a) - tokensOf(b))
    .flatMap((load) =>
      sendingSetupsFor(tokensOf(load), workers).map((setup) => ({ ...load, ...setup })),
    );
};

/**
 * The times of a run, in ms. Streams begin one after another in the first second, which is the warm-up. Each stream
 * takes about `stream` ms.
 */
const durations = { warmUp: 1000, load: 3000, stream: 1200, ttft: 100 } as const;

const modelName = 'weir/small';

export const settingsFor = (load: GridLoad, truth: string): SettingsInput => ({
  models: [modelName],
  ttft: milliseconds(durations.ttft),
  gap: milliseconds(1000 / load.tokensPerSecond),
  limits: { requestsPerMinute: null },
  truth: { file: truth },
});

export const scenarioFor = ({ streams, tokensPerSecond, transport, workers }: GridLoad): string => {
  const maxTokens = Math.max(2, Math.round((durations.stream / 1000) * tokensPerSecond));
  const [duration, warmUp] = [`${durations.load}ms`, `${durations.warmUp}ms`];
  return JSON.stringify({
    name: 'calibrate',
    traffic: [{ kind: 'chat-stream', model: modelName, maxTokens }],
    load: { kind: 'closed', users: streams, duration, rampUp: warmUp },
    warmUp,
    grace: '10s',
    inFlight: streams,
    transport,
    workers,
    wire: { proxy: 'none' },
  });
};

const linesOf = async (path: string): Promise<readonly string[]> =>
  (await readTextFile(path).catch(() => '')).split('\n').filter((line) => line !== '');

export const runFilesIn = (folder: string) => ({
  scenario: join(folder, 'scenario.json'),
  truth: join(folder, 'truth.jsonl'),
  observations: join(folder, 'seen.jsonl'),
  result: join(folder, 'result.json'),
});

/**
 * Reads the files of a run, and compares the gateway's records with the run's. Throws a `Problem` if the run recorded
 * nothing to measure.
 */
export const readCell = async (
  load: GridLoad,
  files: ReturnType<typeof runFilesIn>,
): Promise<CalibrationCell> => {
  const [head = '', ...rest] = await linesOf(files.observations);
  const header = readObservationsHeader(head);
  if (!header.ok) throw new Problem(header.message);
  const observations = rest.map((line) => {
    const read = readObservation(line);
    if (!read.ok) throw new Problem(read.message);
    return read.value;
  });
  const traces = (await linesOf(files.truth)).map((line) => JSON.parse(line) as SentTokens);
  const recorded = { zero: header.value.machineZero, observations };
  const trust = judgeTrust(resultSchema.parse(JSON.parse(await readTextFile(files.result))));
  const measured = measuredErrors(traces, recorded, durations.warmUp);
  if (measured === null) {
    throw new Problem('a run of the calibration had no answer that both sides recorded');
  }
  const complaints = trust.evidence
    .filter(({ decides, level }) => decides && level !== 'valid')
    .map(({ signal }) => signal);
  return { ...load, ...measured, trust: trust.level, complaints };
};

/**
 * Measures one load. A gateway in one process and an ordinary run in another write their files into `folder`. Throws a
 * `Problem` if the run recorded nothing to measure.
 */
const measureCell = async (
  load: GridLoad,
  folder: string,
  environment: Environment,
): Promise<CalibrationCell> => {
  const files = runFilesIn(folder);
  await writeText(files.scenario, scenarioFor(load));
  const mock = await startMockProcess(
    mockCommand(programPath, false),
    settingsFor(load, files.truth),
  );
  try {
    const outputs = ['--out', folder, '--quiet', '--observations', files.observations];
    const { code, stderrTail } = await runProgram(
      [...thisNode(), programPath, 'run', files.scenario, '--target', mock.url, ...outputs],
      { ...environment, WEIR_API_KEY: testKey(0), WEIR_HISTORY: 'off', GITHUB_STEP_SUMMARY: '' },
    );
    if (code === 1 || code === 2)
      throw new Problem(`a run of the calibration failed: ${stderrTail}`);
  } finally {
    // Stopping the gateway completes its log of sent tokens, which `readCell` reads.
    await mock.stop();
  }
  return readCell(load, files);
};

interface CalibrateRequest extends GridRequest {
  /** The folder for the files of the calibration; `undefined` means the folder of the history. */
  readonly out: string | undefined;
}

/**
 * The time in ms after which no further load is started. On a busy machine each load takes longer, so the largest
 * loads, which come last, are skipped.
 */
const startTimeout = 75_000;

export const measureAll = async (
  grid: readonly GridLoad[],
  { environment, printer: { say }, onStop }: Host,
  measureLoad = measureCell,
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
      const measure = (folder: string) => measureLoad(load, folder, environment);
      const cell = await inTemporaryFolder(measure).catch((error: unknown) => {
        // A signal that stops the calibration also ends the run. The run then reports an error, which is expected.
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

/**
 * Measures this machine's measurement error over a grid of loads, and stores the result for later reports. If the user
 * stopped the measurement, or if the machine was overloaded at every load, the result is printed but not stored.
 */
export const calibrate = async (
  request: CalibrateRequest,
  host: Host,
  measureLoad = measureCell,
): Promise<ExitName> => {
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
  const { cells, stopped } = await measureAll(calibrationGrid(request), host, measureLoad).catch(
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
  const files = outputFiles.calibration;
  const written = await publishOutcome(
    printer,
    printed(document, JSON.stringify(calibration)),
    isKept
      ? [
          pageIn(folder, files.page, document),
          fileIn(
            folder,
            'Calibration',
            files.data,
            () => `${JSON.stringify(calibration, null, 2)}\n`,
          ),
        ]
      : [],
  );
  await (isKept ? folder.release() : folder?.discard());
  if (!isKept) printer.listFiles('The calibration was not kept.');
  if (stopped !== null) return exitOfStop[stopped];
  if (!isUseless) return written;
  printer.say(
    'The calibration was invalid at every load, because of the load generator: stop other programs, and calibrate again.',
  );
  return 'invalid';
};
