// @gate 1 s
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { instant } from '../../model/quantity.ts';
import { calibrationSchema } from '../../model/series/calibration.ts';
import { sampleObservation, sampleStream } from '../../record/sample-observations.fixture.ts';
import { observationLine, observationsHeader } from '../../record/observation-lines.ts';
import {
  healthyResult,
  sampleFailure,
  sampleJudgedSlice,
  sampleSeconds,
} from '../../judge/sample-result.fixture.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import {
  calibrate,
  measureAll,
  readCell,
  runFilesIn,
  scenarioFor,
  settingsFor,
} from './calibrate.ts';
import { sampleCalibrationCell } from './report/sample-calibration.fixture.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-calibrate-'));
});
afterAll(() => rm(folder, { recursive: true }));

const load = { streams: 100, tokensPerSecond: 50, transport: 'undici', workers: 2 } as const;

it('a load is a scenario of streams of 1.2 s that begin one after another in the warm-up', () => {
  const read = JSON.parse(scenarioFor(load));
  expect(read).toEqual({
    name: 'calibrate',
    traffic: [{ kind: 'chat-stream', model: 'weir/small', maxTokens: 60 }],
    load: { kind: 'closed', users: 100, duration: '3000ms', rampUp: '1000ms' },
    warmUp: '1000ms',
    grace: '10s',
    inFlight: 100,
    transport: 'undici',
    workers: 2,
    wire: { proxy: 'none' },
  });
  const tokensAt = (tokensPerSecond: number): unknown =>
    JSON.parse(scenarioFor({ ...load, tokensPerSecond })).traffic[0].maxTokens;
  // Without two tokens there is no gap; 1.2 × 1.3 = 1.56, 1.2 × 3 = 3.6.
  expect([1.3, 1, 3].map(tokensAt)).toEqual([2, 2, 4]);
});

it('the gateway of a load writes a token in each gap, has no limit, and logs what it sent', () => {
  expect(settingsFor(load, '/truth')).toEqual({
    models: ['weir/small'],
    ttft: 100,
    gap: 20,
    limits: { requestsPerMinute: null },
    truth: { file: '/truth' },
  });
});

const zero = 70_000;

/**
 * A run that dropped an arrival because its requests in flight were at their maximum: one signal that decides and is
 * degraded. Its event loop was busy and had a CPU for 70 % of each second: one that is degraded and does not decide.
 */
const degradedResult = healthyResult({
  failures: [sampleFailure({})],
  slices: [
    sampleJudgedSlice(
      sampleSeconds(Array.from({ length: 30 }, () => ({ utilisation: 0.7, cpu: 0.7 }))),
    ),
  ],
});

/** Writes the files of a run of streams, whose tokens arrived at these times after they were sent. */
const writeRun = async (
  name: string,
  streams: readonly { readonly due: number; readonly late: readonly number[] }[],
  header: string | null = observationsHeader({
    weir: '0.1.0',
    planHash: 'h',
    runId: 'r',
    startedAt: '2026-07-01T10:20:30.000Z',
    machineZero: zero,
  }),
) => {
  const files = runFilesIn(join(folder, name));
  await mkdir(join(folder, name));
  const sent = [2000, 2020, 2040];
  const lines = streams.map(({ due, late }, i) =>
    observationLine(
      sampleObservation({
        requestId: `r-${i}`,
        traffic: 'chat-stream',
        due: instant(due),
        outcome: {
          kind: 'completed',
          answer: sampleStream(late.map((each, token) => sent[token]! + each)),
        },
      }),
    ),
  );
  if (header !== null) await writeFile(files.observations, `${[header, ...lines].join('\n')}\n`);
  const truth = streams.map((_, i) =>
    JSON.stringify({ requestId: `r-${i}`, sent: sent.map((at) => zero + at) }),
  );
  await writeFile(files.truth, `${truth.join('\n')}\n`);
  await writeFile(files.result, JSON.stringify(degradedResult));
  return files;
};

it('a cell has the load, the errors after the warm-up, and what decides about the generator', async () => {
  const files = await writeRun('whole', [
    { due: 1500, late: [1, 1, 3] },
    // It is due in the warm-up of a second.
    { due: 999, late: [500, 500, 500] },
  ]);
  const cell = await readCell(load, files);
  expect(cell).toMatchObject({ ...load, answers: 1 });
  expect(cell.errors.ttft).toMatchObject({ n: 1, max: 1 });
  expect(cell.errors.endToEnd).toMatchObject({ n: 1, max: 3 });
  expect(cell.errors.gap).toMatchObject({ n: 2, max: 2 });
  expect(cell.trust).toBe('degraded');
  expect(cell.complaints).toEqual(['requests in flight']);
});

it('a run is no cell without an answer of both sides, a header, or lines that can be read', async () => {
  const early = await writeRun('early', [{ due: 999, late: [1, 1, 1] }]);
  await expect(readCell(load, early)).rejects.toThrow(
    'a run of the calibration had no answer that both sides recorded',
  );
  const none = await writeRun('none', [], null);
  await expect(readCell(load, none)).rejects.toThrow(
    'Expected the header of an observations/1 file, as JSON on one line; got ""',
  );
  const odd = await writeRun('odd', [{ due: 1500, late: [1, 1, 1] }]);
  await writeFile(odd.observations, `${await readFile(odd.observations, 'utf8')}{}\n`);
  await expect(readCell(load, odd)).rejects.toThrow('Expected an observation of format');
});

const grid = [load, { ...load, streams: 200 }];
const cellOf = async ({ streams }: { readonly streams: number }) =>
  sampleCalibrationCell({ streams });

it('measures one load after another, in a folder that is gone after it, and says which', async () => {
  const folders: string[] = [];
  const { host, said } = fakeHost({ A: 'b' });
  const environments: unknown[] = [];
  const { cells, stopped } = await measureAll(grid, host, async (each, at, environment) => {
    folders.push(at);
    environments.push(environment);
    return cellOf(each);
  });
  expect(cells.map(({ streams }) => streams)).toEqual([100, 200]);
  expect([stopped, said, environments]).toEqual([
    null,
    [
      '1/2: 100 streams × 50 tokens/s, undici, 2 workers',
      '2/2: 200 streams × 50 tokens/s, undici, 2 workers',
    ],
    [{ A: 'b' }, { A: 'b' }],
  ]);
  expect(new Set(folders).size).toBe(2);
  for (const each of folders) await expect(readdir(each)).rejects.toThrow('ENOENT');
});

it('ends with the load at which it is stopped, which counts for nothing, and takes no other errors', async () => {
  const stopping = fakeHost();
  const ended = await measureAll(grid, stopping.host, async (each) => {
    if (each.streams === 100) return cellOf(each);
    stopping.stop('SIGTERM');
    stopping.stop('SIGINT');
    throw new Error('the run was ended');
  });
  expect(ended.stopped).toBe('SIGTERM');
  expect(ended.cells.map(({ streams }) => streams)).toEqual([100]);
  const { host, said } = fakeHost();
  const failing = measureAll(grid, host, async () => {
    throw new Error('no port');
  });
  await expect(failing).rejects.toThrow('no port');
  expect(said).toHaveLength(1);
});

const request = { quick: false, streams: [10], rates: [20], workers: [1] };
const calibrated = async (
  name: string,
  measure: Parameters<typeof calibrate>[2],
  fake = fakeHost({ WEIR_HISTORY: 'off' }),
) => {
  const out = join(folder, name);
  const exit = await calibrate({ ...request, out }, fake.host, measure);
  return { ...fake, out, exit };
};

it('writes its measurements and a page to the requested folder', async () => {
  const { exit, out, printed, listed } = await calibrated('kept', cellOf);
  expect(exit).toBe('pass');
  const text = await readFile(join(out, 'calibration.json'), 'utf8');
  const stored = calibrationSchema.parse(JSON.parse(text));
  expect(text).toBe(`${JSON.stringify(stored, null, 2)}\n`);
  // Over each of both transports.
  expect(stored.cells.map(({ streams }) => streams)).toEqual([10, 10]);
  expect(JSON.parse(printed[0]!.json!)).toEqual(stored);
  expect(await readFile(join(out, 'calibration.html'), 'utf8')).toContain('Measurement error');
  expect(listed).toEqual([
    `Report:      ${join(out, 'calibration.html')}`,
    `Calibration: ${join(out, 'calibration.json')}`,
  ]);
});

it('keeps it beside the history if nothing else was said', async () => {
  const { host, said } = fakeHost({ WEIR_HISTORY: join(folder, 'beside', 'history.db') });
  expect(await calibrate({ ...request, out: undefined }, host, cellOf)).toBe('pass');
  expect(await readdir(join(folder, 'beside'))).toContain('calibration.json');
  expect(said.filter((line) => !/^\d\/\d: /.test(line))).toEqual([]);
});

it('keeps nothing where there is no history, but prints it', async () => {
  const { host, printed, listed } = fakeHost({ WEIR_HISTORY: 'off' });
  expect(await calibrate({ ...request, out: undefined }, host, cellOf)).toBe('pass');
  expect(printed).toHaveLength(1);
  expect(listed.filter((line) => line !== '')).toEqual(['The calibration was not kept.']);
});

it('keeps nothing of a machine that was overloaded at every load', async () => {
  const { exit, said, out } = await calibrated('useless', async () =>
    sampleCalibrationCell({ trust: 'invalid' }),
  );
  expect(exit).toBe('invalid');
  expect(said.at(-1)).toBe(
    'The calibration was invalid at every load, because of the load generator: stop other programs, and calibrate again.',
  );
  await expect(readdir(out)).rejects.toThrow('ENOENT');
  let loads = 0;
  const half = await calibrated('half', async () =>
    sampleCalibrationCell({ trust: (loads += 1) === 1 ? 'invalid' : 'degraded' }),
  );
  expect(half.exit).toBe('pass');
});

it('keeps nothing if it was stopped or failed, and has the exit of the stop', async () => {
  const fake = fakeHost({ WEIR_HISTORY: 'off' });
  const { exit, out, listed } = await calibrated(
    'stopped',
    async (each) => {
      fake.stop('SIGINT');
      return cellOf(each);
    },
    fake,
  );
  expect(exit).toBe('interrupted');
  expect(listed).toContain('The calibration was not kept.');
  await expect(readdir(out)).rejects.toThrow('ENOENT');
  const failing = calibrated('failed', async () => {
    throw new Error('no port');
  });
  await expect(failing).rejects.toThrow('no port');
  await expect(readdir(join(folder, 'failed'))).rejects.toThrow('ENOENT');
});
