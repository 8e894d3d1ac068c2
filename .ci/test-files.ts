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
const days = 6;

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

/** Deals files into as many groups as there are days, of about the same time each. */
const deal = (files: readonly TestFile[]): readonly (readonly TestFile[])[] => {
  const groups = Array.from({ length: days }, () => ({ seconds: 0, files: [] as TestFile[] }));
  for (const file of shuffled(files).toSorted((a, b) => b.seconds - a.seconds)) {
    const least = groups.reduce((best, each) => (each.seconds < best.seconds ? each : best));
    least.seconds += file.seconds;
    least.files.push(file);
  }
  return groups.map((group) => group.files);
};

/** The long files whose turn it is on a date such as 2026-11-27: each has one in `days` days. */
export const drawnOn = (date: string, files: readonly TestFile[]): readonly TestFile[] => {
  const day = Date.parse(`${date}T00:00:00Z`) / 86_400_000;
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || Number.isNaN(day))
    throw new Error(`WEIR_SAMPLE: expected a date such as 2026-11-27, got ${date}`);
  const long = files.filter(({ mark }) => mark === 'long');
  // What waits for the others to end is dealt apart, so that each day has its share of both.
  return Object.values(
    Object.groupBy(long, ({ testClass, isAlone }) => `${testClass}${isAlone ? ' alone' : ''}`),
  ).flatMap((group) => deal(group)[day % days] ?? []);
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
