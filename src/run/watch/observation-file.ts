import { openLineFile } from '../../platform/files/line-file.ts';
import { observationLine, observationsHeader } from '../../record/observation-lines.ts';
import type { RunFacts } from '../input/run-facts.ts';
import type { RunObserver } from './observer.ts';

/** Writes a JSON line for each observation; throws a `Problem` where the file cannot be written. */
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
