import { join } from 'node:path';
import { misfitPlaces } from '../../model/misfit-places.ts';
import { type Result, resultSchema, withPresentNames } from '../../model/result/result.ts';
import {
  beginningOf,
  fileErrorCode,
  hasContent,
  isExistingFolder,
} from '../../platform/files/plain-files.ts';
import { readTextFile } from '../../platform/files/whole-file.ts';
import { isFileError, whyUnreadable } from '../../platform/files/file-error-reasons.ts';
import { pathExists } from '../../platform/files/run-folder.ts';
import { Problem } from '../../platform/problem.ts';
import { readCheckpoint } from '../../record/read-checkpoint.ts';
import { checkpointFileName } from './report-paths.ts';
import { schemaIssueMessage, shownValue } from '../../scenario/text/schema-findings.ts';

const cannotRead = (path: string, error: Error): string =>
  fileErrorCode(error) === 'ENOENT'
    ? `the result file ${path} does not exist: give a result.json that \`weir run\` wrote`
    : `the result file ${path} cannot be read: ${whyUnreadable(error)}`;

/**
 * Reads a file that must contain a JSON object. If a regular file does not begin like a JSON object, reads only its
 * first 1,000 bytes and returns an empty text.
 */
const readDocument = async (path: string): Promise<string> => {
  const isPlain = await hasContent(path);
  if (isPlain && !/^\s*(?:\{|$)/.test(await beginningOf(path, 1000))) return '';
  return readTextFile(path);
};

/** Returns Weir's own message for an issue that the schema library found. */
const issueMessage: typeof schemaIssueMessage = (issue) =>
  schemaIssueMessage(issue) ??
  (issue.code === 'unrecognized_keys' ? 'a key that no result has' : 'expected another form');

/**
 * Reads a result file and checks the content against `result/1`; throws a `Problem` if the file is not a valid result.
 */
export const readResultFile = async (
  path: string,
  onStep?: (step: string) => void,
): Promise<Result> => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(await readDocument(path));
  } catch (error) {
    throw new Problem(
      isFileError(error)
        ? cannotRead(path, error)
        : `${path} is not JSON: expected a result.json that \`weir run\` wrote`,
    );
  }
  onStep?.(`checking ${path}`);
  const checked = checkedResult(path, parsed);
  if (checked.success) return checked.data;
  throw new Problem(describe(path, parsed, checked.error.issues));
};

/**
 * Checks a result against the schema. The schema is recursive for fields that may contain any JSON, so thousands of
 * nested levels overflow the stack. If this happens, throws a `Problem`.
 */
const checkedResult = (path: string, parsed: unknown) => {
  try {
    return resultSchema.safeParse(withPresentNames(parsed), { error: issueMessage });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new Problem(
      `${path} is nested more deeply than any result of Weir: give a result.json that \`weir run\` wrote`,
    );
  }
};

const describe = (
  path: string,
  parsed: unknown,
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): string => {
  const format =
    typeof parsed === 'object' && parsed !== null && 'format' in parsed ? parsed.format : undefined;
  if (format !== 'result/1') {
    return `${path} is not a result of Weir: expected "format": "result/1", got ${format === undefined ? 'none' : shownValue(format)}; give a result.json that \`weir run\` wrote`;
  }
  const [first] = issues;
  const more = issues.length > 1 ? ` and ${issues.length - 1} more` : '';
  const place = misfitPlaces(issues.slice(0, 1));
  return `${path} was written by another version of Weir or changed since: at ${place}: ${first?.message}${more}; run it again with this version`;
};

export interface StoredResult {
  readonly file: string;
  readonly result: Result;
}

/** Reads the checkpoint of a killed run; throws a `Problem` if the checkpoint contains no usable result. */
const readCheckpointFile = async (file: string): Promise<StoredResult> => {
  const text = await readTextFile(file).catch((error: unknown) => {
    throw new Problem(`the checkpoint ${file} cannot be read: ${whyUnreadable(error)}`);
  });
  const read = readCheckpoint(text.trimEnd().split('\n'));
  if (read.ok) return { file, result: read.result };
  throw new Problem(`${file} ${read.message}`);
};

const resultOrProblem = (reading: Promise<StoredResult>): Promise<StoredResult | Problem> =>
  reading.catch((error: unknown) => {
    if (error instanceof Problem) return error;
    throw error;
  });

/**
 * Reads the run in a folder: a result, or the checkpoint of a killed run. If both are readable, returns the checkpoint
 * only if its run began later.
 */
const readFolder = async (
  folder: string,
  onStep?: (step: string) => void,
): Promise<StoredResult> => {
  const file = join(folder, 'result.json');
  const checkpointFile = join(folder, checkpointFileName);
  const readWhole = async (): Promise<StoredResult> => ({
    file,
    result: await readResultFile(file, onStep),
  });
  if (!(await pathExists(checkpointFile))) return readWhole();
  const checkpoint = await resultOrProblem(readCheckpointFile(checkpointFile));
  const whole = (await pathExists(file)) ? await resultOrProblem(readWhole()) : null;
  if (whole === null || whole instanceof Problem) {
    if (checkpoint instanceof Problem) throw whole ?? checkpoint;
    return checkpoint;
  }
  const isLater =
    !(checkpoint instanceof Problem) && checkpoint.result.startedAt > whole.result.startedAt;
  return isLater ? checkpoint : whole;
};

/**
 * Reads a result file, the checkpoint of a killed run, or the run in a folder. Throws a `Problem` if nothing is
 * readable.
 */
export const readStoredResult = async (
  path: string,
  onStep?: (step: string) => void,
): Promise<StoredResult> => {
  if (await isExistingFolder(path)) return readFolder(path, onStep);
  return path.endsWith('.jsonl')
    ? readCheckpointFile(path)
    : { file: path, result: await readResultFile(path, onStep) };
};
