import type { RunRequest, RepetitionRequest } from '../input/run-request.ts';
import { join } from 'node:path';
import type { Repetition, Side } from '../../judge/compare/repetition.ts';
import { sideDifferences } from '../../judge/compare/side-differences.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { planHash } from '../../model/plan/plan-hash.ts';
import { type Milliseconds, milliseconds } from '../../model/quantity.ts';
import { wallClock } from '../../platform/host/clock.ts';
import { openRunFolder, type RunFolder } from '../../platform/files/run-folder.ts';
import { pause } from '../../platform/process/interrupts.ts';
import { Problem } from '../../platform/problem.ts';
import { timeText } from '../../report/text/number-text.ts';
import { type ExitName, exitOfSignal, gravestExit } from '../output/exit-codes.ts';
import { folderName } from '../input/folder-name.ts';
import { publishComparison } from '../output/publish-comparison.ts';
import { publishNoise } from '../output/publish-noise.ts';
import { readGates } from '../input/read-gates.ts';
import { readPlan } from '../input/read-plan.ts';
import { readSide } from '../input/read-side.ts';
import { type FinishedRun, runOnce } from '../run.ts';
import { toStderr } from '../../platform/standard-streams.ts';
import { type ExcludedRun, exclusionReason, excludedRunLines } from './excluded-runs.ts';
import { pauseFor, type RunSlot, runSlots } from './run-slots.ts';

/** What a repeated or compared `weir run` was asked. */
export type RepeatRequest = RunRequest & RepetitionRequest;

/** The stored base, held against the plan before any load: a plan that it does not fit is refused in time. */
const readBaseline = async (request: RepeatRequest, plan: Plan): Promise<Side | null> => {
  if (request.baseline.length === 0) return null;
  const side = await readSide(request.baseline, planHash(plan));
  if (request.allowDifferent) return side;
  const reasons = new Set(sideDifferences(side, side).map(({ message }) => message));
  const [{ file, result }] = side.repetitions;
  if (result.planHash !== planHash(plan)) {
    reasons.add(
      `the plan differs (its hash): ${result.planHash.slice(0, 12)} in ${file}, ${planHash(plan).slice(0, 12)} now`,
    );
  }
  if (reasons.size === 0) return side;
  throw new Problem(
    `--baseline: these runs cannot be the base:\n${[...reasons].map((reason) => `  ${reason}.`).join('\n')}\nTake the base anew with this scenario; or add --allow-different to compare all the same.`,
  );
};

/** What all runs have in common. */
interface SeriesContext {
  readonly folder: RunFolder;
  readonly runId: string;
  readonly pauseLength: Milliseconds;
  readonly say: (text: string) => void;
}

interface SeriesRuns {
  readonly base: readonly Repetition[];
  readonly next: readonly Repetition[];
  readonly exits: readonly ExitName[];
  readonly excluded: readonly ExcludedRun[];
  /** Somebody asked to stop. */
  readonly stopped: ExitName | null;
}

const stopExits: readonly ExitName[] = Object.values(exitOfSignal);

/** A run whose generator could not keep up is no evidence: it is done again, so many times in all. */
const maxAttempts = 3;

/** One turn's run: the first that is valid, or the last; or the exit of somebody's wish to stop during a pause. */
const runSlot = async (
  request: RepeatRequest,
  { side, folder }: RunSlot,
  { folder: whole, runId, pauseLength, say }: SeriesContext,
  number: number,
): Promise<FinishedRun | ExitName> => {
  const source = side === 'base' ? { ...request.source, target: request.against } : request.source;
  const isCompared = request.against !== undefined || request.baseline.length > 0 || request.self;
  const runRequest = {
    ...request,
    source,
    out: join(whole.path, folder),
    runId: `${runId}-${number}`,
  };
  for (let attempt = 1; ; attempt += 1) {
    if (pauseLength > 0 && (number > 1 || attempt > 1)) {
      say(`Pausing ${timeText(pauseLength)}, so that the limits recover.`);
      const signal = await pause(pauseLength);
      if (signal !== null) return exitOfSignal[signal];
    }
    // A job's page is for what they come to together.
    const output = { json: request.json && !isCompared, quiet: true, environment: {} };
    const finished = await runOnce({ ...runRequest, isRetry: attempt > 1 }, output);
    const isOver = finished.trust.level !== 'invalid' || stopExits.includes(finished.exit);
    if (isOver || request.allowDifferent || attempt === maxAttempts) return finished;
    say(`This run does not count: ${exclusionReason(finished)}. It is done again, in its place.`);
  }
};

/** SeriesRuns all turns, with a pause between them, until the last or until somebody stops them. */
const runAllSlots = async (
  request: RepeatRequest,
  slots: readonly RunSlot[],
  context: SeriesContext,
): Promise<SeriesRuns> => {
  const runs = {
    base: [] as Repetition[],
    next: [] as Repetition[],
    exits: [] as ExitName[],
    excluded: [] as ExcludedRun[],
  };
  for (const [i, slot] of slots.entries()) {
    context.say(`Run ${i + 1} of ${slots.length}, ${slot.folder}:`);
    const finished = await runSlot(request, slot, context, i + 1).catch(async (error: unknown) => {
      // Later there are runs in it.
      if (i === 0) await context.folder.discard();
      throw error;
    });
    if (typeof finished === 'string') return { ...runs, stopped: finished };
    runs[slot.side].push(finished);
    runs.exits.push(finished.exit);
    const reason = exclusionReason(finished);
    if (reason !== null) runs.excluded.push({ folder: slot.folder, reason });
    if (stopExits.includes(finished.exit)) return { ...runs, stopped: finished.exit };
  }
  return { ...runs, stopped: null };
};

const sideOf = (name: string, repetitions: readonly Repetition[]): Side => {
  const [first, ...others] = repetitions;
  if (first === undefined) throw new Error('a side that was run has at least one run');
  return { name, repetitions: [first, ...others] };
};

/** SeriesRuns a plan several times, alone or by turns with another target, and compares what there is to compare. */
export const repeat = async (request: RepeatRequest): Promise<ExitName> => {
  const gates = readGates(request.gate);
  const { plan } = await readPlan(request.source);
  const baseline = await readBaseline(request, plan);
  const { against } = request;
  const other =
    against === undefined ? plan : (await readPlan({ ...request.source, target: against })).plan;
  const pauseLength = milliseconds(
    Math.max(pauseFor(plan, request.pause), pauseFor(other, request.pause)),
  );
  const out = request.out ?? join('reports', folderName(wallClock(), plan.name));
  const folder = await openRunFolder(out);
  const runId = request.runId ?? `weir-${planHash(plan).slice(0, 8)}`;
  const slots = runSlots(request.repetitions, against !== undefined);
  const say = (text: string): void => {
    if (!request.quiet) toStderr(text);
  };
  const runs = await runAllSlots(request, slots, { folder, runId, pauseLength, say });
  say(`Runs: ${out}`);
  const runCounts = { of: slots.length, isAllowed: request.allowDifferent };
  for (const line of excludedRunLines(runs.excluded, runCounts)) say(line);
  if (runs.stopped !== null) return runs.stopped;
  const base = against === undefined ? baseline : sideOf(against, runs.base);
  if (base === null && !request.self) return gravestExit(runs.exits);
  const next = sideOf(join(out, against === undefined ? '' : 'new'), runs.next);
  const opened = () => Promise.resolve(folder);
  const compared = await (base === null
    ? publishNoise({ ...request, gates, side: next }, opened, request)
    : publishComparison(
        { ...request, gates, base, next, intended: against === undefined ? [] : ['target'] },
        opened,
        request,
      ));
  // SeriesRuns that are not valid were let pass; the comparison itself lets none pass in which nothing succeeded.
  const counted = runs.exits.filter((exit) => !(request.allowDifferent && exit === 'invalid'));
  return gravestExit([...counted, compared]);
};
