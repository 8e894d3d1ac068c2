import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { copyFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * What the image of the reference gateway is built from: the Weir that is running, be it a checkout
 * or the published package, and the packages that it depends on, where Node finds them from here.
 */

/** A folder that holds a package, and where the context holds it. */
interface PlacedPackage {
  readonly source: string;
  readonly destination: string;
}

/** An image to be built, named by all that goes into it, so that an unchanged one is there already. */
export interface ImageContext {
  /** Name and tag. */
  readonly image: string;
  /** Lays the context out in a folder of its own for as long as `build` takes. */
  withFolder<T>(build: (folder: string) => Promise<T>): Promise<T>;
}

const root = resolve(import.meta.dirname, '..', '..', '..');
/** `src` in a checkout, `dist` in the published package. */
const program = basename(resolve(import.meta.dirname, '..', '..'));
const dockerfile = fileURLToPath(new URL('../../mock/Dockerfile', import.meta.url));

/** The launcher runs the source where there is one, so the published form takes it alone. */
const ownPaths = ['package.json', 'fixtures/speech', 'src/cli/weir.js', program];

const testOnly = /(\.test|.fixture)\.ts$|^src\/(acceptance|bench)\//;

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** Where Node, asked from `folder`, finds the package `name`. */
const find = (name: string, folder: string): string => {
  const candidate = join(folder, 'node_modules', name);
  if (existsSync(join(candidate, 'package.json'))) return realpathSync(candidate);
  const parent = dirname(folder);
  if (parent === folder) throw new Error(`The package ${name} is not installed.`);
  return find(name, parent);
};

/** What a package at `place` would be given for `name`: the nearest one on the way up. */
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
 * All packages that the program needs, each where those that need it find it: at the top, or below
 * the one that needs another version. A package's own are placed before any of theirs are.
 */
const packages = (): readonly PlacedPackage[] => {
  const placed = new Map<string, string>();
  const waiting: PlacedPackage[] = [{ source: root, destination: '.' }];
  for (const { source, destination: place } of waiting) {
    for (const name of Object.keys(manifestOf(source).dependencies ?? {})) {
      const found = find(name, source);
      const there = resolvedFrom(placed, name, place);
      if (there === found) continue;
      const destination = join(there === null ? '.' : place, 'node_modules', name);
      placed.set(destination, found);
      waiting.push({ source: found, destination });
    }
  }
  return [...placed].map(([destination, source]) => ({ source, destination }));
};

/** The program's own files, without what only looks at it: paths below the package's folder. */
const ownFiles = (): readonly string[] =>
  ownPaths
    .flatMap((path) => {
      const whole = join(root, path);
      return statSync(whole).isFile()
        ? [path]
        : readdirSync(whole, { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile())
            .map((entry) => relative(root, join(entry.parentPath, entry.name)));
    })
    .filter((path) => !testOnly.test(path))
    .sort();

/** A name that is another as soon as anything in the image is; a package is known by its version. */
const nameFor = (
  files: readonly string[],
  dependencies: readonly PlacedPackage[],
  base: string,
): string => {
  const hash = createHash('sha256').update(`${base}\0`).update(readFileSync(dockerfile));
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  for (const { source, destination } of dependencies)
    hash.update(`${destination}\0${manifestOf(source).version}\0`);
  return `weir-mock:${hash.digest('hex').slice(0, 16)}`;
};

/** The context for this Weir on the base image `base`. */
export const imageContext = (base: string): ImageContext => {
  const files = ownFiles();
  const dependencies = packages();
  return {
    image: nameFor(files, dependencies, base),
    withFolder: async (build) => {
      const folder = await mkdtemp(join(tmpdir(), 'weir-image-'));
      try {
        await copyFile(dockerfile, join(folder, 'Dockerfile'));
        for (const file of files) await cp(join(root, file), join(folder, 'weir', file));
        for (const { source, destination } of dependencies) {
          await cp(source, join(folder, destination), {
            recursive: true,
            filter: (path) => !relative(source, path).split(sep).includes('node_modules'),
          });
        }
        return await build(folder);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
};
