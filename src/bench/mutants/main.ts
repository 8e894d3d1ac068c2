import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chosenFiles, testFiles } from '../../../.ci/test-files.ts';
import { randomFrom } from '../../judge/limits/facts/true-token-limiters.fixture.ts';
import equivalents from './equivalent.json' with { type: 'json' };
import { mutantsTable, noticedPart } from './mutants-table.ts';
import { type Mutant, openCompiler, randomMutants } from './random-mutants.ts';
import { copyTree } from './tree-copy.ts';
import {
  askNearest,
  askReaching,
  measureReach,
  type MutantOutcome,
  tryMutant,
} from './try-mutants.ts';

/**
 * `npm run mutants -- --seed 7 --count 100`: changes one place of the source at a time, in a copy of the tree, and asks
 * whether `npm test` notices. Writes reports/mutants.json; ends with 1 if too few are noticed. `--even` draws as many from
 * each room; `--nearest 30` asks the 30 test files that lie nearest by imports, without measuring first which run a place.
 */

/** Of 40 mutants, tests that notice two of three notice fewer than this in about one of a hundred samples. */
const least = 0.5;

/** What is not shipped, or not written in TypeScript, is not changed. */
const isChanged = (path: string): boolean =>
  !/^src\/(acceptance|bench|proving)\/|\.(test|fixture|d)\.ts$/.test(path);

const usage = `npm run mutants -- [--seed N] [--count 100] [--even] [--rooms run,verbs/cache] [--nearest 30]
                   [--out reports/mutants.json] [--again reports/mutants.json] [--help]`;

/** Ends with 2, as the command does for words that it cannot read. */
const refuse = (problem: string): never => {
  console.error(`${problem}\n${usage}`);
  return end(2);
};

const end = (status: number): never => {
  // oxlint-disable-next-line unicorn/no-process-exit -- the script is top-level code, and nothing is open yet
  process.exit(status);
};

const optionsOf = () => {
  try {
    return parseArgs({
      options: {
        seed: {
          type: 'string',
          default: new Date().toISOString().slice(0, 10).replaceAll('-', ''),
        },
        count: { type: 'string', default: '100' },
        rooms: { type: 'string', default: '' },
        even: { type: 'boolean', default: false },
        out: { type: 'string', default: 'reports/mutants.json' },
        again: { type: 'string' },
        nearest: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    return refuse((error as Error).message);
  }
};

const values = optionsOf();
if (values.help) {
  console.log(usage);
  end(0);
}

/** Returns a whole number above 0. */
const wholeNumber = (option: string, written: string): number =>
  /^[1-9]\d*$/.test(written)
    ? Number(written)
    : refuse(`--${option} ${written}: a whole number above 0 was expected, such as 30`);

const root = resolve(import.meta.dirname, '../../..');
const all = globSync('src/**/*.ts', { cwd: root }).toSorted();
const rooms =
  values.rooms !== ''
    ? values.rooms.split(',')
    : [...new Set(all.filter(isChanged).map((path) => path.split('/')[1]!))];
const nearest = values.nearest === undefined ? null : wholeNumber('nearest', values.nearest);
const [seed, count] = [wholeNumber('seed', values.seed), wholeNumber('count', values.count)];
const sources = all
  .filter(isChanged)
  .filter((path) => rooms.some((room) => path.startsWith(`src/${room}/`)));
const unknown = rooms.filter((room) => !sources.some((path) => path.startsWith(`src/${room}/`)));
if (unknown.length > 0) refuse(`--rooms ${unknown.join()}: no source lies there`);
const tests = chosenFiles(testFiles(), {})
  .filter(({ testClass, isAlone }) => testClass === 'unit' && !isAlone)
  .map(({ path }) => path);

const isSame = (
  one: Pick<Mutant, 'path' | 'before' | 'after'>,
  other: Pick<Mutant, 'path' | 'before' | 'after'>,
): boolean => one.path === other.path && one.before === other.before && one.after === other.after;

/** The first mutants of a seed that are not listed as equivalent. */
function* drawn(): Generator<Mutant> {
  const random = randomFrom(seed);
  let left = count;
  const draws = values.even
    ? inTurn(
        rooms.map((room) =>
          randomMutants(
            compiler,
            sources.filter((path) => path.startsWith(`src/${room}/`)),
            random,
          ),
        ),
      )
    : randomMutants(compiler, sources, random);
  for (const mutant of draws) {
    if (left === 0) return;
    if (equivalents.some((each) => isSame(each, mutant))) continue;
    left -= 1;
    yield mutant;
  }
}

/** One of each in turn, until all have ended. */
function* inTurn<T>(generators: readonly Generator<T>[]): Generator<T> {
  const open = new Set(generators);
  while (open.size > 0)
    for (const each of open) {
      const next = each.next();
      if (next.done === true) open.delete(each);
      else yield next.value;
    }
}

/** Those that nobody noticed, of an earlier table. */
const survivors = (file: string): readonly Mutant[] =>
  (
    JSON.parse(readFileSync(file, 'utf8')) as { readonly outcomes: readonly MutantOutcome[] }
  ).outcomes
    .filter(({ noticedBy }) => noticedBy === null)
    .filter((mutant) => !equivalents.some((each) => isSame(each, mutant)));

const copy = copyTree(root);
// Everything is read in the copy, so that the tree can be edited meanwhile.
const compiler = openCompiler(copy.root);
// The tests of a mutant end with this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    process.exitCode = 1;
    copy.remove();
    process.exit();
  });
const outcomes: MutantOutcome[] = [];
try {
  const asked =
    nearest === null
      ? askReaching(await measureReach(copy, all, tests))
      : askNearest(copy, all, tests, nearest);
  for (const mutant of values.again === undefined ? drawn() : survivors(values.again)) {
    const original = readFileSync(join(copy.root, mutant.path), 'utf8');
    outcomes.push(await tryMutant(copy, asked, mutant, original));
    mkdirSync(join(root, 'reports'), { recursive: true });
    writeFileSync(resolve(values.out), JSON.stringify({ seed: values.seed, outcomes }, null, 2));
  }
} finally {
  compiler.close();
  copy.remove();
}
console.log(mutantsTable(outcomes));
// A part of nothing is not enough either.
if (!(noticedPart(outcomes) >= least)) process.exitCode = 1;
