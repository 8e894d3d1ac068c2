import { type Printer, confirmBudget, type Host, type StopCause } from '../../run/input/host.ts';
import { fitScalability } from './judge/fit-scalability.ts';
import { judgeCapacity } from './judge/judge-capacity.ts';
import type { SearchTerms } from './judge/next-step.ts';
import type { CapacityReport, CapacityStep } from './model/capacity.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { wallClock } from '../../platform/host/clock.ts';
import type { RunFolder } from '../../platform/files/run-folder.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { capacityDocument } from './report/capacity-document.ts';
import { type ExitName, exitOfStop } from '../../run/output/exit-codes.ts';
import { openOutputFolder, usingFolder } from '../../run/output/output-folder.ts';
import { publishReport } from '../../run/output/write-outputs.ts';
import type { SliceOptions } from '../../engine/slice-options.ts';
import { judgeSteps, judgeStoredSteps } from './judge/judge-steps.ts';
import { wholeRunSlice } from '../../model/workload/arrival.ts';
import { perSecond } from '../../model/quantity.ts';
import { Problem } from '../../platform/problem.ts';
import { findCapacity, type FinishedSearch, type SearchBudget, stepPlan } from './find-capacity.ts';
import { countText } from '../../report/text/number-text.ts';
import { present } from '../../report/text/present.ts';
import { capacityStepLine, perSecondText } from './report/capacity-text.ts';
import { openCanary } from '../../run/canary.ts';
import { budgetRange } from './capacity-budget.ts';
import { budgetText } from './budget-text.ts';
import {
  declaredCeiling,
  searchBudgetFor,
  type CapacityRequest,
  highestTried,
  searchTermsFor,
} from './capacity-request.ts';
import { followStops } from '../../run/input/follow-stops.ts';
import { historyPath } from '../../run/input/report-paths.ts';
import { defaultRunId } from '../../run/input/run-facts.ts';
import { rejectUntil } from '../../run/input/reject-until.ts';
import { rejectWorkers } from '../../run/workers/worker-pool-plan.ts';
import {
  type PlanSource,
  type ReadPlanWithFiles,
  readPlanWithFiles,
} from '../../run/input/read-plan.ts';
import { readSide } from '../../run/input/read-side.ts';
import { closeTarget, prepareTarget } from '../../run/target/prepare-target.ts';
import { joinTargets, sliceOptionsFor } from '../../run/target/prepare-targets.ts';
import { runStep, type StepSetup } from './run-step.ts';
import { criteriaTexts } from './judge/step-objectives.ts';

interface MeasuredCapacity {
  readonly plan: Plan;
  readonly terms: SearchTerms;
  readonly steps: readonly CapacityStep[];
  readonly target: string;
  readonly notes: readonly string[];
}

const publishCapacity = async (
  { plan, terms, steps, target, notes }: MeasuredCapacity,
  folder: RunFolder,
  printer: Printer,
): Promise<ExitName> => {
  const { forLatency, samples: _, ...reportedTerms } = terms;
  const report: CapacityReport = {
    format: 'capacity/1',
    weir: weirVersion(),
    judgedAt: wallClock(),
    name: plan.name,
    target,
    terms: reportedTerms,
    objectives: [...criteriaTexts(plan)],
    currency: plan.pricing?.currency,
    steps: [...steps],
    answer: judgeCapacity(steps, terms, forLatency),
    fit: fitScalability(steps),
    notes: [...notes],
  };
  const document = capacityDocument(report);
  const written = await publishReport(printer, folder, 'capacity', { report, document });
  if (report.answer !== null) return written;
  return report.steps.some(({ verdict }) => verdict === 'broken') ? 'objective' : 'invalid';
};

/** Rejects populations: a search sends one mix of requests at one rate, so it cannot keep them apart. */
const rejectPopulations = ({ populations }: Plan): void => {
  if (populations === undefined) return;
  throw new Problem(
    'populations: a search sends one mix of requests at one rate. Give the scenario one load, or run its populations with weir run',
  );
};

const rejectTracePrompts = ({ stages: [first] }: Plan): void => {
  const needsTrace = first?.traffic.some(
    (entry) =>
      'conversations' in entry &&
      !Array.isArray(entry.conversations) &&
      entry.conversations.kind === 'trace',
  );
  if (needsTrace === true) {
    throw new Problem(
      'the trace sets the prompt lengths of the first stage, and the steps of a search have no trace: give the traffic its own prompts (prompt: {tokens: …})',
    );
  }
};

const endNotes = {
  done: [],
  capped: [
    'The search ended before the answer was as precise as requested: its next step did not fit into what was left of --requests and --time. More of them helps, unless the key refuses: then declare its limit.',
  ],
  unfit: [
    'The search ended early: the load of five consecutive steps was not as planned, so they do not count.',
  ],
  undecided: [
    'The search ended early: two consecutive steps had too few samples for an objective. Lower its minSamples, or raise --start.',
  ],
  inexact: [
    'The search ended early: in six steps an objective was within its error of measurement, which more requests make no smaller.',
  ],
  stopped: ['The search was stopped before its end.'],
} as const satisfies Record<FinishedSearch['end'], readonly string[]>;

/**
 * Runs the search. Resolves with the findings, with the cause that stopped the search, and with a sentence if the
 * target refused the whole first step.
 */
const search = async (
  options: SliceOptions,
  terms: SearchTerms,
  budget: SearchBudget,
  setup: StepSetup,
) => {
  let stoppedBy = null as StopCause | null;
  let refused = null as string | null;
  const searched = await findCapacity(
    {
      runStep: async (step, number): Promise<CapacityStep | null> => {
        const finished = await runStep(options, stepPlan(options.plan, step, number), setup);
        stoppedBy = finished.stoppedBy;
        // Only the first step's refusal ends the search: later, a healthy gateway may refuse because of its load, which
        // the search measures.
        if (number === 1) refused = finished.refused;
        const [judgedStep] = judgeSteps(finished.result, (name) => name);
        return stoppedBy === null && refused === null ? (judgedStep ?? null) : null;
      },
      onStep: (step) => setup.host.printer.say(capacityStepLine(step)),
    },
    terms,
    budget,
  );
  return { ...searched, stoppedBy, refused };
};

/** Reads a plan. Throws a `Problem` if a search cannot set the load of the plan. */
const readSearchablePlan = async (
  source: PlanSource,
  { environment }: Host,
): Promise<ReadPlanWithFiles> => {
  // A search never goes above the keys' limits. An assumed limit could therefore become the answer, although the
  // gateway may bear more. So only declared limits are read.
  const read = await readPlanWithFiles({ ...source, needsDeclaredLimits: true }, environment);
  rejectPopulations(read.plan);
  rejectTracePrompts(read.plan);
  rejectWorkers(read.plan, 'weir capacity sends each of its steps from one thread');
  rejectUntil(
    read.plan,
    'weir capacity chooses the length of its steps itself',
    'weir capacity chooses the warm-up of its steps itself',
  );
  return read;
};

const openFolder = ({ out }: CapacityRequest, { say }: Printer): Promise<RunFolder> =>
  openOutputFolder(out, 'capacity', say);

const searchTarget = async (
  request: CapacityRequest,
  source: PlanSource,
  host: Host,
): Promise<ExitName> => {
  const { printer } = host;
  const read = await readSearchablePlan(source, host);
  const { plan } = read;
  const terms = searchTermsFor(plan, request);
  const budget = searchBudgetFor(request, terms);
  const range = budgetRange(terms, budget, highestTried(terms));
  const folder = await openFolder(request, printer);
  return usingFolder(folder, async (closing) => {
    const stops = followStops(host.onStop, () =>
      printer.say('the search is over; the report is being written'),
    );
    closing.defer(() => stops.release());
    const starting = openCanary(plan, 1);
    closing.defer(async () => (await starting).stop());
    const target = await stops.unlessStopped(
      prepareTarget(read, {
        preflight: request.preflight,
        withKeys: true,
        keyOption: '--no-preflight',
        // A request for the list of models may cost money, and the user has not agreed to any cost yet.
        asksModels: false,
      }),
      closeTarget,
    );
    closing.defer(() => closeTarget(target));
    const runId = defaultRunId(plan);
    const targets = joinTargets(plan, [target]);
    const options = sliceOptionsFor(read, targets, { slice: wholeRunSlice, runId });
    for (const warning of target.warnings) printer.say(warning);
    printer.say(`${target.baseUrl}\nBudget: ${budgetText(options, budget)}.\n${range}.`);
    if (!request.yes) {
      const asked = confirmBudget(host, 'no load was sent');
      await stops.unlessStopped(asked, null);
    }
    const canary = await starting;
    const searchHost = { ...host, onStop: stops.onStop };
    const setup = { target: targets, canary, folder: folder.path, host: searchHost };
    const { steps, end, stoppedBy, refused } = await search(options, terms, budget, setup);
    const ending = refused === null ? endNotes[end] : [refused];
    for (const line of refused === null ? [] : ending) printer.warn(line);
    const trafficNotes =
      plan.stages.length > 1 ? ['Every step sends the traffic of the first stage.'] : [];
    const notes = [...new Set([...target.notes, ...target.warnings]), ...trafficNotes, ...ending];
    const measured = { plan, terms, steps, target: target.baseUrl, notes };
    const exit = await publishCapacity(measured, folder, printer);
    if (stoppedBy !== null) return exitOfStop[stoppedBy];
    return end === 'unfit' ? 'invalid' : exit;
  });
};

/** Finds the capacity from stored results, whose stages with a constant rate serve as the steps. */
const answerFromStored = async (
  request: CapacityRequest,
  { environment, printer }: Host,
): Promise<ExitName> => {
  const history = historyPath(environment);
  const { repetitions } = await readSide(request.from, { planHash: null, history });
  const [first] = repetitions;
  const { plan, baseUrl } = first.result;
  const steps = repetitions.flatMap(({ file, result }) =>
    judgeStoredSteps(result, (stage) => (repetitions.length === 1 ? stage : `${file} ${stage}`)),
  );
  if (steps.length === 0) {
    throw new Problem(
      'these results have no stage of constant rate that lasts six seconds or more: run stairs (load: {kind: stairs, …}), or search a target with `weir capacity SCENARIO`',
    );
  }
  const others = repetitions.filter(({ result }) => result.baseUrl !== baseUrl);
  const rates = steps.map(({ rate }) => rate);
  const planned = searchTermsFor(plan, { ...request, start: undefined, top: undefined });
  const kept = Math.max(0, ...steps.flatMap((step) => (step.verdict === 'kept' ? step.rate : [])));
  // The limit in a stored plan may be an assumption. If the gateway bore a higher rate, the assumption was wrong.
  const isContradicted = kept > declaredCeiling(planned.requestsPerMinute, planned.keys);
  const terms = isContradicted ? { ...planned, requestsPerMinute: null } : planned;
  const notes = present([
    others.length > 0 && 'The results are of more than one address.',
    isContradicted &&
      `The gateway kept ${perSecondText(kept)}, more than the limit of ${countText(planned.requestsPerMinute ?? 0)} requests a minute for each key in the stored plan, so this limit does not count.`,
  ]);
  const testedRange = {
    start: perSecond(Math.min(...rates)),
    top: perSecond(Math.max(...rates)),
  };
  const measured = { plan, terms: { ...terms, ...testedRange }, steps, target: baseUrl, notes };
  const folder = await openFolder(request, printer);
  return usingFolder(folder, () => publishCapacity(measured, folder, printer));
};

export const findTargetCapacity = (request: CapacityRequest, host: Host): Promise<ExitName> =>
  request.source === null
    ? answerFromStored(request, host)
    : searchTarget(request, request.source, host);
