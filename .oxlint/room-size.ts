import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Rule } from '@oxlint/plugins';
import { placeOf } from './place.ts';

/** The most source files that a reader can survey at a glance. */
const maxFiles = 25;

/** Rejects a folder with too many source files; tests and fixtures do not count. */
export const roomSize: Rule = {
  create(context) {
    if (placeOf(context.filename) === null) return {};
    return {
      Program: (node) => {
        const files = sourceFilesIn(dirname(context.filename));
        // Reported once for each folder.
        if (files.length <= maxFiles || files[0] !== basename(context.filename)) return;
        context.report({
          node,
          message: `This folder has ${files.length} source files; at most ${maxFiles} are allowed. Move related files into a new folder, with a row in .oxlint/map.ts.`,
        });
      },
    };
  },
};

const known = new Map<string, readonly string[]>();

/** The source files in a folder, in the order of their names. Each folder is read once. */
const sourceFilesIn = (folder: string): readonly string[] => {
  const found =
    known.get(folder) ??
    readdirSync(folder)
      .filter((name) => /\.[jt]s$/.test(name) && !/\.(test|fixture)\.ts$/.test(name))
      .toSorted();
  known.set(folder, found);
  return found;
};
