import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Something of others that cannot be had here; the message is a sentence that says what and why. */
export class Unavailable extends Error {}

const runFile = promisify(execFile);

/** The longest that a package client may take, in ms. */
const installTime = 600_000;

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

/** The output of a program that must succeed. Throws `Unavailable` if it is missing or fails. */
export const outputOf = async (
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> => {
  try {
    const { stdout, stderr } = await runFile(program, args, {
      timeout: installTime,
      ...options,
      env: { ...process.env, ...options.env },
    });
    return `${stdout}${stderr}`.trim();
  } catch (error) {
    const { code, stderr = '' } = error as { code?: unknown; stderr?: string };
    const detail = code === 'ENOENT' ? 'the program is not installed' : stderr.trim().slice(-400);
    throw new Unavailable(`${program} ${args[0] ?? ''} failed: ${detail || String(code)}`);
  }
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

/** The folder of an installation, made when it is first wanted. Throws `Unavailable` if its registry cannot be reached. */
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

/** Installs packages of PyPI, pinned by a file of this room, into a folder for PYTHONPATH. */
export const installedPython = async (name: string, requirements: string): Promise<string> => {
  const basis = await outputOf('python3', ['--version']);
  return installed({
    name,
    basis,
    files: { 'requirements.txt': requirements },
    install: (folder) =>
      outputOf(
        'python3',
        '-m pip install --quiet --no-input --no-deps --target . -r requirements.txt'.split(' '),
        { cwd: folder },
      ),
  });
};

/** The path of a program of Debian. Throws `Unavailable` if it is not installed. */
export const debianProgram = (name: string): string => {
  const places = ['/usr/sbin', '/usr/bin', '/usr/local/sbin'].map((folder) => join(folder, name));
  const found = places.find((path) => existsSync(path));
  if (found === undefined)
    throw new Unavailable(`${name} is not installed: run \`apt-get install ${name}\``);
  return found;
};
