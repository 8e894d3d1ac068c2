import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Rule } from '@oxlint/plugins';
import { placeOf } from './place.ts';

/** As many source files as a reader takes in at a glance. */
const maxFiles = 25;

/** Refuses a folder with too many source files of its own; tests and fixtures do not count. */
export const roomSize: Rule = {
  create(context) {
    if (placeOf(context.filename) === null) return {};
    return {
      Program: (node) => {
        const files = sourceFilesIn(dirname(context.filename));
        // Said once for each folder.
        if (files.length <= maxFiles || files[0] !== basename(context.filename)) return;
        context.report({
          node,
          message: `This folder holds ${files.length} source files, and at most ${maxFiles} are allowed. Put those that belong together into a folder of their own, with a row in .oxlint/map.ts.`,
        });
      },
    };
  },
};

const sourceFilesIn = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => /\.[jt]s$/.test(name) && !/\.(test|fixture)\.ts$/.test(name))
    .toSorted();
