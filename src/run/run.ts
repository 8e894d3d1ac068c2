import { join } from 'node:path';
import type { Plan } from '../model/plan/plan.ts';
import type { Result } from '../model/result/result.ts';
import { isForeseen } from '../platform/files/file-error-reasons.ts';
import { separateCores } from '../platform/process/separate-cores.ts';
import { traceNeeds } from '../report/summary/workload-text.ts';
import { budgetEndText } from './budget-end.ts';
import { type DrivenSlice, drive } from './drive.ts';
import { type FollowedStops, followStops } from './input/follow-stops.ts';
import type { Host } from './input/host.ts';
import type { RunRequest } from './input/run-request.ts';
import { type OpenedRun, openRun } from './open-run.ts';
import { type ExitName, exitOfStop } from './output/exit-codes.ts';
import { outputFiles } from './output/output-folder.ts';
import type { PublishedResult } from './output/publish.ts';
import { resultOfRun } from './result-of-run.ts';
import type { PlannedStart } from './input/planned-start.ts';
import { byWallClock, waitForStart } from './start-at.ts';
import { collectMockCounters } from './target/collect-mock-counters.ts';
import { combineObservers, type RunObserver } from './watch/observer.ts';
import { timeText } from '../report/text/number-text.ts';

interface DrivenRun {
  readonly result: Result;
  readonly driven: DrivenSlice;
}

/**
 * Runs the load of a plan. During the load, an embedded gateway has its own core, as if the gateway ran on another
 * machine.
 */
const driveApart = async (
  { options, target, canary, workerPool }: OpenedRun,
  context: Parameters<typeof drive>[2],
): Promise<DrivenSlice> => {
  const gateways = target.mocks.map(({ pid }) => pid);
  const beside = gateways.length === 0 ? [] : [...gateways, canary.pid];
  const reunite = await separateCores(workerPool?.workers ?? 1, beside);
  try {
    return await drive(options, target, context, workerPool);
  } finally {
    await reunite();
  }
};

/** Returns a sentence that says why the load ended early; `null` if the load ended as planned. */
const stopReason = (driven: DrivenSlice): string | null => {
  const { stoppedBy, isCutShort, breach, refusal, exhaustedBudget, lostLease, loadEnded } = driven;
  if (breach !== null) {
    return `ended after ${timeText(breach.at)}, since the objective ${breach.text} was broken`;
  }
  if (refusal !== null) return `ended after ${timeText(loadEnded)}, since ${refusal}`;
  if (exhaustedBudget !== null) return budgetEndText(loadEnded, exhaustedBudget);
  if (lostLease) return `ended after ${timeText(loadEnded)}, since the coordinator was silent`;
  if (stoppedBy === null) return null;
  return isCutShort
    ? `stopped by ${stoppedBy} before the load had ended`
    : `stopped by ${stoppedBy} while waiting for the last answers`;
};

export const partialReason = (driven: DrivenSlice, lostGateway: string | null): string | null => {
  const reasons = [stopReason(driven), ...driven.lostSlices, lostGateway].filter(
    (reason) => reason !== null,
  );
  return reasons.length === 0 ? null : reasons.join('; ');
};

const runOpened = async (
  opened: OpenedRun,
  start: PlannedStart | null,
  { printer: { say }, onStop }: Host,
): Promise<DrivenRun> => {
  const { options, openings, target, canary } = opened;
  const { observers } = openings;
  const announcements = observers.flatMap((observer) => observer.announcements ?? []);
  for (const line of [...target.warnings, ...traceNeeds(options.plan), ...announcements]) say(line);
  const observer = combineObservers(observers);
  const context = { observer, say, onStop, canary: canary.streamOptions, start };
  const driven = await driveApart(opened, context);
  const { gatewayCounters, notes, lost } = await collectMockCounters(target);
  const result = resultOfRun(opened, driven, {
    gatewayCounters,
    notes,
    // If the user stopped the run, the gateway's end does not make the run partial, since a signal from the terminal
    // also ends the gateway.
    partial: partialReason(driven, driven.stoppedBy === null ? lost : null),
  });
  if (options.plan.until === undefined) return { result, driven };
  const { decisionNotes } = await import('./watch/decision.ts');
  const decided = decisionNotes(result, driven.decidedAt);
  return { result: { ...result, notes: [...decided, ...result.notes] }, driven };
};

export interface FinishedRun extends PublishedResult {
  /** The path of the result file; empty if the run wrote no files. */
  readonly file: string;
  /** The path of the report page; `null` if the page was not written. */
  readonly page: string | null;
  readonly exit: ExitName;
}

/**
 * Publishes the result of a load that has ended. The observers' files are completed last, so the reports are already
 * written if these files fill the disk.
 */
const publishDriven = async (
  { result, driven }: DrivenRun,
  opened: OpenedRun,
  { history, strict: isStrict = false }: RunRequest,
  { environment, printer }: Host,
): Promise<FinishedRun> => {
  // The modules are imported only here, since no run needs judges, pages or the history before the end of its load.
  const { withCalibrationNote } = await import('./calibration-note.ts');
  const { withLimitNotes } = await import('./limit-notes.ts');
  const { publish } = await import('./output/publish.ts');
  const { exitForVerdicts } = await import('./output/judge-result.ts');
  const { storeInHistory } = await import('./output/store-in-history.ts');
  const { folder, extraReports } = opened;
  const { observers } = opened.openings;
  const stop = driven.stoppedBy === null ? null : exitOfStop[driven.stoppedBy];
  const noted = await withCalibrationNote(withLimitNotes(result), environment);
  const files = observers.flatMap((observer) => observer.files ?? []);
  const judged = await publish(noted, { folder, extraReports, files }, printer, {
    stop,
    isStrict,
  });
  let { written } = judged;
  for (const { onPublished } of observers) {
    await onPublished?.(written).catch((error: unknown) => {
      if (!isForeseen(error)) throw error;
      written = 'unwritten';
      printer.warn(`Not everything was kept: ${error.message}.`);
    });
  }
  // A user who stopped a run knows that it is incomplete, so the exit code only says how it was stopped.
  const exit = stop ?? exitForVerdicts({ ...judged, written });
  const file = folder === null ? '' : join(folder.path, outputFiles.run.data);
  const page =
    folder === null || written !== 'pass' ? null : join(folder.path, outputFiles.run.page);
  const finished = { ...judged, written, exit, file, page };
  if (folder !== null) await storeInHistory(history, finished, printer.warn);
  return finished;
};

/**
 * Waits until shortly before the load, and returns the start of the load. Throws `StoppedBeforeLoad` if the user stops
 * the run during the wait.
 */
const agreedStart = async (
  { startAt, agreeOnStart }: RunRequest,
  { unlessStopped, onStop }: FollowedStops,
  say: (text: string) => void,
): Promise<PlannedStart | null> => {
  const start =
    agreeOnStart === undefined ? byWallClock(startAt) : await unlessStopped(agreeOnStart(), null);
  await waitForStart(start, onStop, say);
  return start;
};

/**
 * Runs a plan once and publishes its result. `observe` returns an observer that the caller adds. If a request to stop
 * comes before the load, this function throws `StoppedBeforeLoad`. During the load, the request ends the load. After
 * the load, it has no effect, since the reports are already being written.
 */
export const runOnce = async (
  request: RunRequest,
  host: Host,
  observe: (plan: Plan) => RunObserver = () => ({}),
): Promise<FinishedRun> => {
  const { printer } = host;
  const stops = followStops(host.onStop, () =>
    printer.say('the load is over; the reports are being written'),
  );
  try {
    const opener = { ...host, requestStop: () => stops.request('the live page') };
    const opened = await stops.unlessStopped(openRun(request, opener, observe), (late) =>
      late.openings.discard(),
    );
    const start = await agreedStart(request, stops, printer.say).catch(async (error: unknown) => {
      await opened.openings.discard();
      throw error;
    });
    try {
      const driven = await runOpened(opened, start, { ...host, onStop: stops.onStop });
      return await publishDriven(driven, opened, request, host);
    } finally {
      await opened.openings.close();
    }
  } finally {
    stops.release();
  }
};
