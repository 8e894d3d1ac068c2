import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { type FinishedProgram, startProgram } from '../harness/weir-process.fixture.ts';

/** npm as a user runs it, in separate folders, and what an installation consists of. */

export const checkout = resolve(import.meta.dirname, '..', '..', '..');

export const manifest = z
  .object({ version: z.string(), peerDependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8')));

const oldestNode = '22.22.3';

/** Packages that `npm ci` has fetched come from the cache; a registry that does not answer is asked again within a minute. */
const patience = ['--prefer-offline', '--fetch-timeout=60000', '--fetch-retries=4'];

/** npm without the settings of the npm that runs the tests; by the Node in `nodeFolder` if one is given. */
export const npm = async (
  words: readonly string[],
  folder: string,
  nodeFolder: string | null = null,
): Promise<FinishedProgram> => {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|init_cwd)/i.test(name));
  const { PATH = '', ...rest } = Object.fromEntries(own);
  const path = [...(nodeFolder === null ? [] : [nodeFolder]), PATH].join(delimiter);
  return startProgram(['npm', ...patience, ...words], { ...rest, PATH: path }, folder).ended;
};

export const npmOrFail: typeof npm = async (words, folder, nodeFolder) => {
  const ended = await npm(words, folder, nodeFolder);
  if (ended.code !== 0) throw new Error(`npm ${words.join(' ')}: ${ended.stdout}${ended.stderr}`);
  return ended;
};

/** A new folder, and how to make folders in it in which npm does not search its parents. */
export const scratchFolder = async () => {
  const path = await mkdtemp(join(tmpdir(), 'weir-package-'));
  return {
    path,
    emptyProject: async (name: string): Promise<string> => {
      const folder = join(path, name);
      await mkdir(folder);
      await writeFile(join(folder, 'package.json'), '{ "private": true }');
      return folder;
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
};

/** Packs the checkout into `folder`; resolves with the path of the tarball. */
export const packInto = async (folder: string): Promise<string> => {
  await npmOrFail(['run', '--silent', 'package', '--', folder], checkout);
  return join(folder, `weir-bench-${manifest.version}.tgz`);
};

/** The folders of Nodes outside the checkout, made with `emptyProject`; `null` if the registry does not provide it. */
export const foldersOfNode = {
  [`Node ${oldestNode}`]: async (
    emptyProject: (name: string) => Promise<string>,
  ): Promise<string | null> => {
    const folder = await emptyProject('oldest');
    const name = `node-${process.platform}-${process.arch}`;
    const { code } = await npm(['install', `${name}@${oldestNode}`], folder);
    return code === 0 ? join(folder, 'node_modules', name, 'bin') : null;
  },
  'Node 24': async (): Promise<string | null> => dirname(process.execPath),
};

/** What an installation takes. */
export interface Installation {
  readonly packages: number;
  /** Packages with a script that npm would run. */
  readonly scripts: readonly string[];
  /** Bytes of all files, and the space that they take on the disk. */
  readonly bytes: number;
  readonly onDisk: number;
}

/** Measures `node_modules` of a project, by npm's own list of what it installed. */
export const measureInstallation = async (project: string): Promise<Installation> => {
  const root = join(project, 'node_modules');
  const { packages } = z
    .object({
      packages: z.record(z.string(), z.object({ hasInstallScript: z.boolean().optional() })),
    })
    .parse(JSON.parse(await readFile(join(root, '.package-lock.json'), 'utf8')));
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  const stats = await Promise.all(paths.map((path) => stat(path)));
  const files = stats.filter((each) => each.isFile());
  return {
    packages: Object.keys(packages).length,
    scripts: Object.keys(packages).filter((name) => packages[name]!.hasInstallScript === true),
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    onDisk: stats.reduce((sum, { blocks }) => sum + 512 * blocks, 0),
  };
};
