import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** The folder of the running Weir, which is a checkout or the published package. */
export const packageRoot = resolve(import.meta.dirname, '..', '..', '..');

export const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** Returns the folder in which Node finds the package `name` when code in `folder` imports it. */
const find = (name: string, folder: string): string => {
  const candidate = join(folder, 'node_modules', name);
  if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate);
  const parent = dirname(folder);
  if (parent === folder) throw new Error(`The package ${name} is not installed.`);
  return find(name, parent);
};

/**
 * Returns the package that code at `place` gets when the code imports `name`: the nearest package with this name in the
 * folder `place` and the folders above.
 */
const resolvedFrom = (
  placed: ReadonlyMap<string, string>,
  name: string,
  place: string,
): string | null => {
  for (let folder = place; ; folder = dirname(folder)) {
    const source = placed.get(join(folder, 'node_modules', name));
    if (source !== undefined) return source;
    if (folder === '.') return null;
  }
};

/**
 * Returns the names of the packages that npm installs for a package: its dependencies, and its peer dependencies that
 * are not optional.
 */
const requirementsOf = (folder: string): readonly string[] => {
  const { dependencies, peerDependencies, peerDependenciesMeta } = manifestOf(folder);
  const peers = Object.keys(peerDependencies ?? {});
  return [
    ...Object.keys(dependencies ?? {}),
    ...peers.filter((name) => peerDependenciesMeta?.[name]?.optional !== true),
  ];
};

/**
 * Finds the folders of all packages that the program needs, and of the optional packages in `extra`. The keys are the
 * paths to which the packages are copied. A package is copied to the top level. If another version of the package is
 * already there, the package is copied below the package that needs it. Direct dependencies come first. Throws for a
 * package that is not installed.
 */
export const installedPackages = (extra: readonly string[] = []): ReadonlyMap<string, string> => {
  const placed = new Map<string, string>();
  const waiting: (readonly [place: string, source: string])[] = [['.', packageRoot]];
  for (const [place, source] of waiting) {
    const names = requirementsOf(source);
    for (const name of place === '.' ? [...names, ...extra] : names) {
      const found = find(name, source);
      const there = resolvedFrom(placed, name, place);
      if (there === found) continue;
      const destination = join(there === null ? '.' : place, 'node_modules', name);
      placed.set(destination, found);
      waiting.push([destination, found]);
    }
  }
  return placed;
};
