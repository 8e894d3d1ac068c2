import { join } from 'node:path';
import { judgePoint, judgeRun, type JudgedRun } from './judge/judge-point.ts';
import { axisOf, figureNames, isLatencyName, isThroughputName } from './judge/swept-figures.ts';
import { wholeRunSlice } from '../../model/workload/arrival.ts';
import { pointName } from './model/sweep.ts';
import { type Milliseconds, milliseconds } from '../../model/quantity.ts';
import type { RunFolder } from '../../platform/files/run-folder.ts';
import { pause } from '../../platform/process/pause.ts';
import { Problem } from '../../platform/problem.ts';
import { sweptRunLine } from './report/sweep-text.ts';
import { timeText } from '../../report/text/number-text.ts';
import { watchRefusals } from '../capacity/refusal-watch.ts';
import { answerTimeFrom } from '../../run/forecast.ts';
import { followStops, StoppedBeforeLoad } from '../../run/input/follow-stops.ts';
import { confirmBudget, type Host } from '../../run/input/host.ts';
import type { PlanSource } from '../../run/input/read-plan.ts';
import { folderFor } from '../../run/input/report-paths.ts';
import { defaultRunId } from '../../run/input/run-facts.ts';
import { type ExitName, exitOfStop } from '../../run/output/exit-codes.ts';
import { openOutputFolder } from '../../run/output/output-folder.ts';
import { publishSweep } from './publish-sweep.ts';
import { type FinishedRun, runOnce } from '../../run/run.ts';
import { pauseFor } from '../../run/input/pause-between-runs.ts';
import {
  sweepPlanLines,
  sweepOrder,
  type SweepSlot,
  readSweep,
  type ReadSweep,
  sourceOfRun,
} from './sweep-points.ts';

export interface SweepRequest {
  readonly source: PlanSource;
  /** `PATH=VALUES` each. */
  readonly vary: readonly string[];
  readonly repetitions: number;
  readonly pause: string | undefined;
  readonly answerTime: string | undefined;
  /** The figures that points are judged by; chosen by what the runs have where absent. */
  readonly throughput: string | undefined;
  readonly latency: string | undefined;
  readonly yes: boolean;
  readonly out: string | undefined;
}

const checkAxes = ({ throughput, latency }: SweepRequest): void => {
  if (throughput !== undefined && !(isThroughputName(throughput) && axisOf(throughput) !== null)) {
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

/** What a sweep has made so far. */
interface SweepProgress {
  readonly points: readonly {
    readonly values: readonly string[];
    readonly runs: JudgedRun[];
    readonly problems: string[];
  }[];
  /** The exit of a stop, which ends the sweep. */
  stopped: ExitName | null;
  /** Why the sweep ended before its last run. */
  partial: string | null;
}

interface SweepContext {
  readonly request: SweepRequest;
  readonly read: ReadSweep;
  readonly folder: RunFolder;
  readonly pauseLength: Milliseconds;
  readonly host: Host;
}

/** `runs/03-2`: the second run of the third point. */
const folderOf = ({ point, repetition }: SweepSlot): string =>
  join('runs', `${String(point + 1).padStart(2, '0')}-${repetition + 1}`);

/** The host of one run: the sweep prints, not its runs. */
const hostOfRun = ({ printer, ...host }: Host): Host => ({
  ...host,
  printer: {
    ...printer,
    print: () => undefined,
    listFiles: () => undefined,
    close: () => undefined,
  },
});

interface MadeSlot {
  readonly finished: FinishedRun;
  /** A sentence if the target refused every request. */
  readonly refused: string | null;
}

const runSlot = async (
  { request, read, folder, host }: SweepContext,
  slot: SweepSlot,
  order: number,
): Promise<MadeSlot> => {
  const refusals = watchRefusals();
  const { plan } = read.points[slot.point]!;
  const finished = await runOnce(
    {
      source: sourceOfRun(request.source, read, slot),
      out: join(folder.path, folderOf(slot)),
      extraReports: {},
      observations: undefined,
      capture: undefined,
      metricsExport: { metrics: null, otlp: null },
      slice: wholeRunSlice,
      runId: `${defaultRunId(plan)}-${order}`,
      history: null,
      yes: true,
      // The keys do not change from run to run.
      keyCheck: order === 1,
    },
    hostOfRun(host),
    // In later runs a healthy gateway may refuse because of its load, which the sweep measures.
    () => (order === 1 ? refusals : {}),
  );
  return { finished, refused: order === 1 ? refusals.sentence() : null };
};

const stopExits: readonly ExitName[] = Object.values(exitOfStop).filter(
  (exit) => exit !== 'incomplete',
);

/** Two runs in a row that cannot even begin end a sweep: the next ones would not either. */
const maxFailedRuns = 2;

/** Keeps the run of a slot, or the reason why there is none; says what came of it. */
const keep = (
  { request, host }: SweepContext,
  progress: SweepProgress,
  { slot, order }: { readonly slot: SweepSlot; readonly order: number },
  { finished, refused }: MadeSlot,
): void => {
  const { result, trust, exit } = finished;
  const { throughput = null, latency = null } = request;
  const { values, runs } = progress.points[slot.point]!;
  const made = { folder: folderOf(slot), order, result, trust };
  const run = judgeRun(made, figureNames([throughput, latency]));
  runs.push(run);
  host.printer.say(sweptRunLine(judgePoint({ values, runs: [run], problems: [] })));
  if (stopExits.includes(exit)) progress.stopped = exit;
  if (refused !== null) progress.partial = refused;
};

/** Waits until the limits have recovered; a stop ends the sweep. */
const pauseBetween = async (
  { pauseLength, host }: SweepContext,
  progress: SweepProgress,
): Promise<void> => {
  if (pauseLength === 0) return;
  host.printer.say(`Pausing ${timeText(pauseLength)}, so that the limits recover.`);
  const cause = await pause(pauseLength, host.onStop);
  if (cause !== null) progress.stopped = exitOfStop[cause];
};

/** Notes why a run could not begin; throws what is not foreseen. */
const keepFailure = (
  { host }: SweepContext,
  progress: SweepProgress,
  slot: SweepSlot,
  error: unknown,
): void => {
  if (!(error instanceof Problem)) throw error;
  if (error instanceof StoppedBeforeLoad) {
    progress.stopped = exitOfStop[error.stoppedBy];
    return;
  }
  progress.points[slot.point]!.problems.push(error.message);
  host.printer.warn(`This run could not be made: ${error.message}`);
};

/** Makes the runs in their order until the end, a stop, or runs that cannot begin. */
const makeRuns = async (context: SweepContext, progress: SweepProgress): Promise<void> => {
  const { request, read, host } = context;
  const slots = sweepOrder(read.points.length, request.repetitions, read.points[0]!.plan.seed);
  let failed = 0;
  for (const [i, slot] of slots.entries()) {
    if (i > 0) await pauseBetween(context, progress);
    if (progress.stopped !== null || progress.partial !== null) break;
    const { values } = progress.points[slot.point]!;
    host.printer.say(`Run ${i + 1} of ${slots.length}: ${pointName(read.variables, values)}`);
    try {
      const made = await runSlot(context, slot, i + 1);
      keep(context, progress, { slot, order: i + 1 }, made);
      failed = 0;
    } catch (error) {
      // Nothing is lost if the first run cannot begin.
      if (i === 0) throw error;
      keepFailure(context, progress, slot, error);
      failed += 1;
      if (failed === maxFailedRuns) progress.partial = 'two runs in a row could not be made';
    }
  }
  if (progress.stopped !== null) progress.partial ??= 'stopped before its last run';
};

/** Opens the folder, makes the runs and publishes what they show. */
const sweepTarget = async (
  request: SweepRequest,
  read: ReadSweep,
  pauseLength: Milliseconds,
  host: Host,
): Promise<ExitName> => {
  const { printer } = host;
  const folder = await openOutputFolder(folderFor(request.out, 'sweep'), 'sweep', printer.say);
  const progress: SweepProgress = {
    points: read.points.map(({ values }) => ({ values, runs: [], problems: [] })),
    stopped: null,
    partial: null,
  };
  try {
    await makeRuns({ request, read, folder, pauseLength, host }, progress);
    const { plan } = read.points[0]!;
    const made = {
      plan,
      variables: read.variables,
      points: progress.points,
      repetitions: request.repetitions,
      target: plan.target.kind === 'url' ? plan.target.url : 'the reference gateway',
      throughput: request.throughput ?? null,
      latency: request.latency ?? null,
      partial: progress.partial,
    };
    return await publishSweep(made, folder, printer, progress.stopped);
  } catch (error) {
    await folder.discard();
    throw error;
  } finally {
    await folder.release();
  }
};

/** Runs every combination of the values of some fields, and compares throughput with latency. */
export const sweep = async (request: SweepRequest, host: Host): Promise<ExitName> => {
  checkAxes(request);
  const { source, vary, repetitions } = request;
  const answerTime = answerTimeFrom(request.answerTime);
  const read = await readSweep(source, { vary, repetitions, answerTime }, host.environment);
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
