/** Finds the results that a run left in a folder: its own, or those of its repetitions. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The paths of the results below `folder`. */
export const resultFiles = (folder: string): readonly string[] =>
  globSync('**/result.json', { cwd: folder })
    .sort()
    .map((path) => join(folder, path));

/** A JSON file that Weir wrote, or null if there is none. */
export const readJson = (path: string): unknown =>
  existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
