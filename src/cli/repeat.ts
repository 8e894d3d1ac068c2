import { join } from 'node:path';
import type { Repetition, Side } from '../judge/compare/repetition.ts';
import { sideDifferences } from '../judge/compare/side-differences.ts';
import type { Plan } from '../model/plan.ts';
import { planHash } from '../model/plan-hash.ts';
import { type Milliseconds, milliseconds } from '../model/quantity.ts';
import { wallClock } from '../platform/clock.ts';
import { openRunFolder, type RunFolder } from '../platform/files.ts';
import { pause } from '../platform/pause.ts';
import { Problem } from '../platform/problem.ts';
import { timeText } from '../report/number-text.ts';
import type { RepetitionRequest } from './compare-options.ts';
import { type ExitName, exitOfSignal, gravestExit } from './exit-codes.ts';
import { folderName } from './folder-name.ts';
import { publishComparison } from './publish-comparison.ts';
import { publishNoise } from './publish-noise.ts';
import { readGates } from './read-gates.ts';
import { readPlan } from './read-plan.ts';
import { readSide } from './read-side.ts';
import type { RunOrder } from './open-run.ts';
import { type Ran, runOnce } from './run.ts';
import { toStderr } from './streams.ts';
import { pauseFor, type Turn, turnsOf } from './turns.ts';

/** What a repeated or compared `weir run` was asked. */
export type RepeatOrder = RunOrder & RepetitionRequest;

/** The stored base, held against the plan before any load: a plan that it does not fit is refused in time. */
const readBaseline = async (order: RepeatOrder, plan: Plan): Promise<Side | null> => {
  if (order.baseline.length === 0) return null;
  const side = await readSide(order.baseline, planHash(plan));
  if (order.allowDifferent) return side;
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
interface Frame {
  readonly folder: RunFolder;
  readonly runId: string;
  readonly rest: Milliseconds;
  readonly say: (text: string) => void;
}

interface Runs {
  readonly base: readonly Repetition[];
  readonly next: readonly Repetition[];
  readonly exits: readonly ExitName[];
  /** Somebody asked to stop. */
  readonly stopped: ExitName | null;
}

const stopExits: readonly ExitName[] = Object.values(exitOfSignal);

/** A run whose generator could not keep up is no evidence: it is done again, so many times in all. */
const tries = 3;

/** One turn's run: the first that is valid, or the last; or the exit of somebody's wish to stop during a pause. */
const takeTurn = async (
  order: RepeatOrder,
  { side, folder }: Turn,
  { folder: whole, runId, rest, say }: Frame,
  number: number,
): Promise<Ran | ExitName> => {
  const source = side === 'base' ? { ...order.source, target: order.against } : order.source;
  const isCompared = order.against !== undefined || order.baseline.length > 0 || order.self;
  const asked = { ...order, source, out: join(whole.path, folder), runId: `${runId}-${number}` };
  for (let attempt = 1; ; attempt += 1) {
    if (rest > 0 && (number > 1 || attempt > 1)) {
      say(`Pausing ${timeText(rest)}, so that the limits recover.`);
      const signal = await pause(rest);
      if (signal !== null) return exitOfSignal[signal];
    }
    // A job's page is for what they come to together.
    const telling = { json: order.json && !isCompared, quiet: true, environment: {} };
    const ran = await runOnce(asked, telling);
    const isOver = ran.trust.level !== 'invalid' || stopExits.includes(ran.exit);
    if (isOver || order.allowDifferent || attempt === tries) return ran;
    say('The generator could not keep up, so this run does not count. It is done again.');
  }
};

/** Runs all turns, with a pause between them, until the last or until somebody stops them. */
const takeTurns = async (
  order: RepeatOrder,
  turns: readonly Turn[],
  frame: Frame,
): Promise<Runs> => {
  const runs = { base: [] as Repetition[], next: [] as Repetition[], exits: [] as ExitName[] };
  for (const [i, turn] of turns.entries()) {
    frame.say(`Run ${i + 1} of ${turns.length}, ${turn.folder}:`);
    const ran = await takeTurn(order, turn, frame, i + 1).catch(async (error: unknown) => {
      // Later there are runs in it.
      if (i === 0) await frame.folder.discard();
      throw error;
    });
    if (typeof ran === 'string') return { ...runs, stopped: ran };
    runs[turn.side].push(ran);
    runs.exits.push(ran.exit);
    if (stopExits.includes(ran.exit)) return { ...runs, stopped: ran.exit };
  }
  return { ...runs, stopped: null };
};

const sideOf = (name: string, repetitions: readonly Repetition[]): Side => {
  const [first, ...others] = repetitions;
  if (first === undefined) throw new Error('a side that was run has at least one run');
  return { name, repetitions: [first, ...others] };
};

/** Runs a plan several times, alone or by turns with another target, and compares what there is to compare. */
export const repeat = async (order: RepeatOrder): Promise<ExitName> => {
  const gates = readGates(order.gate);
  const { plan } = await readPlan(order.source);
  const baseline = await readBaseline(order, plan);
  const { against } = order;
  const other =
    against === undefined ? plan : (await readPlan({ ...order.source, target: against })).plan;
  const rest = milliseconds(Math.max(pauseFor(plan, order.pause), pauseFor(other, order.pause)));
  const out = order.out ?? join('reports', folderName(wallClock(), plan.name));
  const folder = await openRunFolder(out);
  const runId = order.runId ?? `weir-${planHash(plan).slice(0, 8)}`;
  const turns = turnsOf(order.repetitions, against !== undefined);
  const say = (text: string): void => {
    if (!order.quiet) toStderr(text);
  };
  const runs = await takeTurns(order, turns, { folder, runId, rest, say });
  say(`Runs: ${out}`);
  if (runs.stopped !== null) return runs.stopped;
  const base = against === undefined ? baseline : sideOf(against, runs.base);
  if (base === null && !order.self) return gravestExit(runs.exits);
  const next = sideOf(join(out, against === undefined ? '' : 'new'), runs.next);
  const opened = () => Promise.resolve(folder);
  const compared = await (base === null
    ? publishNoise({ ...order, gates, side: next }, opened, order)
    : publishComparison(
        { ...order, gates, base, next, intended: against === undefined ? [] : ['target'] },
        opened,
        order,
      ));
  // Runs that are not valid were let pass; the comparison itself lets none pass in which nothing succeeded.
  const counted = runs.exits.filter((exit) => !(order.allowDifferent && exit === 'invalid'));
  return gravestExit([...counted, compared]);
};
