import type { Observation, ObservationsHeader } from '../../model/observation/observation.ts';
import type { Result } from '../../model/result/result.ts';
import { whyUnreadable } from '../../platform/files/file-error-reasons.ts';
import { linesOf } from '../../platform/files/plain-files.ts';
import { Problem } from '../../platform/problem.ts';
import {
  type ParsedLine,
  readObservation,
  readObservationsHeader,
} from '../../record/observation-lines.ts';

/** This file reads the observations that a run wrote. Messages about unreadable lines contain the line number. */

/** Generates the lines of a file. Throws a `Problem` if the file cannot be read. */
async function* readLines(path: string): AsyncGenerator<string, void> {
  try {
    yield* linesOf(path);
  } catch (error) {
    throw new Problem(`the observations ${path} cannot be read: ${whyUnreadable(error)}`);
  }
}

const valueOf = <Value>(path: string, number: number, line: ParsedLine<Value>): Value => {
  if (line.ok) return line.value;
  throw new Problem(`${path}, line ${number}: ${line.message}`);
};

/** Reads the header of an observations file. Throws a `Problem` if the file belongs to another result. */
export const headerOf = async (path: string, result: Result): Promise<ObservationsHeader> => {
  for await (const line of readLines(path)) {
    const header = valueOf(path, 1, readObservationsHeader(line));
    const { planHash, startedAt } = header;
    const isOurs = result.slices.some((slice) => slice.startedAt === startedAt);
    if (planHash === result.planHash && isOurs) return header;
    throw new Problem(
      `${path} has the observations of another run, which began at ${startedAt}: expected those of the run that began at ${result.startedAt}`,
    );
  }
  throw new Problem(`${path} is empty: expected the observations of a run`);
};

/**
 * Calls `add` with each observation in a file. Calls `onTorn` if the last line is incomplete because the run was
 * killed.
 */
export const addRows = async (
  path: string,
  add: (observation: Observation) => void,
  onTorn: () => void,
): Promise<void> => {
  let number = 0;
  let torn: ParsedLine<Observation> | null = null;
  for await (const line of readLines(path)) {
    if (torn !== null) valueOf(path, number, torn);
    number += 1;
    if (number === 1) continue;
    const read = readObservation(line);
    if (read.ok) add(read.value);
    else torn = read;
  }
  if (torn !== null) onTorn();
};
