import type { CapacityStep, CapacityTerms } from '../model/capacity.ts';
import { ceilingOf, believedRate, decisiveSteps } from './judge-capacity.ts';

export interface StepRequest {
  readonly rate: number;
  /** Duration in whole seconds. */
  readonly seconds: number;
}

export interface SearchTerms extends CapacityTerms {
  /** Whether there are objectives of latency in addition to a steady flow. */
  readonly forLatency: boolean;
  /** Arrivals that the objectives need in the measured half of a step. */
  readonly samples: number;
}

const rateFactor = 2;
/** Minimum arrivals in the measured half of a step, in the climb and in the search. */
const climbSamples = 15;
const searchSamples = 100;
/** Duration of a step in latencies, so that its flow becomes steady. */
const latenciesPerStep = 10;
const minStepSeconds = 6;
const maxStepSeconds = 600;

/** The median latency in seconds at the busiest `kept` step. */
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

/** The climb: twice the rate at each step until one breaks or the ceiling is kept; `null` when it has ended. */
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

/** The rate to try next; `null` when the answer is precise enough. */
const nextRefinedRate = (steps: readonly CapacityStep[], terms: SearchTerms): number | null => {
  const { value, low, high } = believedRate(steps, terms, terms.forLatency);
  const { precision } = terms;
  const near = (verdict: string, from: number, to: number): boolean =>
    steps.some((step) => step.verdict === verdict && step.rate >= from && step.rate <= to);
  if (high / low > 1 + 3 * precision) return value;
  // Belief is not enough: a step just below must be kept, and one just above must break.
  if (!near('kept', value * (1 - 1.2 * precision), value * (1 + precision))) {
    return value * (1 - 0.6 * precision);
  }
  if (!near('broken', value * (1 - precision), value * (1 + 2 * precision))) {
    return value * (1 + 1.2 * precision);
  }
  return high / low > 1 + precision ? value : null;
};

/** The next step of the search; `null` when it is done. */
export const nextStep = (
  steps: readonly CapacityStep[],
  terms: SearchTerms,
): StepRequest | null => {
  const most = Math.min(terms.top, ceilingOf(terms, steps)?.rate ?? Infinity);
  const higher = nextClimbRate(steps, terms, most);
  if (higher !== null) return stepAt(higher, steps, Math.max(terms.samples, climbSamples));
  if (decisiveSteps(steps).every(({ verdict }) => verdict === 'kept')) return null;
  const rate = nextRefinedRate(steps, terms);
  if (rate === null) return null;
  return stepAt(Math.min(rate, most), steps, Math.max(terms.samples, searchSamples));
};
