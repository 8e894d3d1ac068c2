import { join } from 'node:path';
import type { Result } from '../../model/result/result.ts';
import { beginningOf } from '../../platform/files/plain-files.ts';
import { openRunFolder, type RunFolder } from '../../platform/files/run-folder.ts';
import { folderFor } from '../input/report-paths.ts';
import { UnwritableOutput } from '../../platform/problem.ts';
import { UndoStack } from '../../platform/undo-stack.ts';

/** The names of the files that a command writes. */
export interface OutputNames {
  readonly data: string;
  readonly page?: string;
  readonly junit?: string;
  readonly markdown?: string;
}

export const outputFiles = {
  run: { data: 'result.json', page: 'report.html' },
  limits: { data: 'limits.json', page: 'limits.html', junit: 'limits.junit.xml' },
  tokens: {
    data: 'token-limits.json',
    page: 'token-limits.html',
    junit: 'token-limits.junit.xml',
  },
  check: {
    data: 'check.json',
    page: 'check.html',
    junit: 'check.junit.xml',
    markdown: 'check.md',
  },
  cache: { data: 'cache.json', page: 'cache.html' },
  recovery: { data: 'recovery.json', page: 'recovery.html' },
  fairness: { data: 'fairness.json', page: 'fairness.html' },
  capacity: { data: 'capacity.json', page: 'capacity.html' },
  sweep: { data: 'sweep.json', page: 'sweep.html' },
  comparison: {
    data: 'comparison.json',
    page: 'comparison.html',
    junit: 'comparison.junit.xml',
    markdown: 'comparison.md',
  },
  noise: { data: 'noise.json', markdown: 'noise.md' },
  pairs: { data: 'pairs.json', page: 'pairs.html', markdown: 'pairs.md' },
  calibration: { data: 'calibration.json', page: 'calibration.html' },
} as const satisfies Readonly<Record<string, OutputNames>>;

/** Patterns for the first bytes of files that Weir has written. */
const ownBeginnings: readonly RegExp[] = [
  /^\s*\{\s*"format":\s*"[a-z-]+\/\d+"/,
  /<meta name="generator" content="Weir /,
];

/**
 * The number of bytes that are read from the beginning of a file. These bytes contain at least the head of a report
 * page.
 */
const readLength = 16 * 1024;

const isOwnOrEmpty = async (path: string): Promise<boolean> => {
  const beginning = await beginningOf(path, readLength).catch(() => null);
  return beginning === '' || ownBeginnings.some((own) => beginning !== null && own.test(beginning));
};

/**
 * Finds the files that this command would replace, and those among them that Weir did not write (`foreign`). If the
 * folder contains a data file of Weir, only the HTML files are checked, and Weir counts as the writer of all others.
 */
const replacedFiles = async (
  { path, existingNames }: RunFolder,
  { data, ...others }: (typeof outputFiles)[keyof typeof outputFiles],
): Promise<{ readonly replaced: readonly string[]; readonly foreign: readonly string[] }> => {
  const replaced = [data, ...Object.values(others)].filter((name) => existingNames.has(name));
  const isOurs = existingNames.has(data) && (await isOwnOrEmpty(join(path, data)));
  const checked = isOurs ? replaced.filter((name) => name.endsWith('.html')) : replaced;
  const own = await Promise.all(checked.map((name) => isOwnOrEmpty(join(path, name))));
  return { replaced, foreign: checked.filter((_, index) => own[index] === false) };
};

/**
 * Opens the folder for the files of a command, or a new folder if none is given. Prints which earlier files will be
 * replaced. If Weir did not write one of these files, throws a `Problem` and changes nothing.
 */
export const openOutputFolder = async (
  out: string | undefined,
  kind: keyof typeof outputFiles,
  say: (text: string) => void,
): Promise<RunFolder> => {
  const path = folderFor(out, kind);
  const folder = await openRunFolder(path);
  const { replaced, foreign } = await replacedFiles(folder, outputFiles[kind]);
  if (foreign.length > 0) {
    await folder.discard();
    const [it, ...more] = foreign.map((name) => join(path, name));
    throw new UnwritableOutput(
      `${[it, ...more].join(' and ')} would be replaced, and ${more.length === 0 ? 'is not a file' : 'are not files'} of Weir’s. Give another folder with --out FOLDER, or move ${more.length === 0 ? 'it' : 'them'} away`,
    );
  }
  if (replaced.length > 0)
    say(`${path} contains an earlier ${replaced.join(' and ')}, which this run overwrites.`);
  return folder;
};

/**
 * Calls `use` with an opened folder. At the end, runs the actions that `use` has put on the stack, and then releases
 * the folder. If `use` fails, discards the folder.
 */
export const usingFolder = async <T>(
  folder: RunFolder,
  use: (closing: UndoStack) => Promise<T>,
): Promise<T> => {
  const closing = new UndoStack();
  let isUsed = false;
  closing.defer(() => (isUsed ? folder.release() : folder.discard()));
  try {
    const used = await use(closing);
    isUsed = true;
    return used;
  } finally {
    await closing.disposeAsync();
  }
};

/**
 * Writes a result into a folder and releases the folder. The run writes no other file into this folder. Returns the
 * path of the result's file.
 */
export const writeResultIn = (folder: RunFolder, result: Result): Promise<string> =>
  usingFolder(folder, () => folder.write(outputFiles.run.data, `${JSON.stringify(result)}\n`));
