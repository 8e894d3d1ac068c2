import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resultSchema } from '../../model/result/result.ts';
import { launcher, startProgram, tempFolder, weir } from '../harness/weir-process.fixture.ts';

const injector = fileURLToPath(new URL('fault-injector.fixture.ts', import.meta.url));

/** What a command that met a fault has left. */
export type Remains =
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

export interface InjectedRun {
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

const start = (folder: string, environment: Readonly<Record<string, string>>) =>
  startProgram([process.execPath, '--import', injector, launcher, ...runWords(folder)], {
    PATH: process.env['PATH'],
    CI: 'true',
    NO_COLOR: '1',
    WEIR_HISTORY: 'off',
    TMPDIR: join(folder, 'tmp'),
    ...environment,
  });

/** The names of the calls at which a fault can be injected, in order. */
export const faultPoints = async (): Promise<readonly string[]> => {
  const folder = await tempFolder();
  await mkdir(join(folder, 'tmp'));
  const log = join(folder, 'log');
  await start(folder, { WEIR_FAULT_LOG: log }).ended;
  const lines = (await readFile(log, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => line.split(' ')[1] ?? '');
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
    const again = await weir(['report', out, '--out', join(folder, 'again')]);
    if (await isResult(join(folder, 'again', 'result.json'))) return 'checkpoint';
    return /killed in its first seconds/.test(again.stderr) ? 'first seconds' : 'lost';
  }
  return /before anything was sent|cannot be (?:written|read)|out of|injected/.test(stderr) ||
    stderr === ''
    ? 'nothing sent'
    : 'lost';
};

/** Runs Weir with a fault (an error code, or a signal) at one of its calls. */
export const runWithFault = async (fault: string, at: number): Promise<InjectedRun> => {
  const folder = await tempFolder();
  await mkdir(join(folder, 'tmp'));
  const began = performance.now();
  const run = start(folder, { WEIR_FAULT: fault, WEIR_FAULT_AT: String(at) });
  const { code, stderr } = await run.ended;
  const took = performance.now() - began;
  return { code, took, stderr, remains: await remainsIn(folder, stderr) };
};

/** Every call once, and of a long row of the same call its first, middle and last. */
export const distinctPoints = (names: readonly string[]): readonly number[] => {
  const points: number[] = [];
  for (let from = 0; from < names.length;) {
    let to = from;
    while (names[to + 1] === names[from]) to += 1;
    points.push(...new Set([from, Math.floor((from + to) / 2), to].map((i) => i + 1)));
    from = to + 1;
  }
  return points;
};
