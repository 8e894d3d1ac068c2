import type { Result } from '../../model/result/result.ts';
import { type MockProcess, fetchMockCounters } from '../../platform/process/mock-process.ts';

/**
 * Reads the reference gateway's counters. If that fails, adds a note. `lost` says how a gateway ended during the run.
 * Requests after its end show nothing about a gateway, so such a run is incomplete.
 */
export const collectMockCounters = async (
  mock: MockProcess | null,
): Promise<{
  readonly gatewayCounters: Result['gatewayCounters'];
  readonly notes: readonly string[];
  readonly lost: string | null;
}> => {
  if (mock === null) return { gatewayCounters: null, notes: [], lost: null };
  try {
    return { gatewayCounters: await fetchMockCounters(mock), notes: [], lost: null };
  } catch {
    const exitReason = mock.ended();
    const why =
      exitReason === null ? 'it does not answer' : `it ended during the run (${exitReason})`;
    const note = `The reference gateway could not be asked for its counters: ${why}.`;
    const lost =
      exitReason === null ? null : `the reference gateway ended during the run (${exitReason})`;
    return { gatewayCounters: null, notes: [note], lost };
  }
};
