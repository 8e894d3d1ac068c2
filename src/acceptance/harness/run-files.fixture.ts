import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { judgeTrust } from '../../judge/trust/judge-trust.ts';
import type { Observation } from '../../model/observation/observation.ts';
import { failsRun } from '../../model/result/objective-verdict.ts';
import type { Result } from '../../model/result/result.ts';
import { readObservation } from '../../record/observation-lines.ts';
import { publishedResult } from './published-result.fixture.ts';

/** The result that a run left in its folder, valid by its published schema. */
export const resultIn = async (folder: string): Promise<Result> =>
  publishedResult(await readFile(join(folder, 'result.json'), 'utf8'));

/** The lines of a JSONL file, without the end of the last one. */
export const readLines = async (path: string): Promise<readonly string[]> =>
  (await readFile(path, 'utf8')).trimEnd().split('\n');

/** The observations of a file; its first line is a header. */
export const readObservations = async (path: string): Promise<readonly Observation[]> =>
  (await readLines(path)).slice(1).map((line) => {
    const read = readObservation(line);
    if (!read.ok) throw new Error(read.message);
    return read.value;
  });

/** The objectives of a run that are undecided, since a busy machine can have moved their figures across the bounds. */
const undecidedObjectives = ({ verdicts = [] }: Result): readonly string[] =>
  verdicts.filter(({ grounds }) => grounds === 'within-error').map(({ text }) => text);

/**
 * The one right exit code of a run: `expected`; or 12 where the machine was too busy for the load, and 0 for 10 where
 * it was too busy to decide the objective that should be broken.
 */
export const exitOf = (result: Result, expected: number): number => {
  if (judgeTrust(result).level === 'invalid') return 12;
  const isDecided = undecidedObjectives(result).length === 0 || result.verdicts?.some(failsRun);
  return expected === 10 && isDecided !== true ? 0 : expected;
};

/** Skips the rest of a test about a run that shows nothing: the machine was too busy for the load generator. */
export const skipIfInvalid = (context: TestContext, result: Result): void => {
  const { level, evidence } = judgeTrust(result);
  const undecided = undecidedObjectives(result);
  if (undecided.length > 0)
    context.skip(`the machine was too busy to decide ${undecided.join(', ')}`);
  if (level !== 'invalid') return;
  const reasons = evidence
    .filter((signal) => signal.level === 'invalid')
    .map(({ signal, observed }) => `${signal}: ${observed}`);
  context.skip(`the machine was too busy for the load generator (${reasons.join('; ')})`);
};
