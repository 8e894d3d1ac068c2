import { openLineFile } from '../../platform/files/line-file.ts';
import { observationLine, observationsHeader } from '../../record/observation-lines.ts';
import type { RunFacts } from '../input/run-facts.ts';
import type { RunObserver } from './observer.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { openRequestsTable, requestLines, tableFormatOf } from '../input/requests-table.ts';
import { hasContent } from '../../platform/files/plain-files.ts';

/** Writes a line of JSON for each observation. Throws a `Problem` if the file cannot be written. */
export const openObservationFile = async (
  path: string,
  facts: RunFacts,
  say: (text: string) => void,
): Promise<RunObserver> => {
  const file = await openLineFile(path);
  return {
    onStart: ({ startedAt, clock: { machineZero } }) =>
      file.write(observationsHeader({ ...facts, startedAt, machineZero })),
    onObservation: (observation) => file.write(observationLine(observation)),
    onWorkerUpdate: ({ observationLines }) => {
      for (const line of observationLines) file.write(line);
    },
    onPublished: async () => {
      await file.close();
      say(`Observations: ${path}`);
    },
    discard: () => file.discard(),
  };
};

/** Writes a row of a table for each arrival. Throws a `Problem` if the file cannot be written. */
export const openRequestsFile = async (
  path: string,
  plan: Plan,
  say: (text: string) => void,
): Promise<RunObserver> => {
  const format = tableFormatOf(path);
  const table = await openRequestsTable(path);
  if (await hasContent(path)) say(`${path} is overwritten.`);
  let lineOf: ReturnType<typeof requestLines> | null = null;
  return {
    onStart: ({ startedAt }) => {
      lineOf = requestLines(format, { plan, zero: Date.parse(startedAt) });
    },
    onObservation: (observation) => {
      if (lineOf !== null) table.add(lineOf(observation));
    },
    onWorkerUpdate: ({ requestLines: lines }) => {
      for (const line of lines) table.add(line);
    },
    files: [{ title: 'Requests', path, write: () => table.complete() }],
    discard: () => table.discard(),
  };
};
