import { join } from 'node:path';
import type { SliceOptions } from '../../engine/slice-options.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { planHash } from '../../model/plan/plan-hash.ts';
import { milliseconds } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import { withoutPrompts } from '../../model/plan/without-prompts.ts';
import { openRunFolder } from '../../platform/files/run-folder.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import type { Screen } from '../../platform/screen.ts';
import { emptyTally, recordObservation, toResult } from '../../record/tally.ts';
import type { RunCanary } from '../canary.ts';
import { drive, type DrivenSlice, type SliceWatch } from '../drive.ts';
import { openLiveDisplay, displayedRun } from '../watch/live-display.ts';
import type { StopSignal } from '../../platform/process/interrupts.ts';
import { watchRefusals } from './refusal-watch.ts';
import type { ReadyTarget } from '../target/prepare-target.ts';

/** Where steps are sent and shown. */
export interface StepSetup {
  readonly target: ReadyTarget;
  readonly canary: RunCanary;
  readonly folder: string;
  /** `null` to be quiet. */
  readonly screen: Screen | null;
}

const cutShortReason = ({ stoppedBy, breach }: DrivenSlice): string =>
  breach === null
    ? `stopped by ${stoppedBy ?? 'somebody'} before the load had ended`
    : `ended early: ${breach.text}`;

const noDisplay = { record: () => undefined, addFigures: () => undefined, draw: () => undefined };

export interface FinishedStep {
  readonly result: Result;
  readonly stoppedBy: StopSignal | null;
  /** That the target refused every request, in a sentence; `null` where it did not. */
  readonly refused: string | null;
}

/**
 * Drives the plan of one step and leaves its result in a folder of its own, from which it can be
 * judged again. A step whose requests are all refused is ended early.
 */
export const runStep = async (
  sliceRequest: SliceOptions,
  plan: Plan,
  { target, canary, folder, screen }: StepSetup,
): Promise<FinishedStep> => {
  const tally = emptyTally(plan);
  const refusals = watchRefusals();
  const [{ name }] = plan.stages as [Plan['stages'][number]];
  const runId = `${sliceRequest.runId}-${name}`;
  const sliceWatch: SliceWatch = {
    display: screen === null ? noDisplay : openLiveDisplay(screen, { ...displayedRun(plan), name }),
    say: () => undefined,
    onStart: () => () => undefined,
    canary: canary.streamOptions,
    wrap: (transport) => transport,
    record: (observation) => {
      recordObservation(tally, observation);
      refusals.record(observation);
    },
    onWorkerUpdate: () => undefined,
    findBreach: refusals.breach,
  };
  const driven = await drive({ ...sliceRequest, plan, runId }, target, sliceWatch, null);
  screen?.clear();
  const { slices, stoppedBy, isCutShort } = driven;
  const result = toResult(tally, {
    weir: weirVersion(),
    runId,
    plan: withoutPrompts(plan),
    planHash: planHash(plan),
    slices: [...slices],
    scheduled: milliseconds(driven.loadEnded),
    partial: isCutShort ? cutShortReason(driven) : null,
    breach: undefined,
    notes: [...target.notes, ...canary.notes, ...driven.notes, ...canary.endNotes()],
    witness: null,
  });
  const stepFolder = await openRunFolder(join(folder, name));
  await stepFolder.write('result.json', `${JSON.stringify(result)}\n`);
  return { result, stoppedBy, refused: refusals.sentence() };
};
