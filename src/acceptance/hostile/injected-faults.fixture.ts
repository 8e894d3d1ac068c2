import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { resultSchema } from '../../model/result/result.ts';
import {
  launcher,
  startProgram,
  tempFolder,
  weirProcess,
} from '../harness/weir-process.fixture.ts';

const injectors = {
  calls: fileURLToPath(new URL('fault-injector.fixture.ts', import.meta.url)),
  awaits: fileURLToPath(new URL('await-injector.fixture.ts', import.meta.url)),
} as const;
type Points = keyof typeof injectors;

/** What a command that met a fault has left. */
type Remains =
  /** Nothing was sent, and the command said why. */
  | 'nothing sent'
  | 'whole report'
  /** The result, where the folder could not take it. */
  | 'result elsewhere'
  /** A checkpoint that `weir report` made a report of. */
  | 'checkpoint'
  /** A checkpoint of a run that was killed before its first snapshot, within the ten seconds that may be lost. */
  | 'first seconds'
  | 'lost';

interface InjectedRun {
  readonly code: number | null;
  readonly took: number;
  readonly remains: Remains;
  readonly stderr: string;
}

const load = '--target mock --model weir/small --rate 20/s --duration 500ms --max-tokens 2';

/** A run that writes every kind of file. */
const runWords = (folder: string): readonly string[] => [
  'run',
  ...load.split(' '),
  '--capture',
  'all',
  '--out',
  join(folder, 'out'),
  '--junit',
  join(folder, 'run.xml'),
  '--csv',
  join(folder, 'run.csv'),
  '--observations',
  join(folder, 'run.jsonl'),
];

const start = (points: Points, folder: string, environment: Readonly<Record<string, string>>) =>
  startProgram([process.execPath, '--import', injectors[points], launcher, ...runWords(folder)], {
    PATH: process.env['PATH'],
    CI: 'true',
    NO_COLOR: '1',
    WEIR_HISTORY: 'off',
    TMPDIR: join(folder, 'tmp'),
    ...environment,
  });

/** The lines that an injector writes when nothing fails: one for each point, in order. */
const listPoints = async (points: Points): Promise<readonly string[]> => {
  const folder = await tempFolder();
  await mkdir(join(folder, 'tmp'));
  const log = join(folder, 'log');
  await start(points, folder, { WEIR_FAULT_LOG: log }).ended;
  return (await readFile(log, 'utf8')).trimEnd().split('\n');
};

const isResult = async (file: string): Promise<boolean> => {
  try {
    return resultSchema.safeParse(JSON.parse(await readFile(file, 'utf8'))).success;
  } catch {
    return false;
  }
};

const remainsIn = async (folder: string, stderr: string): Promise<Remains> => {
  const out = join(folder, 'out');
  const hasReport = existsSync(join(out, 'report.html'));
  if (hasReport && (await isResult(join(out, 'result.json')))) return 'whole report';
  const [, kept] = /its data is in (\S+?)\.?\n/.exec(stderr) ?? [];
  if (kept !== undefined && (await isResult(kept))) return 'result elsewhere';
  if (existsSync(join(out, 'result.json')) || existsSync(join(out, 'checkpoint.jsonl'))) {
    const again = await weirProcess(['report', out, '--out', join(folder, 'again')]);
    if (await isResult(join(folder, 'again', 'result.json'))) return 'checkpoint';
    return /killed in its first seconds/.test(again.stderr) ? 'first seconds' : 'lost';
  }
  return /before the load began|cannot be (?:written|read)|out of|injected/.test(stderr) ||
    stderr === ''
    ? 'nothing sent'
    : 'lost';
};

/** Runs Weir with a fault: an error code, or a signal. */
const runWithFault = async (
  points: Points,
  environment: Readonly<Record<string, string>>,
): Promise<InjectedRun> => {
  const folder = await tempFolder();
  await mkdir(join(folder, 'tmp'));
  const began = performance.now();
  const run = start(points, folder, environment);
  const { code, stderr } = await run.ended;
  const took = performance.now() - began;
  return { code, took, stderr, remains: await remainsIn(folder, stderr) };
};

/** Every call once, and of a long row of the same call its first, middle and last. */
const distinctPoints = (names: readonly string[]): readonly number[] => {
  const points: number[] = [];
  for (let from = 0; from < names.length;) {
    let to = from;
    while (names[to + 1] === names[from]) to += 1;
    points.push(...new Set([from, Math.floor((from + to) / 2), to].map((i) => i + 1)));
    from = to + 1;
  }
  return points;
};

/** What a fault may leave after the load has begun. */
const kept: readonly Remains[] = ['whole report', 'result elsewhere', 'checkpoint'];

/** How long a run that meets a fault may take, in ms, on a busy machine too. */
const deadline = 30_000;

type Table = Partial<Record<Remains, number>>;

const countIn = (table: Table, remains: Remains): void => {
  table[remains] = (table[remains] ?? 0) + 1;
};

const printed = (line: string): string => {
  console.log(line);
  return line;
};

/** Two at a time, since each run waits more than it computes; no further one begins after one has failed. */
const eachOf = async <T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> => {
  const rest = [...items];
  const actOnNext = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift())
      await act(item).catch((error: unknown) => {
        rest.length = 0;
        throw error;
      });
  };
  await Promise.all([actOnNext(), actOnNext()]);
};

/** Injects a fault at every `step`-th call to the file system and checks what is left; prints and returns a line that counts it. */
export const expectNothingLost = async (fault: string, step: number): Promise<string> => {
  const names = (await listPoints('calls')).map((line) => line.split(' ')[1] ?? '');
  const loadBegins = names.indexOf('handle.write') + 1;
  const loadEnded = names.indexOf('rm', loadBegins) + 1;
  expect(loadBegins).toBeGreaterThan(1);
  expect(loadEnded).toBeGreaterThan(loadBegins);
  const points = distinctPoints(names).filter((_, i) => i % step === 0);
  const table: Table = {};
  await eachOf(points, async (at) => {
    const { code, took, remains, stderr } = await runWithFault('calls', {
      WEIR_FAULT: fault,
      WEIR_FAULT_AT: String(at),
    });
    const where = `${fault} at ${at}, ${names[at - 1]}: exit ${code}, ${remains}\n${stderr}`;
    const mayLoseSeconds = fault === 'SIGKILL' && at < loadEnded;
    if (at > loadBegins && !mayLoseSeconds) expect(kept, where).toContain(remains);
    expect(remains, where).not.toBe('lost');
    expect(took, where).toBeLessThan(deadline);
    if (fault.startsWith('E')) expect(code, where).not.toBe(1);
    countIn(table, remains);
  });
  return printed(
    `${fault} at ${points.length} of ${names.length} points: ${JSON.stringify(table)}`,
  );
};

/** Sends a signal at every `step`-th place where Weir waits, and checks what is left; prints and returns a line that counts it. */
export const expectNothingLostAtAwaits = async (signal: string, step: number): Promise<string> => {
  const places = await listPoints('awaits');
  const firstIn = (file: string): number => places.findIndex((place) => place.startsWith(file));
  const loadBegins = firstIn('engine/run-slice.ts');
  const loadEnded = firstIn('run/output/write-outputs.ts');
  expect(loadBegins).toBeGreaterThan(0);
  expect(loadEnded).toBeGreaterThan(loadBegins);
  const table: Table = {};
  const taken = [...places.entries()].filter(([at]) => at % step === 0);
  await eachOf(taken, async ([at, place]) => {
    const { code, took, remains, stderr } = await runWithFault('awaits', {
      WEIR_FAULT: signal,
      WEIR_FAULT_PLACE: place,
    });
    const where = `${signal} at ${at}, ${place}: exit ${code}, ${remains}\n${stderr}`;
    if (at >= (signal === 'SIGKILL' ? loadEnded : loadBegins))
      expect(kept, where).toContain(remains);
    expect(remains, where).not.toBe('lost');
    expect(took, where).toBeLessThan(deadline);
    countIn(table, remains);
  });
  return printed(
    `${signal} at ${taken.length} of ${places.length} awaits: ${JSON.stringify(table)}`,
  );
};
