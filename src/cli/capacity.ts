import { join } from 'node:path';
import type { SliceOrder } from '../engine/slice-order.ts';
import { judgeSteps } from '../judge/capacity/judge-steps.ts';
import type { SearchTerms } from '../judge/capacity/next-step.ts';
import { wholeRun } from '../model/arrival.ts';
import type { CapacityStep } from '../model/capacity.ts';
import { planHash } from '../model/plan-hash.ts';
import { redactor } from '../model/secret.ts';
import { wallClock } from '../platform/clock.ts';
import { openRunFolder } from '../platform/files.ts';
import type { StopSignal } from '../platform/interrupts.ts';
import { weirVersion } from '../platform/machine.ts';
import { Problem } from '../platform/problem.ts';
import { screenOn } from '../platform/screen.ts';
import { findCapacity, type SearchCap, type Searched } from '../probe/find-capacity.ts';
import { stepPlan } from '../probe/step-plan.ts';
import { stepLine } from '../report/capacity/capacity-words.ts';
import { type Canary, openCanary } from './canary.ts';
import { budgetText } from './capacity-budget.ts';
import { capOf, type CapacityOrder, termsOf } from './capacity-order.ts';
import { confirm } from './confirm.ts';
import { refuseWorkers } from './crew-plan.ts';
import { type ExitName, exitOfSignal } from './exit-codes.ts';
import { folderName } from './folder-name.ts';
import { publishCapacity } from './publish-capacity.ts';
import { type PlanSource, type ReadPlanWithFiles, readPlanWithFiles } from './read-plan.ts';
import { readSide } from './read-side.ts';
import { toStderr } from './streams.ts';
import { type ReadyTarget, readyTarget } from './target.ts';
import { takeStep } from './take-step.ts';

const orderFor = (
  { plan, clips, workload }: ReadPlanWithFiles,
  target: ReadyTarget,
): SliceOrder => ({
  ...{ plan, slice: wholeRun, clips, workload },
  runId: `weir-${planHash(plan).slice(0, 8)}`,
  credentials: target.credentials,
  headers: target.headers,
  userAgent: `weir/${weirVersion()}`,
  redact: redactor([...target.secrets, ...target.credentials.map(({ value }) => value)]),
});

const checkTraffic = ({ plan }: ReadPlanWithFiles): void => {
  const [first] = plan.stages;
  const needsTrace = first?.traffic.some(
    (entry) =>
      'conversations' in entry &&
      !Array.isArray(entry.conversations) &&
      entry.conversations.kind === 'trace',
  );
  if (needsTrace === true) {
    throw new Problem(
      'the prompts of the first stage are as long as its trace says, and steps of a search have no trace: give the traffic prompts of its own (prompt: {tokens: …})',
    );
  }
};

const trafficNotes = ({ plan }: ReadPlanWithFiles): readonly string[] =>
  plan.stages.length > 1 ? ['Every step asks for the traffic of the first stage.'] : [];

const endNotes = {
  done: [],
  capped: [
    'The search ended at its budget before the answer was as narrow as was asked: raise --requests or --time.',
  ],
  unfit: [
    'The search ended early: the generator was not fit in five steps on end. Nothing of those steps counts.',
  ],
  undecided: [
    'The search ended early: two steps on end had too few samples for an objective. Lower its minSamples, or raise --start.',
  ],
  stopped: ['The search was stopped before it had ended.'],
} as const satisfies Record<Searched['end'], readonly string[]>;

interface Site {
  readonly canary: Canary;
  readonly folder: string;
  readonly cap: SearchCap;
  readonly terms: SearchTerms;
  readonly quiet: boolean;
}

/** What was searched, and what ended it before its time. */
interface Search extends Searched {
  readonly signal: StopSignal | null;
  /** That the target refused the whole first step, in a sentence. */
  readonly refused: string | null;
}

const search = async (
  order: SliceOrder,
  target: ReadyTarget,
  { canary, folder, cap, terms, quiet }: Site,
): Promise<Search> => {
  const screen = quiet ? null : screenOn(process.stderr, process.env);
  const site = { target, canary, folder, screen };
  let signal: StopSignal | null = null;
  let refused: string | null = null;
  const searched = await findCapacity(
    {
      take: async (step, number): Promise<CapacityStep | null> => {
        const plan = stepPlan(order.plan, step, number);
        const taken = await takeStep(order, plan, site);
        signal = taken.stoppedBy;
        // Later a gateway that was well may refuse for its load: that is a figure of the search.
        if (number === 1) refused = taken.refused;
        const [judged] = judgeSteps(taken.result, (name) => name);
        return signal === null && refused === null ? (judged ?? null) : null;
      },
      say: (step) => screen?.line(stepLine(step)),
    },
    terms,
    cap,
  );
  return { ...searched, signal, refused };
};

/** Searches a target for the most that it serves and publishes what was found. */
export const capacity = async (order: CapacityOrder, source: PlanSource): Promise<ExitName> => {
  const read = await readPlanWithFiles(source);
  checkTraffic(read);
  const { plan } = read;
  refuseWorkers(plan, 'capacity');
  const terms = termsOf(plan, order);
  const cap = capOf(order, terms);
  const name = folderName(wallClock(), 'capacity');
  const folder = await openRunFolder(order.out ?? join('reports', name));
  let target: ReadyTarget | null = null;
  const starting = openCanary(plan, 1);
  try {
    target = await readyTarget(plan, read.folder);
    const slice = orderFor(read, target);
    for (const doubt of order.quiet ? [] : target.doubts) toStderr(doubt);
    if (!order.quiet) toStderr(`${target.baseUrl}\nBudget: ${budgetText(slice, cap)}.`);
    if (!order.yes) await confirm('nothing was asked of the gateway');
    const canary = await starting;
    const site = { canary, folder: folder.path, cap, terms, quiet: order.quiet };
    const { steps, end, signal, refused } = await search(slice, target, site);
    const ending = refused === null ? endNotes[end] : [refused];
    for (const line of refused === null ? [] : ending) toStderr(line);
    const exit = await publishCapacity(
      {
        plan,
        terms,
        steps,
        target: target.baseUrl,
        notes: [...target.notes, ...trafficNotes(read), ...ending],
      },
      folder,
      order,
    );
    if (signal !== null) return exitOfSignal[signal];
    return end === 'unfit' ? 'invalid' : exit;
  } catch (error) {
    await folder.discard();
    throw error;
  } finally {
    await (await starting).stop();
    await target?.mock?.stop();
  }
};

/** Answers from the stages of constant rate of stored results. */
export const capacityFrom = async (order: CapacityOrder): Promise<ExitName> => {
  const { repetitions } = await readSide(order.from, null);
  const [first] = repetitions;
  const { plan, baseUrl } = first.result;
  const steps = repetitions.flatMap(({ file, result }) =>
    judgeSteps(result, (stage) => (repetitions.length === 1 ? stage : `${file} ${stage}`)),
  );
  if (steps.length === 0) {
    throw new Problem(
      'these results hold no stage of constant rate that lasts six seconds or more: run stairs (load: {kind: stairs, …}), or search a target with `weir capacity SCENARIO`',
    );
  }
  const others = repetitions.filter(({ result }) => result.baseUrl !== baseUrl);
  const notes = others.length === 0 ? [] : ['The results are of more than one address.'];
  const rates = steps.map(({ rate }) => rate);
  const terms = termsOf(plan, { ...order, start: undefined, top: undefined });
  const tried = { start: Math.min(...rates), top: Math.max(...rates) } as Pick<
    SearchTerms,
    'start' | 'top'
  >;
  const folder = await openRunFolder(
    order.out ?? join('reports', folderName(wallClock(), 'capacity')),
  );
  return publishCapacity(
    { plan, terms: { ...terms, ...tried }, steps, target: baseUrl, notes },
    folder,
    order,
  );
};
