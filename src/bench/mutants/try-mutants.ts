import { join, relative } from 'node:path';
import { type Mutant, mutated } from './random-mutants.ts';
import {
  importingTests,
  type Reach,
  reachingTests,
  readCoverage,
  readImporters,
} from './reaching-tests.ts';
import type { TreeCopy } from './tree-copy.ts';

/** Puts mutants into a copy of the tree, one after another, and asks the unit tests that run the place. */

/** What became of a mutant. */
export interface MutantOutcome extends Mutant {
  /** The first file of tests that failed, or that a time limit was reached; null if none noticed. */
  readonly noticedBy: string | null;
  /** How many files of tests run the place. */
  readonly tests: number;
}

/** The nearest tests are asked first, since they mostly notice. */
const nearest = 10;
const patienceSeconds = 45;

/** Runs all unit tests unchanged; finds what each runs. Tests that fail without a change are left out. */
export const measureReach = async (
  copy: TreeCopy,
  sources: readonly string[],
  tests: readonly string[],
): Promise<Reach> => {
  const folder = join(copy.root, 'reports', 'reach');
  const { ending, failed } = await copy.runTests(tests, {
    seconds: 900,
    toTheEnd: true,
    reach: folder,
  });
  for (const each of failed) console.log(`${each} fails without a change, and is left out.`);
  if (ending === 'time limit' || (ending === 'failed' && failed.length === 0))
    throw new Error('the unit tests do not run without a change');
  return {
    root: copy.root,
    coverage: readCoverage(folder).filter(
      ({ test }) => !failed.some((each) => test.endsWith(each)),
    ),
    importersOf: readImporters(copy.root, sources),
  };
};

/** Which tests are asked about a mutant, and how long one of them takes, in s. */
export interface Asked {
  readonly testsOf: (mutant: Mutant) => readonly string[];
  readonly secondsOf: (test: string) => number;
}

/** Asks all tests that run the place. */
export const askReaching = (reach: Reach): Asked => {
  const seconds = new Map(
    reach.coverage.map((each) => [relative(reach.root, each.test), each.seconds]),
  );
  return {
    testsOf: (mutant) => reachingTests(reach, mutant),
    secondsOf: (test) => seconds.get(test) ?? 0,
  };
};

/** Asks so many tests that import the file, where measuring what each runs would take too long. */
export const askNearest = (
  copy: TreeCopy,
  sources: readonly string[],
  tests: readonly string[],
  most: number,
): Asked => {
  const importersOf = readImporters(copy.root, sources);
  return {
    testsOf: ({ path }) => importingTests(importersOf, tests, path).slice(0, most),
    secondsOf: () => 2,
  };
};

/** Tries one mutant, and puts the file back. */
export const tryMutant = async (
  copy: TreeCopy,
  { testsOf, secondsOf }: Asked,
  mutant: Mutant,
  original: string,
): Promise<MutantOutcome> => {
  const tests = testsOf(mutant);
  const text = mutated(original, mutant);
  if (text === null) throw new Error(`${mutant.path} has changed since its mutant was drawn`);
  copy.write(mutant.path, text);
  let noticedBy: string | null = null;
  for (const part of [tests.slice(0, nearest), tests.slice(nearest)]) {
    if (part.length === 0 || noticedBy !== null) continue;
    const usual = part.reduce((sum, test) => sum + secondsOf(test), 0);
    const { ending, failed } = await copy.runTests(part, { seconds: patienceSeconds + 4 * usual });
    if (ending !== 'passed')
      noticedBy = ending === 'time limit' ? ending : (failed[0] ?? 'no start');
  }
  copy.write(mutant.path, original);
  return { ...mutant, noticedBy, tests: tests.length };
};
