import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { measuredErrors, type SentTokens } from '../judge/calibration/measured-errors.ts';
import { judgeTrust } from '../judge/trust.ts';
import type { CalibrationCell } from '../model/calibration.ts';
import { milliseconds } from '../model/quantity.ts';
import { resultSchema } from '../model/result.ts';
import { type SettingsInput, testKey } from '../mock/settings.ts';
import { mockNodeFlags, startMockProcess } from '../platform/mock-process.ts';
import { runProgram } from '../platform/own-program.ts';
import { Problem } from '../platform/problem.ts';
import { readObservation, readObservationsHeader } from '../record/observation-lines.ts';
import type { GridLoad } from './calibration-grid.ts';
import { main } from './target.ts';

/** Streams begin one after another in the first second, which is the warm-up; each lasts about this long (ms). */
const times = { warmUp: 1000, load: 3000, stream: 1200, ttft: 100 } as const;

const model = 'weir/small';

const tokensOf = ({ tokensPerSecond }: GridLoad): number =>
  Math.max(2, Math.round((times.stream / 1000) * tokensPerSecond));

const settingsFor = (load: GridLoad, truth: string): SettingsInput => ({
  models: [model],
  ttft: milliseconds(times.ttft),
  gap: milliseconds(1000 / load.tokensPerSecond),
  limits: { requestsPerMinute: null },
  truth: { file: truth },
});

const scenarioFor = (load: GridLoad): string =>
  JSON.stringify({
    name: 'calibrate',
    traffic: [{ kind: 'chat-stream', model, maxTokens: tokensOf(load) }],
    load: {
      kind: 'closed',
      users: load.streams,
      duration: `${times.load}ms`,
      rampUp: `${times.warmUp}ms`,
    },
    warmUp: `${times.warmUp}ms`,
    grace: '10s',
    inFlight: load.streams,
    transport: load.transport,
    workers: load.workers,
    wire: { proxy: 'none' },
  });

const lines = async (path: string): Promise<readonly string[]> =>
  (await readFile(path, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');

/** Both sides of a run, as files in one folder. */
const filesIn = (folder: string) => ({
  scenario: join(folder, 'scenario.json'),
  truth: join(folder, 'truth.jsonl'),
  seen: join(folder, 'seen.jsonl'),
  result: join(folder, 'result.json'),
});

const readBothSides = async (folder: string) => {
  const files = filesIn(folder);
  const [head = '', ...rest] = await lines(files.seen);
  const header = readObservationsHeader(head);
  if (!header.ok) throw new Problem(header.message);
  const observations = rest.map((line) => {
    const read = readObservation(line);
    if (!read.ok) throw new Problem(read.message);
    return read.value;
  });
  const truths = (await lines(files.truth)).map((line) => JSON.parse(line) as SentTokens);
  return {
    truths,
    recorded: { zero: header.value.machineZero, observations },
    trust: judgeTrust(resultSchema.parse(JSON.parse(await readFile(files.result, 'utf8')))),
  };
};

/**
 * Measures one load: a gateway in a process of its own and a run as users make it, in another. Throws a
 * `Problem` when the run left nothing to measure. `folder` holds the files of both.
 */
export const measureCell = async (load: GridLoad, folder: string): Promise<CalibrationCell> => {
  const files = filesIn(folder);
  await writeFile(files.scenario, scenarioFor(load));
  const mock = await startMockProcess(
    [process.execPath, ...mockNodeFlags, main, 'mock', '--embedded'],
    settingsFor(load, files.truth),
  );
  try {
    const words = ['run', files.scenario, '--target', mock.url, '--out', folder, '--quiet'];
    const { code, complaint } = await runProgram(
      [process.execPath, ...process.execArgv, main, ...words, '--observations', files.seen],
      { ...process.env, WEIR_API_KEY: testKey(0), WEIR_HISTORY: 'off', GITHUB_STEP_SUMMARY: '' },
    );
    if (code === 1 || code === 2)
      throw new Problem(`a run of the calibration failed: ${complaint}`);
  } finally {
    // Only then is the log of what it sent complete.
    await mock.stop();
  }
  const { truths, recorded, trust } = await readBothSides(folder);
  const measured = measuredErrors(truths, recorded, times.warmUp);
  if (measured === null) {
    throw new Problem('a run of the calibration had no answer that both sides know');
  }
  const complaints = trust.evidence
    .filter(({ level }) => level !== 'valid')
    .map(({ signal }) => signal);
  return { ...load, ...measured, trust: trust.level, complaints };
};
