import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

const realPath = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    // The file does not exist. The code that reads the file will report this.
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
};

/**
 * Returns why a scenario may not name a file; `null` if the scenario may name the file. Without this check, a scenario
 * that another person wrote could send any file of the user to a target of that person. The check follows symbolic
 * links.
 */
export const outsideOf = (folder: string, file: string): string | null => {
  const path = relative(realPath(resolve(folder)), realPath(resolve(folder, file)));
  return path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)
    ? `${file} is outside the scenario’s folder: copy it there, or add --allow-files if you trust the scenario, which decides where it is sent`
    : null;
};
