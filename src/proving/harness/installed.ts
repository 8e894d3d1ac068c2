import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchPackages, outputOf } from './program-output.ts';

/** Where packages of others are kept: `WEIR_PROVING_CACHE`, or a folder of the user's cache. */
const cacheFolder = (): string =>
  process.env['WEIR_PROVING_CACHE'] ??
  join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'weir-proving');

/** The path of a file of this room, given by its path below `src/proving`. */
export const roomFile = (path: string): string =>
  fileURLToPath(new URL(`../${path}`, import.meta.url));

/** The version that a manifest of this room pins. `pattern` has one group. */
export const pinnedIn = async (file: string, pattern: RegExp): Promise<string> => {
  const version = pattern.exec(await readFile(roomFile(file), 'utf8'))?.[1];
  if (version === undefined) throw new Error(`${file} has nothing like ${String(pattern)}`);
  return version;
};

interface Installation {
  readonly name: string;
  /** Names in the folder, and the room's files that are copied to them; a changed one installs anew. */
  readonly files: Readonly<Record<string, string>>;
  /** What else the installation depends on, such as the version of an interpreter. */
  readonly basis?: string;
  readonly install: (folder: string) => Promise<unknown>;
}

const prepareFolder = async ({ files, install }: Installation, folder: string): Promise<void> => {
  const partial = `${folder}.${process.pid}`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  try {
    for (const [to, from] of Object.entries(files))
      await copyFile(roomFile(from), join(partial, to));
    await install(partial);
    await rename(partial, folder);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    // Another process was faster.
    if (!existsSync(folder)) throw error;
  }
};

const running = new Map<string, Promise<void>>();

/** The folder of an installation, made when it is first wanted. Throws `Unavailable` if it cannot be had here. */
export const installed = async (installation: Installation): Promise<string> => {
  const hash = createHash('sha256').update(installation.basis ?? '');
  for (const file of Object.values(installation.files)) hash.update(await readFile(roomFile(file)));
  const folder = join(cacheFolder(), `${installation.name}-${hash.digest('hex').slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  let preparing = running.get(folder);
  if (preparing === undefined) {
    preparing = prepareFolder(installation, folder);
    running.set(folder, preparing);
  }
  await preparing;
  return folder;
};

/** Installs packages of npm, pinned by `manifest.json` and `lock.json` in a folder of this room. */
export const installedNpm = (name: string, from: string): Promise<string> =>
  installed({
    name,
    files: { 'package.json': `${from}/manifest.json`, 'package-lock.json': `${from}/lock.json` },
    install: (folder) =>
      fetchPackages(folder, 'npm', ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund']),
  });

/** Installs packages of PyPI, pinned by a file of this room, into a folder for PYTHONPATH. */
export const installedPython = async (name: string, requirements: string): Promise<string> => {
  const { stdout: version } = await outputOf('python3', ['--version']);
  const install = '-m pip install --quiet --no-input --disable-pip-version-check --no-deps';
  const words = `${install} --only-binary :all: --target . -r requirements.txt`.split(' ');
  return installed({
    name,
    basis: version.trim(),
    files: { 'requirements.txt': requirements },
    install: (folder) => fetchPackages(folder, 'pip', ['python3', ...words]),
  });
};

const copyDependencies = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';

/** Installs packages of Maven Central, pinned by a file of this room, into a folder of jars. */
export const installedMaven = (name: string, pom: string): Promise<string> =>
  installed({
    name,
    files: { 'pom.xml': pom },
    install: (folder) =>
      fetchPackages(folder, 'Maven', [
        'mvn',
        '-q',
        '-B',
        copyDependencies,
        `-DoutputDirectory=${folder}`,
      ]),
  });
