import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * Which tests run when. A file's name ends in its class, and a line at its top, such as
 * `// @long 40 s`, says that it does not run always. `.ci/README.md` explains both.
 */

/** What a test needs: nothing, processes and sockets, programs of the system, software of others. */
const testClasses = ['unit', 'process', 'system', 'field'] as const;
export type TestClass = (typeof testClasses)[number];
const marks = ['gate', 'long', 'full'] as const;

/** How many files of a class run at a time. Those of processes mostly wait, so they are more than there are cores. */
export const workersOf = {
  unit: 2,
  process: 5,
  system: 2,
  field: 2,
} as const satisfies Readonly<Record<TestClass, number>>;

export interface TestFile {
  /** Its path below the checkout. */
  readonly path: string;
  readonly testClass: TestClass;
  /** `gate` runs in each `.ci/run`, `long` takes its turn with others, `full` runs only with all. */
  readonly mark: (typeof marks)[number] | null;
  /** Whether its figures need a machine on which nothing else runs. */
  readonly isAlone: boolean;
  /** How long it takes on two idle cores, in seconds; 0 where no mark says so. */
  readonly seconds: number;
  /** Why it runs only with all; else empty. */
  readonly reason: string;
}

/** A long file runs once in this many days. */
const days = 10;

const checkout = resolve(import.meta.dirname, '..');

const classOf = (path: string): TestClass => {
  const [, suffix = 'unit'] = /\.([^./]+)\.test\.ts$/.exec(path) ?? [];
  const found = testClasses.find((each) => each === suffix);
  if (found === undefined) throw new Error(`${path}: .${suffix} is no class of tests`);
  return found;
};

const readTestFile = (path: string): TestFile => {
  const [head = ''] = readFileSync(join(checkout, path), 'utf8').split(/^(?!\/\/ @)/m);
  const [, mark, seconds, reason = ''] =
    /^\/\/ @(gate|long|full) (\d+) s(?:: (.+))?$/m.exec(head) ?? [];
  return {
    path,
    testClass: classOf(path),
    mark: marks.find((each) => each === mark) ?? null,
    isAlone: /^\/\/ @alone: /m.test(head),
    seconds: Number(seconds ?? 0),
    reason,
  };
};

/** Every file of tests below `src`, in the order of their paths. */
export const testFiles = (): readonly TestFile[] =>
  readdirSync(join(checkout, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => join('src', path))
    .toSorted()
    .map(readTestFile);

/** An order that has nothing to do with the names. */
const shuffled = (files: readonly TestFile[]): readonly TestFile[] =>
  files.toSorted((a, b) => (hashOf(a.path) < hashOf(b.path) ? -1 : 1));

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What one day has: files, their time, and what that adds to the day, on which some run at the same time. */
interface Share {
  seconds: number;
  wall: number;
  files: TestFile[];
}

/** Deals files of one class to the days, so that each has about the same time of them; of equal days, the shortest so far gets the next. */
const deal = (files: readonly TestFile[], shares: readonly Share[]): void => {
  for (const share of shares) share.seconds = 0;
  for (const file of shuffled(files).toSorted((a, b) => b.seconds - a.seconds)) {
    const least = shares.reduce((best, each) =>
      (each.seconds - best.seconds || each.wall - best.wall) < 0 ? each : best,
    );
    least.seconds += file.seconds;
    least.wall += file.seconds / (file.isAlone ? 1 : workersOf[file.testClass]);
    least.files.push(file);
  }
};

/** The long files whose turn it is on a date such as 2026-11-27: each has one in `days` days. */
export const drawnOn = (date: string, files: readonly TestFile[]): readonly TestFile[] => {
  const day = Date.parse(`${date}T00:00:00Z`) / 86_400_000;
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || Number.isNaN(day))
    throw new Error(`WEIR_SAMPLE: expected a date such as 2026-11-27, got ${date}`);
  const long = files.filter(({ mark }) => mark === 'long');
  const shares = Array.from({ length: days }, (): Share => ({ seconds: 0, wall: 0, files: [] }));
  const byClass = Object.groupBy(long, ({ testClass, isAlone }) => (isAlone ? 'alone' : testClass));
  // Those that run alone are few: they go to the days on which the others end early.
  for (const each of [...testClasses, 'alone'] as const) deal(byClass[each] ?? [], shares);
  return shares[day % days]!.files;
};

/** What `WEIR_TESTS` asks for: the short tests, all but some of the long ones, or all. */
const choices = ['short', 'sample', 'all'] as const;

export const chosenFiles = (
  files: readonly TestFile[],
  { WEIR_TESTS: choice = 'short', WEIR_SAMPLE: date }: Readonly<NodeJS.ProcessEnv>,
): readonly TestFile[] => {
  if (!choices.some((each) => each === choice))
    throw new Error(`WEIR_TESTS: expected ${choices.join(', ')}, got ${choice}`);
  if (choice === 'all') return files;
  const today = new Date().toISOString().slice(0, 10);
  if (choice === 'short') return files.filter(({ mark }) => mark === null);
  const drawn = new Set(drawnOn(date ?? today, files));
  return files.filter((file) => file.mark === null || file.mark === 'gate' || drawn.has(file));
};
