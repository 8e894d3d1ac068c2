import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { covers, type Spans } from './covered-spans.ts';

/** Which files of tests run a place of the source, and which may. */

interface TestCoverage {
  readonly test: string;
  /** How long the file took. */
  readonly seconds: number;
  readonly loading: Readonly<Record<string, Spans>>;
  readonly running: Readonly<Record<string, Spans>>;
}

/** Reads what `reach-runner.ts` has written. */
export const readCoverage = (folder: string): readonly TestCoverage[] =>
  readdirSync(folder).map(
    (name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as TestCoverage,
  );

/** Relative imports of a module, static or not, as paths below the root. */
export const importsOf = (path: string, text: string): readonly string[] =>
  [...text.matchAll(/(?:from|import\(|import)\s*'(\.[^']*)'/g)].map(([, target = '']) =>
    join(dirname(path), target),
  );

/** How many imports lie between each file and the one at `path`, of those that lead to it. */
export const distancesTo = (
  path: string,
  importersOf: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, number> => {
  const distances = new Map([[path, 0]]);
  // What is added to a map while it is walked through is walked through too.
  for (const [each, distance] of distances)
    for (const importer of importersOf.get(each) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1);
  return distances;
};

/** Who imports each file below `src`. */
export const readImporters = (
  root: string,
  paths: readonly string[],
): ReadonlyMap<string, readonly string[]> => {
  const importers = new Map<string, string[]>();
  for (const path of paths)
    for (const target of importsOf(path, readFileSync(join(root, path), 'utf8')))
      importers.set(target, [...(importers.get(target) ?? []), path]);
  return importers;
};

export interface Reach {
  readonly root: string;
  readonly coverage: readonly TestCoverage[];
  readonly importersOf: ReadonlyMap<string, readonly string[]>;
}

/** The tests that run a place, the nearest ones first; all that import the file if it runs while it is loaded. */
export const reachingTests = (
  { root, coverage, importersOf }: Reach,
  { path, start }: { readonly path: string; readonly start: number },
): readonly string[] => {
  const file = join(root, path);
  const distances = distancesTo(path, importersOf);
  const nameOf = ({ test }: TestCoverage): string => relative(root, test);
  const runs = (spans: Spans | undefined): boolean => spans !== undefined && covers(spans, start);
  const isLoaded = coverage.some(({ loading }) => runs(loading[file]));
  return coverage
    .filter((each) => runs(each.running[file]) || (isLoaded && distances.has(nameOf(each))))
    .map(nameOf)
    .toSorted((a, b) => (distances.get(a) ?? 99) - (distances.get(b) ?? 99) || (a < b ? -1 : 1));
};

/** The tests that import a file, those of its folder first, then those with the fewest imports between; for want of a measured reach. */
export const importingTests = (
  importersOf: ReadonlyMap<string, readonly string[]>,
  tests: readonly string[],
  path: string,
): readonly string[] => {
  const distances = distancesTo(path, importersOf);
  const isBeside = (test: string): number => (dirname(test) === dirname(path) ? 0 : 1);
  return tests
    .filter((test) => distances.has(test))
    .toSorted(
      (a, b) =>
        isBeside(a) - isBeside(b) || distances.get(a)! - distances.get(b)! || (a < b ? -1 : 1),
    );
};
