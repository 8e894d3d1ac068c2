import type { CapacityStep, CapacityTerms } from '../../model/series/capacity.ts';
import { ceilingOf } from './ceiling.ts';
import { believeAfter, believedRate, decisiveSteps } from './rate-belief.ts';

/** A step to take: a constant open load. */
export interface StepRequest {
  readonly rate: number;
  /** How long it lasts, in whole seconds. */
  readonly seconds: number;
}

/** What decides how steps are chosen. */
export interface SearchTerms extends CapacityTerms {
  /** Whether objectives of latency are asked for beside a steady flow. */
  readonly forLatency: boolean;
  /** Arrivals that the objectives need in the measured half of a step. */
  readonly samples: number;
}

/** Steps of the staircase grow by this factor. */
const rateFactor = 2;
/** Least arrivals of the measured half of a step, on the stairs and in the search. */
const climbSamples = 15;
const searchSamples = 100;
/** The flow of a step is steady after a few times of what one answer takes. */
const latenciesPerStep = 10;
const minStepSeconds = 6;
const maxStepSeconds = 600;

/** How long an answer takes, in seconds, at the busiest step that was kept. */
const answerSecondsOf = (steps: readonly CapacityStep[]): number => {
  const kept = steps.filter(({ verdict, latency }) => verdict === 'kept' && latency !== null);
  const busiest = kept.toSorted((a, b) => b.rate - a.rate)[0];
  return (busiest?.latency?.p50 ?? 0) / 1000;
};

const stepAt = (rate: number, steps: readonly CapacityStep[], samples: number): StepRequest => {
  const seconds = Math.max(
    minStepSeconds,
    latenciesPerStep * answerSecondsOf(steps),
    (2 * samples) / rate,
  );
  return { rate, seconds: 2 * Math.ceil(Math.min(maxStepSeconds, seconds) / 2) };
};

/** The staircase: twice the rate from step to step, until one breaks or the ceiling is kept; `null` when it has ended. */
const nextClimbRate = (
  steps: readonly CapacityStep[],
  terms: SearchTerms,
  most: number,
): number | null => {
  const decisive = decisiveSteps(steps);
  if (decisive.some(({ verdict }) => verdict === 'broken')) return null;
  const highest = Math.max(0, ...decisive.map(({ rate }) => rate));
  if (highest >= most * 0.999) return null;
  return highest === 0 ? Math.min(terms.start, most) : Math.min(most, highest * rateFactor);
};

const isWithin = (value: number, low: number, high: number): boolean =>
  value >= low && value <= high;

/** What the search still lacks, as a rate to try; `null` when it lacks nothing. */
const nextRefinedRate = (steps: readonly CapacityStep[], terms: SearchTerms): number | null => {
  const { value, low, high } = believedRate(believeAfter(steps, terms, terms.forLatency));
  const { precision } = terms;
  const near = (verdict: string, from: number, to: number): boolean =>
    decisiveSteps(steps).some((step) => step.verdict === verdict && isWithin(step.rate, from, to));
  if (high / low > 1 + 3 * precision) return value;
  // Belief is not enough: a step just below has to be kept, and one just above to break.
  if (!near('kept', value * (1 - 1.2 * precision), value * (1 + precision))) {
    return value * (1 - 0.6 * precision);
  }
  if (!near('broken', value * (1 - precision), value * (1 + 2 * precision))) {
    return value * (1 + 1.2 * precision);
  }
  return high / low > 1 + precision ? value : null;
};

/** The next step of the search, chosen by what the steps before showed; `null` when it is done. */
export const nextStep = (
  steps: readonly CapacityStep[],
  terms: SearchTerms,
): StepRequest | null => {
  const most = Math.min(terms.top, ceilingOf(terms, steps)?.rate ?? Infinity);
  const higher = nextClimbRate(steps, terms, most);
  if (higher !== null) {
    return stepAt(higher, steps, Math.max(terms.samples, climbSamples));
  }
  if (decisiveSteps(steps).every(({ verdict }) => verdict === 'kept')) return null;
  const rate = nextRefinedRate(steps, terms);
  if (rate === null) return null;
  return stepAt(Math.min(rate, most), steps, Math.max(terms.samples, searchSamples));
};
