import type { OutcomeCounts } from '../../../model/measures/counts.ts';
import type { StepBreach } from '../model/capacity.ts';
import type { Objective } from '../../../model/plan/objective.ts';
import type { Plan } from '../../../model/plan/plan.ts';
import type { Result } from '../../../model/result/result.ts';
import type { ObjectiveVerdict } from '../../../model/result/objective-verdict.ts';
import { countArrivals } from '../../../model/measures/outcome-counts.ts';
import { groupsMatching, type LabelFilter } from '../../../model/result/summary.ts';
import { wilsonInterval } from '../../../model/measures/quantile.ts';
import { defaultMisses, missOfObjective } from './missed-shares.ts';
import { judgeObjectives } from '../../../judge/objectives/judge-objectives.ts';

/** The minimum goodput of a step if the scenario has no objectives. */
const defaultGoodput = 0.95;
/**
 * The minimum share of completed answers if the scenario has no objectives. Without this minimum, a server that refuses
 * excess requests (with a 429, or by aborting answers) would seem to bear a higher rate.
 */
const defaultCompleted = 0.99;

/**
 * Returns the objectives that decide about a step. Omits objectives on counts and rates, since these depend on the load
 * that a search chooses.
 */
const criteriaOf = ({ objectives }: Pick<Plan, 'objectives'>): readonly Objective[] =>
  objectives.filter(
    ({ figure, severity }) =>
      severity === 'fail' && (figure.kind === 'measure' || figure.kind === 'share'),
  );

const failedText = `${Number(((1 - defaultCompleted) * 100).toPrecision(3))} %`;

export const criteriaTexts = (plan: Plan): readonly string[] => {
  const criteria = criteriaOf(plan).map(({ text }) => text);
  const good = plan.perRequest.map(({ text }) => text).join(', ') || 'completed answers';
  const goodput = `goodput >= ${defaultGoodput * 100} % (${good}), and not certainly more than ${failedText} failed`;
  return ['no growth of requests in flight', ...(criteria.length === 0 ? [goodput] : criteria)];
};

/** Returns whether the scenario requires more than a steady flow and complete answers. */
export const asksForLatency = (plan: Pick<Plan, 'objectives' | 'perRequest'>): boolean =>
  criteriaOf(plan).length > 0 || plan.perRequest.length > 0;

/**
 * Returns the most frequent kind of failure as a limiting factor. If no arrival failed, requests completed too late, so
 * the factor is `latency`.
 */
const mainFailure = (outcomes: OutcomeCounts): StepBreach['bound'] => {
  const { limited, dropped, completed } = outcomes;
  const others = countArrivals(outcomes) - limited - dropped - completed;
  if (limited + dropped + others === 0) return 'latency';
  if (limited >= Math.max(dropped, others)) return 'refusals';
  return dropped >= others ? 'concurrency' : 'failures';
};

/**
 * Judges a step of a scenario without objectives. The step breaks if its goodput is too low, or if too few arrivals
 * surely completed. `misses` says how many independent arrivals the shares are worth.
 */
const judgeDefaults = (
  good: number,
  outcomes: OutcomeCounts,
  misses: ReturnType<typeof defaultMisses>,
) => {
  const arrivals = countArrivals(outcomes);
  const { completed } = outcomes;
  if (arrivals === 0) return { breaches: [], sure: false };
  const intervalOf = (count: number, miss: (typeof misses)[number] | undefined) => {
    const dependence = arrivals / (miss?.cases ?? arrivals);
    return wilsonInterval(count / dependence, arrivals / dependence);
  };
  const kept = intervalOf(good, misses[0]);
  const whole = intervalOf(completed, misses[1]);
  const isShed = whole.high < defaultCompleted;
  const goodput = good / arrivals;
  if (goodput < defaultGoodput) {
    const text = `goodput ${(goodput * 100).toFixed(1)} %; expected at least ${defaultGoodput * 100} %`;
    const breach: StepBreach = { bound: mainFailure(outcomes), text };
    return { breaches: [breach], sure: isShed || kept.high < defaultGoodput };
  }
  if (isShed) {
    const failed = ((1 - completed / arrivals) * 100).toFixed(1);
    const text = `${failed} % of all arrivals failed; expected at most ${failedText}`;
    const breach: StepBreach = { bound: mainFailure(outcomes), text };
    return { breaches: [breach], sure: true };
  }
  const isWhole = whole.low > defaultCompleted || completed === arrivals;
  const isGood = kept.low > defaultGoodput || good === arrivals;
  return { breaches: [], sure: isWhole && isGood };
};

const valueText = (value: number, unit: string): string =>
  `${Number(value.toPrecision(3))} ${unit}`.trim();

const errorText = (error: ObjectiveVerdict['error'], unit: string): string =>
  typeof error?.high === 'number'
    ? `${Number(error.low.toPrecision(3))} … ${valueText(error.high, unit)}`
    : `${valueText(error?.low ?? 0, unit)} or more`;

/**
 * Returns the breaches of a stage, and `doubts`: the objectives that the error of measurement leaves undecided.
 * `undecided` says that an objective has too few samples. `sure` says that the intervals leave little doubt.
 */
export const objectiveBreaches = (result: Result, stage: string, outcomes: OutcomeCounts) => {
  const arrivals = countArrivals(outcomes);
  const where: LabelFilter = (labels) => labels.stage === stage && !labels.warmUp;
  const groups = groupsMatching(result, where);
  const hasRequestObjectives = result.plan.perRequest.length > 0;
  const good = hasRequestObjectives
    ? groups.reduce((sum, group) => sum + (group.good?.all ?? 0), 0)
    : outcomes.completed;
  const goodput = arrivals === 0 ? 0 : good / arrivals;
  const objectives = criteriaOf(result.plan);
  if (objectives.length === 0) {
    const misses = defaultMisses(result, where, good, outcomes, {
      missed: 1 - defaultGoodput,
      failed: 1 - defaultCompleted,
    });
    const judged = judgeDefaults(good, outcomes, misses);
    return { goodput, misses, doubts: [], undecided: false, ...judged };
  }
  // A request over a limit is a request that the target cannot bear, so `quota: excluded` is ignored here.
  const scoped = objectives.map((objective) => {
    const { quota: _, ...each } = objective;
    return { ...each, scope: { ...each.scope, stages: [stage] } };
  });
  const verdicts = judgeObjectives(
    { ...result, partial: null, plan: { ...result.plan, objectives: scoped } },
    { level: 'valid', evidence: [], figures: [] },
  );
  const broken = verdicts.filter(({ grounds }) => grounds === 'broken');
  const breaches = broken.map(({ text, observed, unit }): StepBreach => ({
    // If failures make a time infinite, they are the limiting factor, not latency.
    bound:
      objectives.find((each) => each.text === text)?.figure.kind === 'measure' && observed !== null
        ? 'latency'
        : mainFailure(outcomes),
    text: `${text}: ${observed === null ? 'too few completed' : `got ${valueText(observed, unit)}`}`,
  }));
  const doubts = verdicts.flatMap(({ grounds, text, observed, unit, error }): StepBreach[] =>
    grounds === 'within-error'
      ? [
          {
            bound: 'latency',
            text: `${text}: got ${valueText(observed ?? 0, unit)}, truly ${errorText(error, unit)} by the error of measurement`,
          },
        ]
      : [],
  );
  return {
    goodput,
    misses: scoped.map((each, i) => missOfObjective(result, each, verdicts[i]!, where)),
    breaches,
    doubts,
    undecided: verdicts.some(({ grounds }) =>
      ['no-data', 'never-given', 'unreported'].includes(grounds),
    ),
    sure:
      broken.length > 0
        ? broken.some(({ sure }) => sure)
        : verdicts.every(({ sure }) => sure !== false),
  };
};

/** Returns how many arrivals the measured half of a step needs, so that every objective can be decided. */
export const samplesFor = (plan: Plan): number => {
  const mix = plan.stages[0]!.traffic;
  const totalWeight = mix.reduce((sum, { weight }) => sum + weight, 0);
  const needs = criteriaOf(plan).map(({ minSamples, scope }) => {
    const matchingWeight = mix
      .filter(({ kind }) => scope.traffic === null || scope.traffic === kind)
      .reduce((sum, { weight }) => sum + weight, 0);
    // A tenth more arrivals allow for random shares and failures.
    return matchingWeight === 0 ? 0 : Math.ceil((minSamples * totalWeight * 1.1) / matchingWeight);
  });
  return Math.max(0, ...needs);
};
