import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * The path of the scenario schema that comes with Weir. The relative path is the same in the source and in the built
 * package.
 */
const schemaFile = fileURLToPath(new URL('../../../scenarios/schema.json', import.meta.url));

/** Returns where an editor finds the scenario schema for the file `out`: a relative path or a file URL. */
export const schemaFor = (out: string): string => {
  const path = relative(dirname(resolve(out)), schemaFile)
    .split(sep)
    .join('/');
  // Editors stop reading a path at a space, and no relative path leads to another drive of Windows. In these two cases,
  // the address is a file URL.
  if (/\s/.test(path) || isAbsolute(path)) return pathToFileURL(schemaFile).href;
  return path.startsWith('.') ? path : `./${path}`;
};
