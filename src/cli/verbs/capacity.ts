import { join } from 'node:path';
import type { SliceOptions } from '../../engine/slice-options.ts';
import { judgeSteps } from '../../judge/capacity/judge-steps.ts';
import type { SearchTerms } from '../../judge/capacity/next-step.ts';
import { wholeRunSlice } from '../../model/workload/arrival.ts';
import type { CapacityStep } from '../../model/series/capacity.ts';
import { planHash } from '../../model/plan/plan-hash.ts';
import { redactor } from '../../model/plan/secret.ts';
import { wallClock } from '../../platform/host/clock.ts';
import { openRunFolder } from '../../platform/files/run-folder.ts';
import type { StopSignal } from '../../platform/process/interrupts.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { Problem } from '../../platform/problem.ts';
import { screenOn } from '../../platform/screen.ts';
import {
  findCapacity,
  type SearchBudget,
  type FinishedSearch,
  stepPlan,
} from '../../probe/find-capacity.ts';
import { capacityStepLine } from '../../report/capacity/capacity-text.ts';
import { type RunCanary, openCanary } from '../../run/canary.ts';
import { budgetText } from './capacity-budget.ts';
import { searchBudgetFor, type CapacityRequest, searchTermsFor } from './capacity-request.ts';
import { confirm } from './confirm.ts';
import { rejectWorkers } from '../../run/workers/worker-pool-plan.ts';
import { type ExitName, exitOfSignal } from '../../run/output/exit-codes.ts';
import { folderName } from '../../run/input/folder-name.ts';
import { publishCapacity } from '../../run/output/publish-capacity.ts';
import {
  type PlanSource,
  type ReadPlanWithFiles,
  readPlanWithFiles,
} from '../../run/input/read-plan.ts';
import { readSide } from '../../run/input/read-side.ts';
import { toStderr } from '../../platform/standard-streams.ts';
import { type ReadyTarget, prepareTarget } from '../../run/target/prepare-target.ts';
import { runStep } from '../../run/series/run-step.ts';

const sliceRequestFor = (
  { plan, clips, workload }: ReadPlanWithFiles,
  target: ReadyTarget,
): SliceOptions => ({
  plan,
  slice: wholeRunSlice,
  clips,
  workload,
  runId: `weir-${planHash(plan).slice(0, 8)}`,
  credentials: target.credentials,
  headers: target.headers,
  userAgent: `weir/${weirVersion()}`,
  redact: redactor([...target.secrets, ...target.credentials.map(({ value }) => value)]),
});

const rejectTracePrompts = ({ plan }: ReadPlanWithFiles): void => {
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
} as const satisfies Record<FinishedSearch['end'], readonly string[]>;

interface SearchSetup {
  readonly canary: RunCanary;
  readonly folder: string;
  readonly budget: SearchBudget;
  readonly terms: SearchTerms;
  readonly quiet: boolean;
}

/** What was searched, and what ended it before its time. */
interface TargetSearch extends FinishedSearch {
  readonly signal: StopSignal | null;
  /** That the target refused the whole first step, in a sentence. */
  readonly refused: string | null;
}

const search = async (
  request: SliceOptions,
  target: ReadyTarget,
  { canary, folder, budget, terms, quiet }: SearchSetup,
): Promise<TargetSearch> => {
  const screen = quiet ? null : screenOn(process.stderr, process.env);
  const setup = { target, canary, folder, screen };
  let signal: StopSignal | null = null;
  let refused: string | null = null;
  const searched = await findCapacity(
    {
      runStep: async (step, number): Promise<CapacityStep | null> => {
        const plan = stepPlan(request.plan, step, number);
        const finished = await runStep(request, plan, setup);
        signal = finished.stoppedBy;
        // Later a gateway that was well may refuse for its load: that is a figure of the search.
        if (number === 1) refused = finished.refused;
        const [judgedStep] = judgeSteps(finished.result, (name) => name);
        return signal === null && refused === null ? (judgedStep ?? null) : null;
      },
      onStep: (step) => screen?.line(capacityStepLine(step)),
    },
    terms,
    budget,
  );
  return { ...searched, signal, refused };
};

/** Searches a target for the most that it serves and publishes what was found. */
export const capacity = async (request: CapacityRequest, source: PlanSource): Promise<ExitName> => {
  const read = await readPlanWithFiles(source);
  rejectTracePrompts(read);
  const { plan } = read;
  rejectWorkers(plan, 'capacity');
  const terms = searchTermsFor(plan, request);
  const budget = searchBudgetFor(request, terms);
  const name = folderName(wallClock(), 'capacity');
  const folder = await openRunFolder(request.out ?? join('reports', name));
  let target: ReadyTarget | null = null;
  const starting = openCanary(plan, 1);
  try {
    target = await prepareTarget(plan, read.folder);
    const slice = sliceRequestFor(read, target);
    for (const doubt of request.quiet ? [] : target.warnings) toStderr(doubt);
    if (!request.quiet) toStderr(`${target.baseUrl}\nBudget: ${budgetText(slice, budget)}.`);
    if (!request.yes) await confirm('nothing was asked of the gateway');
    const canary = await starting;
    const setup = { canary, folder: folder.path, budget, terms, quiet: request.quiet };
    const { steps, end, signal, refused } = await search(slice, target, setup);
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
      request,
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
export const capacityFrom = async (request: CapacityRequest): Promise<ExitName> => {
  const { repetitions } = await readSide(request.from, null);
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
  const terms = searchTermsFor(plan, { ...request, start: undefined, top: undefined });
  const testedRange = { start: Math.min(...rates), top: Math.max(...rates) } as Pick<
    SearchTerms,
    'start' | 'top'
  >;
  const folder = await openRunFolder(
    request.out ?? join('reports', folderName(wallClock(), 'capacity')),
  );
  return publishCapacity(
    { plan, terms: { ...terms, ...testedRange }, steps, target: baseUrl, notes },
    folder,
    request,
  );
};
