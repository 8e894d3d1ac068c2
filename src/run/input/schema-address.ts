import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The schema of scenarios that comes with Weir; the relative path is the same in the source and in the built package. */
const schemaFile = fileURLToPath(new URL('../../../scenarios/schema.json', import.meta.url));

/** Where an editor that opens the file `out` finds the schema. */
export const schemaFor = (out: string): string => {
  const path = relative(dirname(resolve(out)), schemaFile);
  // An editor reads the address up to the first space.
  if (/\s/.test(path)) return pathToFileURL(schemaFile).href;
  return path.startsWith('.') ? path : `./${path}`;
};
