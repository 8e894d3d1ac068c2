import { connectLead } from '../../engine/connect-ahead.ts';
import { runSlice } from '../../engine/run-slice.ts';
import type { SliceEnd, SliceOptions } from '../../engine/slice-options.ts';
import type { Observation } from '../../model/observation/observation.ts';
import { milliseconds } from '../../model/quantity.ts';
import type { Result, SliceRun } from '../../model/result/result.ts';
import { openCanaryStreams } from '../../platform/canary/canary-streams.ts';
import { cleanHeap } from '../../platform/host/clean-heap.ts';
import { startClock } from '../../platform/host/clock.ts';
import { thisMachine } from '../../platform/host/machine.ts';
import { waitAtMost } from '../../platform/wait-at-most.ts';
import type { RunCanary } from '../../run/canary.ts';
import { budgetEndText } from '../../run/budget-end.ts';
import type { DrivenSlice } from '../../run/drive.ts';
import type { OnStop, StopCause } from '../../run/input/host.ts';
import { runFacts } from '../../run/input/run-facts.ts';
import { resultOfRun } from '../../run/result-of-run.ts';
import { beginningBy } from '../../run/start-at.ts';
import type { ReadyTargets } from '../../run/target/prepare-targets.ts';
import { combineObservers } from '../../run/watch/observer.ts';
import { openRecorder, type RunRecorder } from '../../run/watch/recorder.ts';
import { dryRun } from '../../run/workers/dry-run.ts';
import { openSlice } from '../../run/workers/slice-ports.ts';

/** One side of a paired run: the options of its slice, and its target. */
export interface DrivenSide {
  readonly options: SliceOptions;
  readonly target: ReadyTargets;
}

/** After the first stop, requests in flight may continue for at most this many ms. */
const drainTimeout = 2000;
const closeTimeout = 3000;

/** Returns the facts about the slice of one side, such as the instant at which its load ended. */
const drivenOf = (
  end: SliceEnd,
  startedAt: string,
  slice: SliceRun,
  stoppedBy: StopCause | null,
): DrivenSlice => ({
  startedAt,
  loadEnded: end.loadEnded,
  stoppedBy,
  breach: null,
  refusal: null,
  decidedAt: null,
  exhaustedBudget: end.spent,
  lostLease: false,
  isCutShort: end.stopped,
  notes: end.notes,
  slices: [slice],
  workerResults: [],
  lostSlices: [],
});

/** Returns why a side got only a part of the load; `null` if it got the whole load. */
const partialText = ({ spent, loadEnded, stopped }: SliceEnd): string | null => {
  if (spent !== null) return budgetEndText(loadEnded, spent);
  return stopped ? 'stopped before the load had ended' : null;
};

interface DrivenTogether {
  readonly startedAt: string;
  readonly stoppedBy: StopCause | null;
  readonly canary: RunCanary;
  readonly generator: SliceRun['generator'];
}

const resultOfSide = (
  { options, target, recorder }: DrivenSide & { readonly recorder: RunRecorder },
  end: SliceEnd,
  { startedAt, stoppedBy, canary, generator }: DrivenTogether,
): Result => {
  const { plan, runId } = options;
  const machine = thisMachine();
  const slice = { ...options.slice, startedAt, baseUrl: target.baseUrl, machine, generator };
  const server = { collected: () => undefined, notes: () => [] };
  return resultOfRun(
    { facts: runFacts(plan, runId), recorder, target, canary, server },
    drivenOf(end, startedAt, slice, stoppedBy),
    {
      gatewayCounters: null,
      notes: canary.notes,
      partial: partialText(end),
    },
  );
};

export interface DrivenPairs {
  readonly results: readonly [base: Result, next: Result];
  readonly observations: readonly [base: readonly Observation[], next: readonly Observation[]];
  readonly stoppedBy: StopCause | null;
  /** The reason why a side got only a part of the load; `null` if both sides got the whole load. */
  readonly partial: string | null;
}

/**
 * Drives the slices of both sides at once, in one thread and on one clock. So both sides are read equally late, and the
 * self-test streams show the lateness of both sides.
 */
export const drivePairs = async (
  sides: readonly [base: DrivenSide, next: DrivenSide],
  canary: RunCanary,
  onStop: OnStop,
): Promise<DrivenPairs> => {
  const streams =
    canary.streamOptions === null ? null : await openCanaryStreams(canary.streamOptions);
  for (const { options } of sides) dryRun(options, startClock());
  cleanHeap();
  const leads = sides.map(({ options }) => connectLead(options));
  const { lead, from, startedAt } = beginningBy(null, milliseconds(Math.max(...leads)));
  const clock = startClock(lead, from);
  const opened = sides.map(({ options, target }, side) => {
    const recorder = openRecorder(options.plan);
    const observations: Observation[] = [];
    const collect = { onObservation: (each: Observation) => void observations.push(each) };
    const observer = combineObservers([recorder, collect]);
    const slice = openSlice(options, target.targets, clock, {
      observer,
      canary: side === 0 ? streams : null,
    });
    return { ...slice, options, target, recorder, observations };
  });
  const running = opened.map(({ options, ports }) => runSlice(options, ports));
  let stoppedBy: StopCause | null = null;
  const release = onStop((cause, times) => {
    stoppedBy ??= cause;
    for (const each of running) each.stop(milliseconds(times === 1 ? drainTimeout : 0));
  });
  try {
    const ends = await Promise.all(running.map(({ done }) => done));
    for (const { drain } of opened) drain();
    // Both slices ran in this thread, so the generator's samples of the first slice are also those of the second.
    const driven = { startedAt, stoppedBy, canary, generator: [...opened[0]!.samples] };
    const results = opened.map((side, i) => resultOfSide(side, ends[i]!, driven));
    return {
      results: results as [Result, Result],
      observations: opened.map(({ observations }) => observations) as [
        Observation[],
        Observation[],
      ],
      stoppedBy,
      partial: ends.map(partialText).find((each) => each !== null) ?? null,
    };
  } finally {
    release();
    await waitAtMost(closeTimeout, Promise.all(opened.map(({ close }) => close())));
  }
};
