import type { StepBreach } from '../../model/capacity.ts';
import type { Objective } from '../../model/objective.ts';
import type { Plan } from '../../model/plan.ts';
import type { OutcomeCounts, Result } from '../../model/result.ts';
import { arrivalsIn } from '../../model/outcomes.ts';
import { groupsWhere } from '../../model/summary.ts';
import { wilson } from '../../model/wilson.ts';
import { judgeObjectives } from '../objectives.ts';

/** What a step has to keep where the scenario names no objective of its own, beside a steady flow. */
const usualGoodput = 0.95;

/** Counts and rates grow with the load that a search chooses, so they are no matter of capacity. */
const heldTo = ({ objectives }: Pick<Plan, 'objectives'>): readonly Objective[] =>
  objectives.filter(
    ({ figure, severity }) =>
      severity === 'fail' && (figure.kind === 'measure' || figure.kind === 'share'),
  );

/** What steps of this plan are held to, in words. */
export const objectiveTexts = (plan: Plan): readonly string[] => [
  'no growth of requests in flight',
  ...(heldTo(plan).length === 0
    ? [
        `goodput >= ${usualGoodput * 100} %${plan.perRequest.length === 0 ? ' (completed answers)' : ` (${plan.perRequest.map(({ text }) => text).join(', ')})`}`,
      ]
    : heldTo(plan).map(({ text }) => text)),
];

/** Whether anything but a steady flow and whole answers is asked of a step. */
export const asksForLatency = (plan: Pick<Plan, 'objectives' | 'perRequest'>): boolean =>
  heldTo(plan).length > 0 || plan.perRequest.length > 0;

/** How arrivals fail most often, as a bound; a request that completed too late fails by its latency. */
const mainFailure = (outcomes: OutcomeCounts): StepBreach['bound'] => {
  const { limited, dropped, completed } = outcomes;
  const others = arrivalsIn(outcomes) - limited - dropped - completed;
  if (limited + dropped + others === 0) return 'latency';
  if (limited >= Math.max(dropped, others)) return 'refusals';
  return dropped >= others ? 'concurrency' : 'failures';
};

const usualBreaches = (goodput: number, outcomes: OutcomeCounts): readonly StepBreach[] =>
  goodput >= usualGoodput
    ? []
    : [
        {
          bound: mainFailure(outcomes),
          text: `goodput ${(goodput * 100).toFixed(1)} %; expected at least ${usualGoodput * 100} %`,
        },
      ];

/** What a stage did not keep; `undecided` where too few samples tell, `sure` where the intervals leave little doubt. */
export const objectiveBreaches = (result: Result, stage: string, outcomes: OutcomeCounts) => {
  const arrivals = arrivalsIn(outcomes);
  const groups = groupsWhere(result, (labels) => labels.stage === stage && !labels.warmUp);
  const isHeld = result.plan.perRequest.length > 0;
  const good = isHeld
    ? groups.reduce((sum, group) => sum + (group.good?.all ?? 0), 0)
    : outcomes.completed;
  const goodput = arrivals === 0 ? 0 : good / arrivals;
  const objectives = heldTo(result.plan);
  if (objectives.length === 0) {
    const { low, high } = arrivals === 0 ? { low: 0, high: 1 } : wilson(good, arrivals);
    const breaches = usualBreaches(goodput, outcomes);
    const sure =
      breaches.length > 0 ? high < usualGoodput : low > usualGoodput || good === arrivals;
    return { goodput, breaches, undecided: false, sure };
  }
  const scoped = objectives.map((each) => ({ ...each, scope: { ...each.scope, stages: [stage] } }));
  const verdicts = judgeObjectives(
    { ...result, partial: null, plan: { ...result.plan, objectives: scoped } },
    { level: 'valid', evidence: [] },
  );
  const broken = verdicts.filter(({ grounds }) => grounds === 'broken');
  const breaches = broken.map(({ text, observed, unit }): StepBreach => ({
    bound:
      objectives.find((each) => each.text === text)?.figure.kind === 'measure'
        ? 'latency'
        : mainFailure(outcomes),
    text: `${text}: got ${observed === null ? 'nothing' : `${Number(observed.toPrecision(3))} ${unit}`.trim()}`,
  }));
  return {
    ...{ goodput, breaches },
    undecided: verdicts.some(({ grounds }) => grounds === 'no-data'),
    sure:
      broken.length > 0
        ? broken.some(({ sure }) => sure)
        : verdicts.every(({ sure }) => sure !== false),
  };
};

/** Arrivals that the measured half of a step needs for every objective to be decided. */
export const samplesFor = (plan: Plan): number => {
  const mix = plan.stages[0]!.traffic;
  const whole = mix.reduce((sum, { weight }) => sum + weight, 0);
  const needs = heldTo(plan).map(({ minSamples, scope }) => {
    const part = mix
      .filter(({ kind }) => scope.traffic === null || scope.traffic === kind)
      .reduce((sum, { weight }) => sum + weight, 0);
    // A tenth more: drawn shares and failures leave some out.
    return part === 0 ? 0 : Math.ceil((minSamples * whole * 1.1) / part);
  });
  return Math.max(0, ...needs);
};
