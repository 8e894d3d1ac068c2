import type { Plan } from '../../model/plan/plan.ts';
import { retriesOf } from '../../model/plan/population.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { Problem } from '../../platform/problem.ts';
import { figureText, timeText } from '../../report/text/number-text.ts';
import { present } from '../../report/text/present.ts';
import { examineRun } from '../../run/examine-run.ts';
import type { Host } from '../../run/input/host.ts';
import { bounded, readOption, readWhole } from '../../run/input/read-option.ts';
import { type PlanSource, readPlanWithFiles } from '../../run/input/read-plan.ts';
import { rejectUntil } from '../../run/input/reject-until.ts';
import type { ExitName } from '../../run/output/exit-codes.ts';
import type { FinishedRun } from '../../run/run.ts';
import { rejectWorkers } from '../../run/workers/worker-pool-plan.ts';
import { durationNotation, percentageNotation } from '../../scenario/schema/notation.ts';
import {
  blockPlan,
  noiseBlocks,
  type BlockTerms,
  neighboursIn,
  populationNamed,
} from './block-plan.ts';
import { foreseenHalf, pairsToIsolate } from './judge/reach.ts';
import { judgeFairness, leastPairs } from './judge/judge-fairness.ts';
import type { FairnessReport } from './model/fairness-report.ts';
import type { NoiseBlock, SeenArrival } from './model/seen-arrival.ts';
import { fairnessDocument } from './report/fairness-document.ts';
import { fairnessFigures, type FairnessMeasure, seenArrival } from './seen-arrivals.ts';

export interface FairnessRequest {
  readonly source: PlanSource;
  readonly quietPopulation: string | undefined;
  readonly noisy: string | undefined;
  readonly times: string | undefined;
  readonly pairs: string | undefined;
  readonly block: string | undefined;
  readonly settle: string | undefined;
  readonly maxMoved: string | undefined;
  readonly figure: string | undefined;
  readonly requests: string | undefined;
  readonly yes: boolean;
  readonly out: string | undefined;
}

interface Figure {
  readonly measure: FairnessMeasure;
  readonly q: number;
  readonly text: string;
}

/**
 * Reads the figure to compare. The default is the p95 of the TTFT if the quiet population streams chats, otherwise the
 * p95 of the end-to-end time.
 */
const readFigure = (text: string | undefined, { stages }: Plan, quiet: string): Figure => {
  const isStreamed = stages.some(
    ({ population, traffic }) =>
      population === quiet && traffic.some(({ kind }) => kind === 'chat-stream'),
  );
  const given = text ?? (isStreamed ? 'ttft.p95' : 'endToEnd.p95');
  const [, name, percentile] = /^(\w+)\.p(50|75|90|95|99)$/.exec(given) ?? [];
  const measure = fairnessFigures.find((each) => each === name);
  if (measure === undefined)
    throw new Problem(
      `--figure: expected ttft or endToEnd with p50, p75, p90, p95 or p99, such as ttft.p95; got ${given}`,
    );
  if (measure === 'ttft' && !isStreamed)
    throw new Problem(
      `--figure: population ${quiet} streams nothing, so it has no TTFT: give endToEnd.p95`,
    );
  const label = measure === 'ttft' ? 'TTFT' : 'end to end';
  return { measure, q: Number(percentile) / 100, text: `${label} p${percentile}` };
};

const lengthNotation = bounded(durationNotation, (length) => length >= 1000, ', at least 1s');

const termsFor = (request: FairnessRequest, plan: Plan): BlockTerms => {
  const { quietPopulation, noisy, times, pairs = '8', block = '20s', settle = '5s' } = request;
  return {
    ...neighboursIn(plan, { quiet: quietPopulation, noisy }),
    times: times === undefined ? null : readWhole('times', times, 2),
    pairs: readWhole('pairs', pairs, leastPairs),
    block: readOption('block', block, lengthNotation),
    settle: readOption('settle', settle, lengthNotation),
  };
};

/** The exit for each verdict. The run itself has no objectives, so only the verdict decides the exit. */
const exits = { isolated: 'pass', moved: 'objective', unknown: 'inconclusive' } as const;

interface Examination {
  readonly terms: BlockTerms;
  readonly blocks: readonly NoiseBlock[];
  readonly figure: Figure;
  readonly maxMoved: number;
}

/** Returns the report of a run of blocks: the findings, and the resources that the run used. */
export const fairnessReportOf = (
  { result, trust }: FinishedRun,
  arrivals: readonly SeenArrival[],
  { terms, blocks, figure, maxMoved }: Examination,
): FairnessReport => {
  const { plan, startedAt, partial, scheduled, ended } = result;
  const { quiet, noisy, settle } = terms;
  const userPopulations = new Set(
    plan.stages
      .filter(({ load }) => load.kind === 'closed')
      .map(({ population = '' }) => populationNamed(population)),
  );
  const isInvalid = trust.level === 'invalid';
  const isPriced = arrivals.every(({ cost }) => cost !== null);
  return {
    format: 'fairness/1',
    weir: weirVersion(),
    name: plan.name,
    target: result.baseUrl,
    startedAt,
    took: ended,
    seed: plan.seed,
    quiet,
    noisy,
    figure: figure.text,
    settle,
    maxMoved,
    partial,
    ...judgeFairness({ blocks, arrivals, quiet, noisy, q: figure.q, until: scheduled }, result, {
      maxMoved,
      settle,
      hasUsers: (population) => userPopulations.has(population),
      invalid: isInvalid ? 'the load was not as planned (run/report.html says why)' : null,
    }),
    spent: {
      requests: arrivals.reduce((sum, { sent }) => sum + sent, 0),
      tokens: arrivals.reduce((sum, { tokens }) => sum + tokens, 0),
      cost: isPriced ? arrivals.reduce((sum, { cost }) => sum + (cost ?? 0), 0) : null,
    },
  };
};

/**
 * If the two populations have different targets, says that the comparison shows only effects of the systems that both
 * targets share. Returns `null` if both populations have the same target.
 */
export const separateTargets = (
  { populations = [] }: Plan,
  { quiet, noisy }: Pick<BlockTerms, 'quiet' | 'noisy'>,
): string | null => {
  const [own, other] = [quiet, noisy].map(
    (name) => populations.find((each) => each.name === name)?.target,
  );
  return own === other
    ? null
    : `${quiet} sends to ${own} and ${noisy} to ${other}: what is found is what these two share behind them.`;
};

/**
 * Says how wide the confidence interval of the figure's rise will be, and how many pairs of blocks the verdict
 * *isolated* is likely to need. The forecast assumes that response times are distributed exponentially. Returns `null`
 * if the users of the quiet population wait for answers, since the number of requests is then unknown.
 */
const reachText = ({ terms, figure, maxMoved }: Examination, plan: Plan): string | null => {
  const { quiet, pairs, block, settle } = terms;
  const load = plan.stages.find(({ population }) => population === quiet)?.load;
  if (load?.kind !== 'open') return null;
  const planned = { q: figure.q, requests: (load.curve[0]!.from * block) / 1000, pairs };
  const needed = pairsToIsolate(planned, maxMoved);
  const percent = (share: number): string => `${figureText(share * 100)} %`;
  const remedy =
    needed === pairs
      ? ''
      : `, and “isolated” is likely to need ${needed === null ? 'longer blocks (--block)' : `--pairs ${needed} (${timeText(2 * needed * (block + settle))})`}`;
  return `If these times scatter like an exponential, the interval will be ±${percent(foreseenHalf(planned))} with at most ${percent(maxMoved)} allowed${remedy}.`;
};

/** Says what will be measured, and for how long. */
const designText = (examination: Examination, plan: Plan): string => {
  const { terms, figure } = examination;
  const { quiet, noisy, times, pairs, block, settle } = terms;
  const noise = times === null ? 'with and without' : `with ${times} times and with once`;
  const design = `${figure.text} of ${quiet} ${noise} the load of ${noisy}: ${pairs} pairs of blocks in random order; each measures ${timeText(block)}, after ${timeText(settle)} that do not count.`;
  return present([design, reachText(examination, plan), separateTargets(plan, terms)]).join('\n');
};

/**
 * Prints the budget. Then examines whether the noisy population of a scenario changes the figures of the quiet
 * population.
 */
export const examineFairness = async (request: FairnessRequest, host: Host): Promise<ExitName> => {
  const source = await readPlanWithFiles(request.source, host.environment);
  rejectUntil(source.plan, 'weir fairness compares blocks of one length');
  rejectWorkers(source.plan, 'weir fairness sends all its blocks from one thread');
  const terms = termsFor(request, source.plan);
  const blocks = noiseBlocks(terms, source.plan.seed, source.plan.warmUp);
  const figure = readFigure(request.figure, source.plan, terms.quiet);
  const maxMoved = readOption('max-moved', request.maxMoved ?? '10%', percentageNotation);
  const examination = { terms, blocks, figure, maxMoved };
  const planned = { ...source, plan: blockPlan(source.plan, terms, blocks) };
  const attempts = Math.max(...retriesOf(planned.plan).map((retry) => retry?.attempts ?? 1));
  const remedy = 'fewer --pairs or a shorter --block';
  const design = designText(examination, source.plan);
  return examineRun(
    { kind: 'fairness', planned, design, attempts, remedy, request },
    host,
    (observation, plan) => seenArrival(observation, plan, figure.measure),
    (run, arrivals) => {
      const report = fairnessReportOf(run, arrivals, examination);
      return { report, document: fairnessDocument(report), exit: exits[report.verdict] };
    },
  );
};
