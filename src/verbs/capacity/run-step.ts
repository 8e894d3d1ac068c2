import { join } from 'node:path';
import type { SliceOptions } from '../../engine/slice-options.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { isForeseen } from '../../platform/files/file-error-reasons.ts';
import type { Result } from '../../model/result/result.ts';
import { openRunFolder } from '../../platform/files/run-folder.ts';
import { writeResultIn } from '../../run/output/output-folder.ts';
import type { RunCanary } from '../../run/canary.ts';
import { drive } from '../../run/drive.ts';
import type { Host } from '../../run/input/host.ts';
import { runFacts } from '../../run/input/run-facts.ts';
import { resultOfRun } from '../../run/result-of-run.ts';
import type { ReadyTargets } from '../../run/target/prepare-targets.ts';
import { displayedRun, openLiveDisplay } from '../../run/watch/live-display.ts';
import { combineObservers } from '../../run/watch/observer.ts';
import { openRecorder } from '../../run/watch/recorder.ts';
import { watchServer } from '../../run/watch/server-metrics.ts';
import { watchRefusals } from './refusal-watch.ts';

export interface StepSetup {
  readonly target: ReadyTargets;
  readonly canary: RunCanary;
  readonly folder: string;
  readonly host: Host;
}

/** Writes the result of a step. A failure is only a warning, since the search already has its figures. */
const keepStep = async (
  path: string,
  result: Result,
  warn: (text: string) => void,
): Promise<void> => {
  try {
    await writeResultIn(await openRunFolder(path), result);
  } catch (error) {
    if (!isForeseen(error)) throw error;
    warn(`The result of this step was not written: ${error.message}.`);
  }
};

/**
 * Drives the plan of one step, and writes its result into a folder for later judging. If the target refuses all
 * requests, the step ends early, and `refused` is a sentence about the refusals.
 */
export const runStep = async (
  options: SliceOptions,
  plan: Plan,
  { target, canary, folder, host }: StepSetup,
) => {
  const recorder = openRecorder(plan);
  const refusals = watchRefusals();
  const [{ name }] = plan.stages as [Plan['stages'][number]];
  const runId = `${options.runId}-${name}`;
  const server = watchServer(plan, target.targets[0], host.printer.say);
  const { screen } = host.printer;
  const display = screen === null ? {} : openLiveDisplay(screen, { ...displayedRun(plan), name });
  const driven = await drive(
    { ...options, plan, runId },
    target,
    {
      observer: combineObservers([recorder, refusals, server, display]),
      say: () => undefined,
      onStop: host.onStop,
      canary: canary.streamOptions,
    },
    null,
  );
  const { stoppedBy, breach } = driven;
  const cutShortReason =
    breach === null
      ? `stopped by ${stoppedBy ?? 'request'} before the load had ended`
      : `ended early: ${breach.text}`;
  const facts = runFacts(plan, runId);
  // A refusal ends the search, but breaks no objective of the plan, so the result names no breach.
  const result = resultOfRun(
    { facts, recorder, target, canary, server },
    { ...driven, breach: null },
    {
      gatewayCounters: null,
      notes: canary.notes,
      partial: driven.isCutShort ? cutShortReason : null,
    },
  );
  await server.close?.();
  await keepStep(join(folder, name), result, host.printer.warn);
  return { result, stoppedBy, refused: refusals.sentence() };
};
