import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { copyFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedPackages, manifestOf, packageRoot } from './installed-packages.ts';

/**
 * The files that the image of the reference gateway is built from: the running Weir, a checkout
 * or the published package, and its dependencies where Node finds them.
 */

/** An image to build, named by the hash of its content, so that an unchanged one is not built again. */
export interface ImageContext {
  /** Name and tag. */
  readonly image: string;
  /** Calls `build` with a temporary folder that contains the context. */
  withFolder<T>(build: (folder: string) => Promise<T>): Promise<T>;
}

/** `src` in a checkout, `dist` in the published package. */
const program = basename(resolve(import.meta.dirname, '..', '..'));
const dockerfile = fileURLToPath(new URL('../../mock/Dockerfile', import.meta.url));

/** The launcher runs the source if there is one, so the published package has the launcher only. */
const ownPaths = ['package.json', 'fixtures/speech', 'src/cli/weir.js', program];

const testOnly = /(\.test|.fixture)\.ts$|^src\/(acceptance|bench|proving)\//;

/** The program's own files without tests, as paths below the package's folder. */
const ownFiles = (): readonly string[] =>
  ownPaths
    .flatMap((path) => {
      const whole = join(packageRoot, path);
      return statSync(whole).isFile()
        ? [path]
        : readdirSync(whole, { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile())
            .map((entry) => relative(packageRoot, join(entry.parentPath, entry.name)));
    })
    .filter((path) => !testOnly.test(path))
    .sort();

/** A name that changes with anything in the image; of a package, with its version. */
const nameFor = (
  files: readonly string[],
  dependencies: ReadonlyMap<string, string>,
  base: string,
): string => {
  const hash = createHash('sha256').update(`${base}\0`).update(readFileSync(dockerfile));
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(join(packageRoot, file)));
  for (const [destination, source] of dependencies)
    hash.update(`${destination}\0${manifestOf(source).version}\0`);
  return `weir-mock:${hash.digest('hex').slice(0, 16)}`;
};

/** The context for this Weir on the base image `base`. */
export const imageContext = (base: string): ImageContext => {
  const files = ownFiles();
  const dependencies = installedPackages();
  return {
    image: nameFor(files, dependencies, base),
    withFolder: async (build) => {
      const folder = await mkdtemp(join(tmpdir(), 'weir-image-'));
      try {
        await copyFile(dockerfile, join(folder, 'Dockerfile'));
        for (const file of files) await cp(join(packageRoot, file), join(folder, 'weir', file));
        for (const [destination, source] of dependencies) {
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
