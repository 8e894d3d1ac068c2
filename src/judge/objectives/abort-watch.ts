import { emptyHistogram } from '../../model/measures/histogram.ts';
import { measures } from '../../model/measures/measures.ts';
import { inScope, type Objective, objectivesMet } from '../../model/plan/objective.ts';
import type { Breach } from '../../model/result/objective-verdict.ts';
import { type Observation, wasSent } from '../../model/observation/observation.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { type Instant, secondOf } from '../../model/quantity.ts';
import { type RateName, rates, type CountedArrivals } from '../../model/measures/run-figures.ts';
import { emptyOutcomeCounts } from '../../model/measures/outcome-counts.ts';
import { groundsFor } from './judge-objectives.ts';
import {
  ratedSeconds,
  observeCount,
  observeDistribution,
  type ObservedValue,
  observeRate,
  observeShare,
} from './observed-value.ts';

/** Checks the objectives that can abort a run while it is in progress. */
export interface AbortWatch {
  readonly record: (observation: Observation) => void;
  /** The first objective that is broken now and can abort the run; too few samples break nothing. */
  readonly breach: (now: Instant) => Breach | null;
}

interface RunningFigure {
  readonly record: (observation: Observation, stage: string) => void;
  readonly observe: (now: Instant) => ObservedValue;
}

/** Counts arrivals by outcome, and requests that met all objectives if `countObjectives`. */
const runningCount = (
  plan: Plan,
  countObjectives: boolean,
  observe: (counted: CountedArrivals) => ObservedValue,
): RunningFigure => {
  const counted = { outcomes: emptyOutcomeCounts(), sent: 0, metAllObjectives: 0 };
  return {
    record: (observation, stage) => {
      counted.outcomes[observation.outcome.kind] += 1;
      if (wasSent(observation)) counted.sent += 1;
      if (!countObjectives || observation.outcome.kind !== 'completed') return;
      const met = objectivesMet(plan.perRequest, observation, stage);
      if (met.every(Boolean)) counted.metAllObjectives += 1;
    },
    observe: () => observe(counted),
  };
};

const runningRate = (
  plan: Plan,
  name: RateName,
  stages: readonly string[] | null,
): RunningFigure => {
  const bySecond = new Map<number, number>();
  return {
    record: (observation) => {
      if (rates[name].countsAtEnd?.(observation) !== true) return;
      const second = secondOf(observation.ended);
      bySecond.set(second, (bySecond.get(second) ?? 0) + 1);
    },
    observe: (now) => {
      const seconds = ratedSeconds(plan, now, stages);
      const events = seconds.reduce((sum, second) => sum + (bySecond.get(second) ?? 0), 0);
      return observeRate(events, seconds.length);
    },
  };
};

const runningFigureFor = (plan: Plan, { figure, scope }: Objective): RunningFigure => {
  switch (figure.kind) {
    case 'measure': {
      const histogram = emptyHistogram();
      return {
        record: (observation) => {
          for (const sample of measures[figure.name].of(observation)) histogram.record(sample);
        },
        observe: () => observeDistribution(histogram, figure.statistic),
      };
    }
    case 'count':
      return runningCount(plan, false, (counted) => observeCount(figure.name, counted));
    case 'share':
      return runningCount(plan, figure.name === 'goodput', (counted) =>
        observeShare(figure.name, counted),
      );
    case 'rate':
      return runningRate(plan, figure.name, scope.stages);
  }
};

const watch = (plan: Plan, objective: Objective) => {
  const { figure, scope } = objective;
  const isRate = figure.kind === 'rate';
  // A rate counts all arrivals that end in the seconds of its stages, after the warm-up.
  const wanted = isRate ? { ...scope, stages: null } : scope;
  return {
    objective,
    runningFigure: runningFigureFor(plan, objective),
    concerns: (observation: Observation, stage: string): boolean => {
      const { traffic, model, key, due } = observation;
      return (isRate || due >= plan.warmUp) && inScope(wanted, { traffic, model, key, stage });
    },
  };
};

/** Watches the objectives of a plan that can abort its run. */
export const watchObjectives = (plan: Plan): AbortWatch => {
  const watched = plan.objectives
    .filter(({ abortAfter }) => abortAfter !== null)
    .map((objective) => watch(plan, objective));
  return {
    record: (observation) => {
      const stage = plan.stages[observation.stage]?.name ?? '';
      for (const { runningFigure, concerns } of watched) {
        if (concerns(observation, stage)) runningFigure.record(observation, stage);
      }
    },
    breach: (now) => {
      for (const { objective, runningFigure } of watched) {
        if (now < (objective.abortAfter ?? 0)) continue;
        const value = runningFigure.observe(now);
        if (groundsFor(objective, value) === 'broken')
          return { text: objective.text, at: now, observed: value.observed ?? 0 };
      }
      return null;
    },
  };
};
