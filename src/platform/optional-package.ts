import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { MissingPackage } from './problem.ts';

const ranges = (): Readonly<Record<string, string>> => {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { peerDependencies: Record<string, string> }).peerDependencies;
};

/** Returns the command that installs optional packages in the versions that Weir supports. */
export const installCommand = (names: readonly string[]): string => {
  const known = ranges();
  return `npm install ${names.map((name) => `${name}@${known[name]}`).join(' ')}`;
};

/** Returns the installed version of a package without loading the package; `null` if the package is not installed. */
export const installedVersion = (name: string): string | null => {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  for (const folder of folders) {
    try {
      const text = readFileSync(join(folder, name, 'package.json'), 'utf8');
      return (JSON.parse(text) as { version: string }).version;
    } catch {
      // The package may be in the next folder of the list.
    }
  }
  return null;
};

/**
 * Loads optional packages with `load`. If a package is missing, throws a `Problem` that names the command that installs
 * the packages `names`. `purpose` says what needs the packages, and `instead` says what to do without them.
 */
export const loadOptional = async <T>(
  load: () => Promise<T>,
  purpose: string,
  names: readonly string[],
  instead: string | null = null,
): Promise<T> => {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const which =
      names.length === 1
        ? `the package ${names[0]}, which is not installed`
        : 'packages that are not installed';
    const remedy = `run \`${installCommand(names)}\`${instead === null ? '' : `, ${instead}`}`;
    throw new MissingPackage(`${purpose} needs ${which}: ${remedy}`);
  }
};
