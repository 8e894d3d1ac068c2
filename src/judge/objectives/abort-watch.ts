import { emptyHistogram } from '../../model/measures/histogram.ts';
import type { Measure } from '../../model/measures/measure.ts';
import { isTimed, measures } from '../../model/measures/measures.ts';
import { inScope, type Objective, objectivesMet } from '../../model/plan/objective.ts';
import { type Breach, infiniteFigure } from '../../model/result/objective-verdict.ts';
import { type Observation, wasSent } from '../../model/observation/observation.ts';
import { finishOf, plainFinish } from '../../model/observation/outcome.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { type Instant, secondOf } from '../../model/quantity.ts';
import { rates } from '../../model/measures/run-figures.ts';
import { cachedPromptsOf } from '../../model/measures/prompt-cache.ts';
import { emptyOutcomeCounts } from '../../model/measures/outcome-counts.ts';
import { groundsFor } from './judge-objectives.ts';
import { independence } from '../../model/measures/dependence.ts';
import { ratedSeconds } from '../../model/plan/stage-spans.ts';
import { observeFigure, type ObservedValue } from './observed-value.ts';

export interface AbortWatch {
  readonly record: (observation: Observation) => void;
  /** Returns the first objective that is broken now and has enough samples; `null` without such an objective. */
  readonly breach: (now: Instant) => Breach | null;
}

class RunningFigure {
  readonly objective: Objective;
  readonly #plan: Plan;
  readonly #histogram = emptyHistogram();
  readonly #counted = {
    outcomes: emptyOutcomeCounts(),
    awaited: emptyOutcomeCounts(),
    sent: 0,
    metAllObjectives: 0,
    finished: 0,
  };
  readonly #bySecond = new Map<number, number>();

  constructor(plan: Plan, objective: Objective) {
    this.#plan = plan;
    this.objective = objective;
  }

  record(observation: Observation, stage: string): void {
    const { figure, scope } = this.objective;
    const { traffic, model, key, due } = observation;
    const isRate = figure.kind === 'rate';
    // A rate counts a request in the second in which it ends, so its due instant and its stage do not matter here.
    if (!isRate && due < this.#plan.warmUp) return;
    const wanted = isRate ? { ...scope, stages: null } : scope;
    if (!inScope(wanted, { traffic, model, key, stage })) return;
    switch (figure.kind) {
      case 'server':
      case 'token-share':
        // Objectives on server figures or on token shares cannot abort a run.
        return;
      case 'measure':
        this.#measure(observation, measures[figure.name]);
        return;
      case 'rate':
        if (rates[figure.name].countsAtEnd?.(observation) === true) {
          const second = secondOf(observation.ended);
          this.#bySecond.set(second, (this.#bySecond.get(second) ?? 0) + 1);
        }
        return;
      case 'count':
      case 'share':
        this.#count(observation, figure.name === 'goodput' ? stage : null);
        this.#countFinish(observation);
    }
  }

  #measure(observation: Observation, measure: Measure): void {
    if (
      !measure.traffic.includes(observation.traffic) ||
      (observation.toCancel && isTimed(measure))
    )
      return;
    this.#counted.awaited[observation.outcome.kind] += 1;
    for (const sample of measure.of(observation)) this.#histogram.record(sample);
  }

  #count(observation: Observation, stage: string | null): void {
    const counted = this.#counted;
    counted.outcomes[observation.outcome.kind] += 1;
    if (wasSent(observation)) counted.sent += 1;
    if (observation.toCancel) return;
    counted.awaited[observation.outcome.kind] += 1;
    if (stage === null || observation.outcome.kind !== 'completed') return;
    const met = objectivesMet(this.#plan.perRequest, observation, stage);
    if (met.every(Boolean)) counted.metAllObjectives += 1;
  }

  #countFinish({ outcome }: Observation): void {
    const { figure } = this.objective;
    const finish = finishOf(outcome);
    if (finish === null || !('reason' in figure)) return;
    if (plainFinish(finish) === plainFinish(figure.reason)) this.#counted.finished += 1;
  }

  observe(now: Instant): ObservedValue {
    const { figure, scope } = this.objective;
    return observeFigure(figure, {
      distribution: () => this.#histogram,
      // The watch asks for no confidence intervals, so the functions for intervals return placeholders.
      dependenceOfDue: () => independence,
      meanHalfWidth: () => null,
      longest: () => 0,
      dependenceOfShare: () => independence,
      counted: () => this.#counted,
      arrivals: () => this.#counted.awaited,
      server: () => [],
      cachedPrompts: () => cachedPromptsOf([]),
      cachedHalfWidth: () => null,
      rated: () =>
        ratedSeconds(this.#plan, now, scope.stages).map(
          (second) => this.#bySecond.get(second) ?? 0,
        ),
    });
  }
}

export const watchObjectives = (plan: Plan): AbortWatch => {
  const watched = plan.objectives
    .filter(({ abortAfter }) => abortAfter !== null)
    .map((objective) => new RunningFigure(plan, objective));
  return {
    record: (observation) => {
      const stage = plan.stages[observation.stage]?.name ?? '';
      for (const running of watched) running.record(observation, stage);
    },
    breach: (now) => {
      for (const running of watched) {
        const { objective } = running;
        if (now < (objective.abortAfter ?? 0)) continue;
        const value = running.observe(now);
        if (groundsFor(objective, value) === 'broken') {
          const observed = Math.min(value.observed ?? 0, infiniteFigure);
          return { text: objective.text, at: now, observed };
        }
      }
      return null;
    },
  };
};
