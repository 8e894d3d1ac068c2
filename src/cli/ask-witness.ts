import type { Result } from '../model/result.ts';
import { type MockProcess, readWitness } from '../platform/mock-process.ts';

/** The reference gateway's counters, or a note that it could not be asked: the run's own figures stand either way. */
export const askWitness = async (
  mock: MockProcess | null,
): Promise<{ readonly witness: Result['witness']; readonly notes: readonly string[] }> => {
  if (mock === null) return { witness: null, notes: [] };
  try {
    return { witness: await readWitness(mock), notes: [] };
  } catch {
    const how = mock.ended();
    const why = how === null ? 'it does not answer' : `it ended during the run (${how})`;
    const note = `The reference gateway could not be asked for its counters: ${why}.`;
    return { witness: null, notes: [note] };
  }
};
