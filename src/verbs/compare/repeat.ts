import { rejectUntil } from '../../run/input/reject-until.ts';
import { type FinishedRun, runOnce } from '../../run/run.ts';
import type { RunRequest, RepetitionRequest } from '../../run/input/run-request.ts';
import { join } from 'node:path';
import type { Repetition, Side } from '../../judge/series/repetition.ts';
import { sideDifferences } from './judge/side-differences.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { Result } from '../../model/result/result.ts';
import { planHash } from '../../model/plan/plan-hash.ts';
import { type Milliseconds, milliseconds } from '../../model/quantity.ts';
import { openRunFolder, type RunFolder } from '../../platform/files/run-folder.ts';
import { pause } from '../../platform/process/pause.ts';
import { Problem } from '../../platform/problem.ts';
import { timeText } from '../../report/text/number-text.ts';
import { exitCode, type ExitName, exitOfStop, gravestExit } from '../../run/output/exit-codes.ts';
import { usingFolder } from '../../run/output/output-folder.ts';
import { folderFor, historyPath } from '../../run/input/report-paths.ts';
import { ownExitLines, type RunExit } from './own-exits.ts';
import { publishComparison, publishNoise, readGates } from './publish-comparison.ts';
import { followStops, StoppedBeforeLoad } from '../../run/input/follow-stops.ts';
import { readSide } from '../../run/input/read-side.ts';
import { defaultRunId } from '../../run/input/run-facts.ts';
import type { Host, Printer } from '../../run/input/host.ts';
import { type PlanSource, readPlan } from '../../run/input/read-plan.ts';
import { pauseFor } from '../../run/input/pause-between-runs.ts';

interface RunSlot {
  readonly side: 'base' | 'next';
  readonly folder: string;
}

/**
 * Returns `n` runs of one side, or `n` runs of each of two sides in the order ABBA, so that a drift of the environment
 * affects both sides equally.
 */
export const runSlots = (count: number, isComparison: boolean): readonly RunSlot[] =>
  Array.from({ length: count }, (_, i): readonly RunSlot[] => {
    if (!isComparison) return [{ side: 'next', folder: String(i + 1) }];
    const baseSlot: RunSlot = { side: 'base', folder: `base/${i + 1}` };
    const newSlot: RunSlot = { side: 'next', folder: `new/${i + 1}` };
    return i % 2 === 0 ? [baseSlot, newSlot] : [newSlot, baseSlot];
  }).flat();

const nothingSucceeded = 'nothing succeeded';

/** Returns the reason why a run of a series does not count; `null` if the run counts. */
export const exclusionReason = (run: Pick<FinishedRun, 'trust' | 'exit'>): string | null => {
  const { level: trusted, evidence } = run.trust;
  if (trusted !== 'invalid') return run.exit === 'empty' ? nothingSucceeded : null;
  const signals = evidence
    .filter(({ decides, level }) => decides && level === 'invalid')
    .map(({ signal, observed }) => `${signal}: ${observed}`);
  return `load not as planned (${signals.join('; ')})`;
};

interface ExcludedRun {
  readonly folder: string;
  readonly reason: string;
}

export const excludedRunLines = (
  runs: readonly ExcludedRun[],
  { of, isAllowed }: { readonly of: number; readonly isAllowed: boolean },
): readonly string[] => {
  if (runs.length === 0) return [];
  const verb = runs.length === 1 ? 'does' : 'do';
  const exit = runs.every(({ reason }) => reason === nothingSucceeded) ? 'empty' : 'invalid';
  const end = isAllowed
    ? 'and --allow-different lets them pass'
    : `hence exit code ${exitCode(exit)}`;
  return [
    `${runs.length} of ${of} runs ${verb} not count, ${end}:`,
    ...runs.map(({ folder, reason }) => `  ${folder}: ${reason}.`),
  ];
};

interface RepeatRequest extends Omit<RunRequest, 'strict'>, RepetitionRequest {
  readonly source: PlanSource;
  /** Whether to print the result of each run. If the runs are compared, only the comparison is printed. */
  readonly printEach: boolean;
}

/** Returns the plan with the addresses of another plan. If either has targets, both must have the same target names. */
const withAddressesOf = ({ target, targets }: Result['plan'], plan: Plan): Plan => ({
  ...plan,
  target,
  ...(plan.targets === undefined
    ? {}
    : {
        targets: plan.targets.map((each, place) => ({
          ...each,
          target: targets?.[place]?.target ?? each.target,
        })),
      }),
});

/** Returns whether a result comes from this plan. Only the gateways' addresses may differ. */
export const isPlanElsewhere = (
  { plan: stored, planHash: hash }: Pick<Result, 'plan' | 'planHash'>,
  plan: Plan,
): boolean => {
  const all = [stored, plan].flatMap(({ target, targets }) => targets ?? [{ target }]);
  return (
    all.every(({ target }) => target.kind === 'url') &&
    planHash(withAddressesOf(stored, plan)) === hash
  );
};

/** Reads the stored base, and checks before any load that it fits the plan. */
const readBaseline = async (
  request: RepeatRequest,
  plan: Plan,
  { environment }: Host,
): Promise<Side | null> => {
  if (request.baseline.length === 0) return null;
  const hash = planHash(plan);
  const history = historyPath(environment);
  const side = await readSide(request.baseline, { planHash: hash, history });
  if (request.allowDifferent) return side;
  const reasons = new Set(sideDifferences(side, side).map(({ message }) => message));
  const [{ file, result }] = side.repetitions;
  if (result.planHash !== hash && !isPlanElsewhere(result, plan)) {
    reasons.add(
      `the plan differs (its hash): ${result.planHash.slice(0, 12)} in ${file}, ${hash.slice(0, 12)} now`,
    );
  }
  if (reasons.size === 0) return side;
  throw new Problem(
    `--baseline: these runs cannot be the base:\n${[...reasons].map((reason) => `  ${reason}.`).join('\n')}\nRun the base again with this scenario; or add --allow-different to compare anyway.`,
  );
};

interface SeriesContext {
  readonly folder: RunFolder;
  readonly runId: string;
  readonly pauseLength: Milliseconds;
  readonly host: Host;
}

const stopExits: readonly ExitName[] = Object.values(exitOfStop).filter(
  (exit) => exit !== 'incomplete',
);

const maxAttempts = 3;

/**
 * Returns the host of one run in a series. The result of a run is printed only if `printEach` is set and nothing is
 * compared.
 */
const hostOfOneRun = (request: RepeatRequest, { printer, ...host }: Host): Host => {
  const isCompared = request.against !== undefined || request.baseline.length > 0 || request.self;
  const print: Printer['print'] = (outcome) => {
    if (request.printEach && !isCompared) printer.print(outcome);
  };
  return {
    ...host,
    printer: { ...printer, print, listFiles: () => undefined, close: () => undefined },
  };
};

/**
 * Makes one run of the series: the first valid attempt, or else the last attempt. Returns the exit if the user stops
 * during a pause.
 */
const runSlot = async (
  request: RepeatRequest,
  { side, folder }: RunSlot,
  { folder: whole, runId, pauseLength, host }: SeriesContext,
  number: number,
): Promise<FinishedRun | ExitName> => {
  const { say } = host.printer;
  const source = side === 'base' ? { ...request.source, target: request.against } : request.source;
  const runRequest = {
    ...request,
    // The page of a CI job shows the comparison, so single runs write nothing to this page.
    extraReports: { ...request.extraReports, jobSummary: undefined },
    source,
    out: join(whole.path, folder),
    runId: `${runId}-${number}`,
  };
  for (let attempt = 1; ; attempt += 1) {
    if (pauseLength > 0 && (number > 1 || attempt > 1)) {
      say(`Pausing ${timeText(pauseLength)}, so that the limits recover.`);
      const cause = await pause(pauseLength, host.onStop);
      if (cause !== null) return exitOfStop[cause];
    }
    const isRetry = attempt > 1;
    const finished = await runOnce({ ...runRequest, isRetry }, hostOfOneRun(request, host)).catch(
      (error: unknown) => {
        if (error instanceof StoppedBeforeLoad && (isRetry || number > 1))
          return exitOfStop[error.stoppedBy];
        throw error;
      },
    );
    if (typeof finished === 'string') return finished;
    const isOver = finished.trust.level !== 'invalid' || stopExits.includes(finished.exit);
    if (isOver || request.allowDifferent || attempt === maxAttempts) return finished;
    say(`This run does not count: ${exclusionReason(finished)}. It is repeated.`);
  }
};

/**
 * Makes all runs, with a pause between them, until the user stops the series. `stopped` is the exit of a stopped
 * series.
 */
const runAllSlots = async (
  request: RepeatRequest,
  slots: readonly RunSlot[],
  context: SeriesContext,
) => {
  const runs = {
    base: [] as Repetition[],
    next: [] as Repetition[],
    exits: [] as RunExit[],
    excluded: [] as ExcludedRun[],
    stopped: null as ExitName | null,
  };
  for (const [i, slot] of slots.entries()) {
    const place = slot.folder === String(i + 1) ? '' : `: ${slot.folder}`;
    context.host.printer.say(`Run ${i + 1} of ${slots.length}${place}`);
    const finished = await runSlot(request, slot, context, i + 1);
    if (typeof finished === 'string') return { ...runs, stopped: finished };
    runs[slot.side].push(finished);
    runs.exits.push({ folder: slot.folder, exit: finished.exit, result: finished.result });
    const reason = exclusionReason(finished);
    if (reason !== null) runs.excluded.push({ folder: slot.folder, reason });
    if (stopExits.includes(finished.exit)) return { ...runs, stopped: finished.exit };
  }
  return runs;
};

const sideOf = (name: string, repetitions: readonly Repetition[]): Side => {
  const [first, ...others] = repetitions;
  if (first === undefined) throw new Error('a side that was run has at least one run');
  return { name, repetitions: [first, ...others] };
};

/** Runs a plan several times, alone or in turns with another target, and compares the runs as requested. */
export const repeat = async (request: RepeatRequest, host: Host): Promise<ExitName> => {
  const stops = followStops(host.onStop, () =>
    host.printer.say('the runs are over; their reports are being written'),
  );
  try {
    return await repeatRuns(request, { ...host, onStop: stops.onStop });
  } finally {
    stops.release();
  }
};

const repeatRuns = async (request: RepeatRequest, host: Host): Promise<ExitName> => {
  const { environment } = host;
  const gates = readGates(request.gate);
  const { plan } = await readPlan(request.source, environment);
  rejectUntil(plan, 'repeated runs are compared over the same time');
  const baseline = await readBaseline(request, plan, host);
  const { against } = request;
  const other =
    against === undefined
      ? plan
      : (await readPlan({ ...request.source, target: against }, environment)).plan;
  const pauseLength = milliseconds(
    Math.max(pauseFor(plan, request.pause), pauseFor(other, request.pause)),
  );
  const out = folderFor(request.out ?? undefined, plan.name);
  const folder = await openRunFolder(out);
  const context = { folder, runId: request.runId ?? defaultRunId(plan), pauseLength, host };
  return usingFolder(folder, () => runAndCompare(request, context, { gates, baseline }));
};

/**
 * Returns the gravest exit of the runs of a series and of their comparison. With `allowDifferent`, runs that are
 * invalid or without a success are ignored here. The comparison itself refuses runs in which no request succeeded.
 */
export const exitOfSeries = (
  exits: readonly ExitName[],
  compared: ExitName,
  allowDifferent: boolean,
): ExitName => {
  const counted = exits.filter(
    (exit) => !(allowDifferent && (exit === 'invalid' || exit === 'empty')),
  );
  return gravestExit([...counted, compared]);
};

/** Makes the runs in their folder, then compares them or measures their noise, as requested. */
const runAndCompare = async (
  request: RepeatRequest,
  context: SeriesContext,
  { gates, baseline }: { readonly gates: readonly string[] | null; readonly baseline: Side | null },
): Promise<ExitName> => {
  const { against } = request;
  const { folder } = context;
  const { printer } = context.host;
  const slots = runSlots(request.repetitions, against !== undefined);
  const runs = await runAllSlots(request, slots, context);
  printer.say(`Runs: ${folder.path}`);
  const runCounts = { of: slots.length, isAllowed: request.allowDifferent };
  for (const line of excludedRunLines(runs.excluded, runCounts)) printer.say(line);
  if (runs.stopped !== null) return runs.stopped;
  const base = against === undefined ? baseline : sideOf(against, runs.base);
  const exits = runs.exits.map(({ exit }) => exit);
  if (base === null && !request.self) return gravestExit(exits);
  for (const line of ownExitLines(runs.exits)) printer.say(line);
  const next = sideOf(join(folder.path, against === undefined ? '' : 'new'), runs.next);
  const openedFolder = () => Promise.resolve(folder);
  const publishOptions = { printer, jobSummary: request.extraReports.jobSummary };
  const intended = against === undefined ? [] : (['target'] as const);
  const compared = await (base === null
    ? publishNoise({ ...request, gates, side: next }, openedFolder, publishOptions)
    : publishComparison({ ...request, gates, base, next, intended }, openedFolder, publishOptions));
  return exitOfSeries(exits, compared, request.allowDifferent);
};
