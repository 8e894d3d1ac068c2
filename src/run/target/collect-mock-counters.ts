import type { Result } from '../../model/result/result.ts';
import { type MockProcess, fetchMockCounters } from '../../platform/process/mock-process.ts';

/**
 * Reads the reference gateway's counters, or adds a note if that fails, since the run's figures are valid either way.
 */
export const collectMockCounters = async (
  mock: MockProcess | null,
): Promise<{
  readonly gatewayCounters: Result['gatewayCounters'];
  readonly notes: readonly string[];
}> => {
  if (mock === null) return { gatewayCounters: null, notes: [] };
  try {
    return { gatewayCounters: await fetchMockCounters(mock), notes: [] };
  } catch {
    const exitReason = mock.ended();
    const why =
      exitReason === null ? 'it does not answer' : `it ended during the run (${exitReason})`;
    const note = `The reference gateway could not be asked for its counters: ${why}.`;
    return { gatewayCounters: null, notes: [note] };
  }
};
