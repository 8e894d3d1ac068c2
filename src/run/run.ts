import { join } from 'node:path';
import type { Plan } from '../model/plan/plan.ts';
import { milliseconds } from '../model/quantity.ts';
import type { Result } from '../model/result/result.ts';
import { toResult } from '../record/tally.ts';
import { traceNeeds } from '../report/summary/workload-text.ts';
import { withCalibrationNote } from './calibration-note.ts';
import { type DrivenSlice, drive } from './drive.ts';
import type { Host } from './input/host.ts';
import type { RunRequest } from './input/run-request.ts';
import { type OpenedRun, openRun } from './open-run.ts';
import { type ExitName, exitOfStop } from './output/exit-codes.ts';
import { exitForVerdicts, type JudgedResult, publish } from './output/publish.ts';
import { storeInHistory } from './output/store-in-history.ts';
import { partialReason } from './partial-reason.ts';
import { collectMockCounters } from './target/collect-mock-counters.ts';
import { combineObservers, type RunObserver } from './watch/observer.ts';

/** Drives the plan and returns its result, without prompts and secrets. */
const runOpened = async (
  { options, facts, recorder, observers, target, canary, workerPool }: OpenedRun,
  { printer: { say }, onStop }: Host,
): Promise<{ readonly result: Result; readonly driven: DrivenSlice }> => {
  const announcements = observers.flatMap((observer) => observer.announcements ?? []);
  for (const line of [...target.warnings, ...traceNeeds(options.plan), ...announcements]) say(line);
  const observer = combineObservers(observers);
  const context = { observer, say, onStop, canary: canary.streamOptions };
  const driven = await drive(options, target, context, workerPool);
  const { witness, notes } = await collectMockCounters(target.mock);
  const result = toResult(recorder.whole(driven.workerResults), {
    ...facts,
    slices: [...driven.slices],
    scheduled: milliseconds(driven.loadEnded),
    partial: partialReason(driven),
    breach: driven.breach ?? undefined,
    notes: [...target.notes, ...driven.notes, ...canary.endNotes(), ...notes],
    witness,
  });
  return { result, driven };
};

/** The outcome of a run and the files that it wrote. */
export interface FinishedRun extends JudgedResult {
  /** The path of the result file; empty if the run writes no files. */
  readonly file: string;
  readonly exit: ExitName;
}

/** A user who stopped a run knows that it is incomplete. */
const exitAfter = ({ stoppedBy }: DrivenSlice, judged: JudgedResult): ExitName =>
  stoppedBy === null ? exitForVerdicts(judged) : exitOfStop[stoppedBy];

/** Runs a plan once and publishes its result. `observe` adds the caller's observer. */
export const runOnce = async (
  request: RunRequest,
  host: Host,
  observe: (plan: Plan) => RunObserver = () => ({}),
): Promise<FinishedRun> => {
  const { environment, printer } = host;
  const opened = await openRun(request, host, observe);
  const { folder, observers } = opened;
  try {
    const { result, driven } = await runOpened(opened, host);
    const judged = await publish(await withCalibrationNote(result, environment), opened, printer);
    // After the reports, so that a full disk here does not lose them.
    for (const { onPublished } of observers) await onPublished?.();
    const exit = exitAfter(driven, judged);
    const finished = {
      ...judged,
      exit,
      file: folder === null ? '' : join(folder.path, 'result.json'),
    };
    if (folder !== null) await storeInHistory(request.history, finished, printer.warn);
    return finished;
  } finally {
    // Processes first: this process cannot end while one of them runs.
    await opened.canary.stop();
    await opened.target.mock?.stop();
    for (const { close } of observers) await close?.();
  }
};
