import { milliseconds } from '../model/quantity.ts';
import type { Result } from '../model/result/result.ts';
import { toResult } from '../record/tally.ts';
import type { RunCanary } from './canary.ts';
import type { DrivenSlice } from './drive.ts';
import type { RunFacts } from './input/run-facts.ts';
import type { ReadyTargets } from './target/prepare-targets.ts';
import type { RunRecorder } from './watch/recorder.ts';
import type { ServerWatch } from './watch/server-metrics.ts';

/**
 * The parts of a result that the load does not produce. A run, a point of a sweep and a step of `weir capacity` each
 * provide these parts.
 */
interface RecordedRun {
  readonly facts: RunFacts;
  readonly recorder: RunRecorder;
  readonly target: Pick<ReadyTargets, 'notes'>;
  readonly canary: RunCanary;
  readonly server: ServerWatch;
}

/** Returns the result of a plan whose load has ended. The result is not judged yet. */
export const resultOfRun = (
  { facts, recorder, target, canary, server }: RecordedRun,
  driven: DrivenSlice,
  {
    gatewayCounters,
    notes,
    partial,
  }: Pick<Result, 'gatewayCounters' | 'partial'> & { readonly notes: readonly string[] },
): Result =>
  toResult(recorder.whole(driven.workerResults), {
    ...facts,
    slices: [...driven.slices],
    scheduled: milliseconds(driven.loadEnded),
    partial,
    breach: driven.breach ?? undefined,
    notes: [...target.notes, ...driven.notes, ...canary.endNotes(), ...server.notes(), ...notes],
    server: server.collected(),
    gatewayCounters,
  });
