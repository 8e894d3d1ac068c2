import { emptyHistogram } from '../model/histogram.ts';
import { measures } from '../model/measures.ts';
import { inScope, type Objective } from '../model/objective.ts';
import type { Breach } from '../model/objective-verdict.ts';
import { type Observation, wasSent } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import { type Instant, secondOf } from '../model/quantity.ts';
import { keptBy } from '../model/request-objectives.ts';
import { type RateName, rates, type Tallied } from '../model/run-figures.ts';
import { emptyOutcomes } from '../model/outcomes.ts';
import { groundsBy } from './objectives.ts';
import { ratedSeconds } from './rated-seconds.ts';
import { sightCount, sightDistribution, type Sighting, sightRate, sightShare } from './sighting.ts';

/** Looks at the objectives that may end a run, while it is on. */
export interface AbortWatch {
  readonly note: (observation: Observation) => void;
  /** The first objective that is broken at this moment and may end the run now. Too few samples break nothing. */
  readonly breach: (now: Instant) => Breach | null;
}

/** One figure as it grows. */
interface Gauge {
  readonly note: (observation: Observation, stage: string) => void;
  readonly sight: (now: Instant) => Sighting;
}

/** Arrivals counted by what became of them; `good` is looked at only where it is asked for. */
const tally = (plan: Plan, withGood: boolean) => {
  const tallied = { outcomes: emptyOutcomes(), sent: 0, good: 0 };
  const note = (observation: Observation, stage: string): void => {
    tallied.outcomes[observation.outcome.kind] += 1;
    if (wasSent(observation)) tallied.sent += 1;
    if (!withGood || observation.outcome.kind !== 'completed') return;
    if (keptBy(plan.perRequest, observation, stage).every(Boolean)) tallied.good += 1;
  };
  return { tallied: tallied as Tallied, note };
};

const rateGauge = (plan: Plan, name: RateName, stages: readonly string[] | null): Gauge => {
  const bySecond = new Map<number, number>();
  return {
    note: (observation) => {
      if (rates[name].early?.(observation) !== true) return;
      const second = secondOf(observation.ended);
      bySecond.set(second, (bySecond.get(second) ?? 0) + 1);
    },
    sight: (now) => {
      const seconds = ratedSeconds(plan, now, stages);
      const events = seconds.reduce((sum, second) => sum + (bySecond.get(second) ?? 0), 0);
      return sightRate(events, seconds.length);
    },
  };
};

const gaugeOf = (plan: Plan, { figure, scope }: Objective): Gauge => {
  switch (figure.kind) {
    case 'measure': {
      const histogram = emptyHistogram();
      return {
        note: (observation) => {
          for (const sample of measures[figure.name].of(observation)) histogram.record(sample);
        },
        sight: () => sightDistribution(histogram, figure.statistic),
      };
    }
    case 'count': {
      const { tallied, note } = tally(plan, false);
      return { note, sight: () => sightCount(figure.name, tallied) };
    }
    case 'share': {
      const { tallied, note } = tally(plan, figure.name === 'goodput');
      return { note, sight: () => sightShare(figure.name, tallied) };
    }
    case 'rate':
      return rateGauge(plan, figure.name, scope.stages);
  }
};

interface Watched {
  readonly objective: Objective;
  readonly gauge: Gauge;
  readonly concerns: (observation: Observation, stage: string) => boolean;
}

const watch = (plan: Plan, objective: Objective): Watched => {
  const { figure, scope } = objective;
  const isRate = figure.kind === 'rate';
  // A rate is of seconds: of its stages' own, whoever ends in them, the warm-up's left out.
  const wanted = isRate ? { ...scope, stages: null } : scope;
  return {
    objective,
    gauge: gaugeOf(plan, objective),
    concerns: (observation, stage) => {
      const { traffic, model, key, due } = observation;
      return (isRate || due >= plan.warmUp) && inScope(wanted, { traffic, model, key, stage });
    },
  };
};

/** The watch over a plan's objectives that may end its run; all others cost nothing. */
export const watchObjectives = (plan: Plan): AbortWatch => {
  const watched = plan.objectives
    .filter(({ abortAfter }) => abortAfter !== null)
    .map((objective) => watch(plan, objective));
  return {
    note: (observation) => {
      const stage = plan.stages[observation.stage]?.name ?? '';
      for (const { gauge, concerns } of watched) {
        if (concerns(observation, stage)) gauge.note(observation, stage);
      }
    },
    breach: (now) => {
      for (const { objective, gauge } of watched) {
        if (now < (objective.abortAfter ?? 0)) continue;
        const seen = gauge.sight(now);
        if (groundsBy(objective, seen) === 'broken') {
          return { text: objective.text, at: now, observed: seen.observed ?? 0 };
        }
      }
      return null;
    },
  };
};
