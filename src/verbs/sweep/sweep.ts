import { type SweepReport, pointName } from './model/sweep.ts';
import type { RunFolder } from '../../platform/files/run-folder.ts';
import { wallClock } from '../../platform/host/clock.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { terminalText, terminalVerdict } from '../../report/document/terminal-writer.ts';
import { sweepDocument, sweepOverview } from './report/sweep-document.ts';
import { sweepHeadline, sweepTone, sweptRunLine } from './report/sweep-text.ts';
import { rejectUntil } from '../../run/input/reject-until.ts';
import { confirmBudget, type Host, withoutPrints } from '../../run/input/host.ts';
import { type ExitName, exitCode, gravestExit, exitOfStop } from '../../run/output/exit-codes.ts';
import { openOutputFolder, usingFolder } from '../../run/output/output-folder.ts';
import { publishReport } from '../../run/output/write-outputs.ts';
import { join } from 'node:path';
import { judgePoint, judgeRun, type JudgedRun } from './judge/judge-point.ts';
import { figureNames, isLatencyName, isRateName } from './judge/swept-figures.ts';
import { type Milliseconds, milliseconds } from '../../model/quantity.ts';
import { pause } from '../../platform/process/pause.ts';
import { Problem } from '../../platform/problem.ts';
import { timeText } from '../../report/text/number-text.ts';
import { watchRefusals } from '../capacity/refusal-watch.ts';
import { answerTimeFrom } from '../../run/forecast.ts';
import { followStops, StoppedBeforeLoad } from '../../run/input/follow-stops.ts';
import { defaultRunId } from '../../run/input/run-facts.ts';
import { runOnce } from '../../run/run.ts';
import { pauseFor } from '../../run/input/pause-between-runs.ts';
import {
  sweepPlanLines,
  sweepOrder,
  type SweepSlot,
  readSweep,
  type ReadSweep,
  type SweepRequest,
  sourceOfRun,
} from './sweep-points.ts';
import { exitForSweep } from './exit-for-sweep.ts';
import { judgeSweep } from './judge/judge-sweep.ts';
import { bareRequest } from '../../run/input/run-request.ts';

const checkAxes = ({ throughput, latency }: SweepRequest): void => {
  if (throughput !== undefined && !isRateName(throughput)) {
    throw new Problem(
      `--throughput: expected completedRate, outputTokenRate or inputTokenRate; got ${throughput}`,
    );
  }
  if (latency !== undefined && !isLatencyName(latency)) {
    throw new Problem(
      `--latency: expected a percentile of a measure of which less is better, such as ttft.p95 or endToEnd.p50; got ${latency}`,
    );
  }
};

interface SweepInProgress {
  readonly request: SweepRequest;
  readonly read: ReadSweep;
  readonly folder: RunFolder;
  readonly pauseLength: Milliseconds;
  readonly host: Host;
  readonly points: readonly {
    readonly values: readonly string[];
    readonly runs: JudgedRun[];
    readonly problems: string[];
  }[];
  stopped: ExitName | null;
  /** The reason why the sweep ended before its last run; `null` after the last run. */
  partial: string | null;
}

/** Judges the points, writes the report into the folder, and prints it. */
export const publishSweep = async ({
  request,
  read: { variables, points: planned },
  folder,
  host: { printer },
  points,
  stopped,
  partial,
}: SweepInProgress): Promise<ExitName> => {
  const { plan } = planned[0]!;
  const { throughput = null, latency = null } = request;
  const report: SweepReport = {
    format: 'sweep/1',
    weir: weirVersion(),
    judgedAt: wallClock(),
    name: plan.name,
    target: (plan.targets ?? [plan])
      .map(({ target }) => (target.kind === 'url' ? target.url : 'the reference gateway'))
      .join(' and '),
    seed: plan.seed,
    variables: [...variables],
    repetitions: request.repetitions,
    objectives: [...plan.objectives, ...plan.perRequest].map(({ text }) => text),
    ...judgeSweep({ variables, points, throughput, latency }, plan),
    partial,
  };
  const exit = stopped ?? exitForSweep(report);
  const code = exitCode(exit);
  const verdict = `${code === 0 ? '' : `Exit ${code}. `}${sweepHeadline(report)}.`;
  const written = await publishReport(printer, folder, 'sweep', {
    report,
    document: sweepDocument(report),
    print: {
      text: (style) => terminalText(sweepOverview(report), style),
      closing: (style) => terminalVerdict(verdict, code === 0 ? sweepTone(report) : 'bad', style),
      isGood: code === 0,
    },
  });
  return gravestExit([exit, written]);
};

/** Returns the folder of a run: `runs/03-2` is the second run of the third point. */
const folderOf = ({ point, repetition }: SweepSlot): string =>
  join('runs', `${String(point + 1).padStart(2, '0')}-${repetition + 1}`);

const makeRun = async (
  sweeping: SweepInProgress,
  slot: SweepSlot,
  order: number,
): Promise<void> => {
  const { request, read, folder, host } = sweeping;
  const refusals = watchRefusals();
  const { plan } = read.points[slot.point]!;
  const { result, trust, exit } = await runOnce(
    {
      ...bareRequest,
      source: sourceOfRun(request.source, read, slot),
      out: join(folder.path, folderOf(slot)),
      runId: `${defaultRunId(plan)}-${order}`,
      yes: true,
      preflight: request.preflight,
      // The keys are checked only once, since all runs have the same keys.
      keyCheck: order === 1,
    },
    withoutPrints(host),
    // Only refusals of the first run are watched: later, a healthy gateway may refuse because of its load, which the
    // sweep measures.
    () => (order === 1 ? refusals : {}),
  );
  const { throughput = null, latency = null } = request;
  const { values, runs } = sweeping.points[slot.point]!;
  const made = { folder: folderOf(slot), order, result, trust };
  const run = judgeRun(made, figureNames([throughput, latency]));
  runs.push(run);
  host.printer.say(sweptRunLine(judgePoint({ values, runs: [run], problems: [] })));
  if (stopExits.includes(exit)) sweeping.stopped = exit;
  if (order === 1) sweeping.partial = refusals.sentence();
};

const stopExits: readonly ExitName[] = Object.values(exitOfStop).filter(
  (exit) => exit !== 'incomplete',
);

/**
 * A sweep ends after this number of consecutive runs that could not start, since the following runs would fail, too.
 */
const maxFailedRuns = 2;

/** Records why a run could not start. An unexpected error is thrown again. */
export const keepFailure = (sweeping: SweepInProgress, slot: SweepSlot, error: unknown): void => {
  if (!(error instanceof Problem)) throw error;
  if (error instanceof StoppedBeforeLoad) {
    sweeping.stopped = exitOfStop[error.stoppedBy];
    return;
  }
  sweeping.points[slot.point]!.problems.push(error.message);
  sweeping.host.printer.warn(`This run could not be made: ${error.message}`);
};

/** Makes the runs in their order until the end, a stop, or too many runs that cannot start. */
const makeRuns = async (sweeping: SweepInProgress): Promise<void> => {
  const { request, read, host, pauseLength } = sweeping;
  const slots = sweepOrder(read.points.length, request.repetitions, read.points[0]!.plan.seed);
  let failed = 0;
  for (const [i, slot] of slots.entries()) {
    if (i > 0 && pauseLength > 0) {
      host.printer.say(`Pausing ${timeText(pauseLength)}, so that the limits recover.`);
      const cause = await pause(pauseLength, host.onStop);
      if (cause !== null) sweeping.stopped = exitOfStop[cause];
    }
    if (sweeping.stopped !== null || sweeping.partial !== null) break;
    const { values } = read.points[slot.point]!;
    host.printer.say(`Run ${i + 1} of ${slots.length}: ${pointName(read.variables, values)}`);
    try {
      await makeRun(sweeping, slot, i + 1);
      failed = 0;
    } catch (error) {
      // If the first run cannot start, no results could be lost, so the sweep fails.
      if (i === 0) throw error;
      keepFailure(sweeping, slot, error);
      failed += 1;
      if (failed === maxFailedRuns) sweeping.partial = 'two runs in a row could not be made';
    }
  }
  if (sweeping.stopped !== null) sweeping.partial ??= 'stopped before its last run';
};

const sweepTarget = async (
  request: SweepRequest,
  read: ReadSweep,
  pauseLength: Milliseconds,
  host: Host,
): Promise<ExitName> => {
  const { printer } = host;
  const folder = await openOutputFolder(request.out, 'sweep', printer.say);
  const sweeping: SweepInProgress = {
    request,
    read,
    folder,
    pauseLength,
    host,
    points: read.points.map(({ values }) => ({ values, runs: [], problems: [] })),
    stopped: null,
    partial: null,
  };
  return usingFolder(folder, async () => {
    await makeRuns(sweeping);
    return publishSweep(sweeping);
  });
};

export const sweep = async (request: SweepRequest, host: Host): Promise<ExitName> => {
  checkAxes(request);
  const { source, vary, repetitions } = request;
  const answerTime = answerTimeFrom(request.answerTime);
  const read = await readSweep(source, { vary, repetitions, answerTime }, host.environment);
  for (const { plan } of read.points)
    rejectUntil(
      plan,
      'the points of a sweep are compared over the same time',
      'the points of a sweep leave out the same time',
    );
  const pauseLength = milliseconds(
    Math.max(...read.points.map(({ plan }) => pauseFor(plan, request.pause))),
  );
  const stops = followStops(host.onStop, () =>
    host.printer.say('the runs are over; the report is being written'),
  );
  try {
    for (const line of sweepPlanLines(read, repetitions, pauseLength)) host.printer.say(line);
    if (!request.yes) {
      await stops.unlessStopped(confirmBudget(host, 'nothing was sent to the gateway'), null);
    }
    return await sweepTarget(request, read, pauseLength, { ...host, onStop: stops.onStop });
  } finally {
    stops.release();
  }
};
