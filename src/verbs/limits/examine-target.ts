import type { ReportDocument } from '../../report/document/document.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { followStops } from '../../run/input/follow-stops.ts';
import { confirmBudget, type Host, type StopCause } from '../../run/input/host.ts';
import type { ReadPlan } from '../../run/input/read-plan.ts';
import { folderFor } from '../../run/input/report-paths.ts';
import { type ExitName, exitOfStop, gravestExit } from '../../run/output/exit-codes.ts';
import { openOutputFolder } from '../../run/output/output-folder.ts';
import { publishReport } from '../../run/output/write-outputs.ts';
import type { ReadyTarget } from '../../run/target/prepare-target.ts';
import type { TargetRequest } from '../../run/target/target-plan.ts';
import { assumedLimitsOf, assumedText, rejectOtherHeaders } from './assumed-limits.ts';
import { examineOpened, type OpenedProbe } from './examination.ts';
import type { KeyFindings } from './model/key-findings.ts';
import { exitOfFindings, findingsBeside } from './stored-findings.ts';

/** This file does what every examination of a limit needs: opening, budget, stops, reports and exit code. */

/** The result of an examination: its log, its duration in ms, and the cause that ended the examination early. */
export interface Examined<Log> {
  readonly log: Log;
  readonly took: number;
  readonly stoppedBy: StopCause | null;
}

export const examineUntilStopped = async <Log>(
  { session: { clock } }: OpenedProbe,
  { printer: { say }, onStop }: Host,
  send: (stopReason: () => string | null) => Promise<Log>,
): Promise<Examined<Log>> => {
  let stoppedBy = null as StopCause | null;
  const release = onStop((cause) => {
    stoppedBy ??= cause;
    say('stopping: the replies so far will be judged');
  });
  const begun = clock.now();
  try {
    const log = await send(() => (stoppedBy === null ? null : `stopped by ${stoppedBy}`));
    return { log, stoppedBy, took: clock.now() - begun };
  } finally {
    release();
  }
};

/** Returns the prefix of the ids of all requests of an examination, such as `limits-1127184500`. */
export const runIdOf = (prefix: string, { startedAt }: OpenedProbe): string =>
  `${prefix}-${startedAt.replaceAll(/[^0-9]/g, '').slice(4, 14)}`;

/** Returns the origin of a report: Weir's version, the target, the start and the model. */
const reportOrigin = (target: ReadyTarget, { startedAt }: OpenedProbe, model: string) => ({
  weir: weirVersion(),
  target: target.baseUrl,
  startedAt,
  model,
});

/** The origin of a report. `isAssumed` says that nobody declared the examined limit. */
export interface ReportOrigin extends ReturnType<typeof reportOrigin> {
  readonly isAssumed?: true;
}

export interface ExaminationOutcome {
  readonly report: object;
  /**
   * Builds the document. `beside` has the findings about the target's other limit (requests or tokens), read from the
   * folder.
   */
  readonly document: (beside: KeyFindings) => ReportDocument;
  readonly junit: () => string;
  readonly verdict: 'kept' | 'violated' | 'undecided';
  readonly hasAnswers: boolean;
  readonly stoppedBy: StopCause | null;
}

export interface PlannedExamination {
  readonly model: string;
  readonly budget: string;
  readonly run: (host: Host, origin: ReportOrigin) => Promise<ExaminationOutcome>;
}

interface ExaminationRequest extends TargetRequest {
  readonly model: string | undefined;
  readonly preflight: boolean;
  readonly yes: boolean;
  readonly out: string | undefined;
}

const exitFor = ({ stoppedBy, verdict, hasAnswers }: ExaminationOutcome): ExitName => {
  if (stoppedBy !== null) return exitOfStop[stoppedBy];
  if (verdict === 'violated') return 'violated';
  if (!hasAnswers) return 'empty';
  return verdict === 'undecided' ? 'inconclusive' : 'pass';
};

/**
 * Examines a target: opens it, plans an examination of its first idle key, asks the user to accept the budget, examines
 * and publishes. `plan` returns the planned examination, or the reason why nothing can be examined. `files` are the
 * names of the examination's files.
 */
export const examineTarget = async (
  request: ExaminationRequest,
  read: ReadPlan,
  host: Host,
  examination: {
    readonly files: 'limits' | 'tokens';
    readonly window: number;
    readonly plan: (probe: OpenedProbe) => PlannedExamination | string;
  },
): Promise<ExitName> => {
  const { printer } = host;
  const { say } = printer;
  const { files, window } = examination;
  const examined = files === 'limits' ? 'requests' : 'tokens';
  const assumed = await assumedLimitsOf(request, read, host.environment);
  const isAssumed = assumed[examined] !== null;
  const folder = await openOutputFolder(folderFor(request.out, 'limits'), files, say);
  const stops = followStops(host.onStop, () =>
    say('the examination is over; its report is being written'),
  );
  // The timeout exceeds two windows, since a queue may delay a request by more than a window.
  const timeout = 2 * window + 30_000;
  const { model, preflight } = request;
  const opening = { read, model, preflight, timeout, folder, stops };
  return examineOpened(opening, printer, async (probe, target) => {
    rejectOtherHeaders(assumed, probe.models.declared, { examined, window });
    const planned = examination.plan(probe);
    if (typeof planned === 'string') {
      printer.warn(`Undecided: ${planned}. Nothing was sent to examine the limit.`);
      await folder.discard();
      return 'inconclusive';
    }
    say(`${target.baseUrl}, model ${planned.model}: nothing else may use the key until the end.`);
    if (isAssumed) say(assumedText(assumed, window));
    say(`Budget: ${planned.budget}.`);
    if (!request.yes) {
      const asked = confirmBudget(host, 'nothing was sent to examine the gateway’s limits');
      await stops.unlessStopped(asked, null);
    }
    const origin = {
      ...reportOrigin(target, probe, planned.model),
      ...(isAssumed ? { isAssumed: true as const } : {}),
    };
    const outcome = await planned.run({ ...host, onStop: stops.onStop }, origin);
    const other = examined === 'requests' ? 'tokens' : 'requests';
    const beside = await findingsBeside(folder.path, origin.target, other);
    const { report, junit } = outcome;
    const published = { report, document: outcome.document(beside), junit };
    const written = await publishReport(printer, folder, files, published);
    return gravestExit([exitFor(outcome), exitOfFindings(beside), written]);
  });
};
