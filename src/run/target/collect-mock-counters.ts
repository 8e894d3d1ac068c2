import type { Result } from '../../model/result/result.ts';
import type { ReadyTargets } from './prepare-targets.ts';
import { type MockProcess, fetchMockCounters } from '../../platform/process/mock-process.ts';

interface MockEnd {
  readonly gatewayCounters: Result['gatewayCounters'];
  readonly notes: readonly string[];
  readonly lost: string | null;
}

/**
 * Reads the reference gateway's counters. Returns a note if the counters cannot be read. If the gateway ended during
 * the run, `lost` says how the gateway ended. The run is then incomplete, since later requests met no gateway.
 */
const countersOf = async (mock: MockProcess): Promise<MockEnd> => {
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

/**
 * Reads the counters of the reference gateways that a run started. The result of a run with several targets has no
 * counters, since the counters would cover only a part of the requests.
 */
export const collectMockCounters = async ({
  targets,
  mocks,
}: Pick<ReadyTargets, 'targets' | 'mocks'>): Promise<MockEnd> => {
  const ends = await Promise.all(mocks.map(countersOf));
  const [only] = ends;
  const lost = ends.flatMap((end) => end.lost ?? []);
  return {
    gatewayCounters: targets.length === 1 ? (only?.gatewayCounters ?? null) : null,
    notes: ends.flatMap(({ notes }) => notes),
    lost: lost.length === 0 ? null : lost.join('; '),
  };
};
