import type { CapacityStep, CapacityTerms, EstimatedRange } from '../../model/series/capacity.ts';
import { beyondNormal } from '../statistics/student-t.ts';
import { isSettled } from './judge-steps.ts';

/**
 * The belief about the highest rate that meets the objectives: a distribution over the logarithm of
 * rates, multiplied by the likelihood of each step's outcome. This is Bayesian threshold estimation as in
 * QUEST (Watson & Pelli, Perception & Psychophysics 33, 1983), whose noiseless limit is probabilistic
 * bisection (Horstein 1963; Waeber, Frazier & Henderson 2013): later steps correct a wrong verdict.
 */
export interface RateBelief {
  /** The rate that is above the wanted one with this probability. */
  readonly quantile: (probability: number) => number;
}

/** Relative distance of the rates of the grid. */
const grain = 0.0025;

/** Relative width of the border between kept and broken, and the probability of a wrong verdict. */
const borderWidth = { sure: 0.01, unsure: 0.02 } as const;
const errorChance = { sure: 0.02, unsure: 0.1 } as const;
/** Minimum relative uncertainty of a throughput, and the probability that it is unrelated to the wanted rate. */
const minSpread = 0.01;
const misleadingChance = 0.02;

const normal = (z: number): number => (z < 0 ? beyondNormal(z) / 2 : 1 - beyondNormal(z) / 2);

type Likelihood = (logRate: number) => number;

const ofVerdict = ({ rate, verdict, sure }: CapacityStep): Likelihood => {
  const certainty = sure ? 'sure' : 'unsure';
  const at = Math.log(rate);
  const sign = verdict === 'kept' ? 1 : -1;
  return (logRate) =>
    errorChance[certainty] +
    (1 - 2 * errorChance[certainty]) * normal((sign * (logRate - at)) / borderWidth[certainty]);
};

/**
 * The likelihood from the throughput of an overloaded step. If only a steady flow is required, a settled
 * throughput is the wanted rate, and any other is a lower bound; with objectives of latency it is an
 * upper bound.
 */
const ofOverload = (step: CapacityStep, forLatency: boolean): Likelihood => {
  const at = Math.log(Math.max(step.throughput, 1e-9));
  const spread = Math.max(minSpread, step.spread);
  const settled = isSettled(step);
  if (forLatency) {
    return settled ? (logRate) => misleadingChance + normal((at - logRate) / spread) : () => 1;
  }
  return settled
    ? (logRate) => misleadingChance + Math.exp(-0.5 * ((logRate - at) / spread) ** 2)
    : (logRate) => misleadingChance + normal((logRate - at) / spread);
};

const isOverload = ({ breaches, limited, throughput }: CapacityStep): boolean =>
  throughput > 0 && limited === 0 && breaches.some(({ bound }) => bound === 'concurrency');

/** Steps that are neither unfit nor undecided. */
export const decisiveSteps = (steps: readonly CapacityStep[]): readonly CapacityStep[] =>
  steps.filter(({ verdict }) => verdict === 'kept' || verdict === 'broken');

/** The belief after these steps, starting from a uniform one over the logarithm of rates. */
export const believeAfter = (
  steps: readonly CapacityStep[],
  { start, top }: Pick<CapacityTerms, 'start' | 'top'>,
  forLatency: boolean,
): RateBelief => {
  const from = Math.log(start / 64);
  const count = Math.ceil((Math.log(top * 1.5) - from) / grain);
  const likelihoods = decisiveSteps(steps).flatMap((step) => [
    ofVerdict(step),
    ...(isOverload(step) ? [ofOverload(step, forLatency)] : []),
  ]);
  const logs = Array.from({ length: count }, (_, i) =>
    likelihoods.reduce((sum, likelihood) => sum + Math.log(likelihood(from + i * grain)), 0),
  );
  const most = logs.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const weights = logs.map((log) => Math.exp(log - most));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const quantile = (probability: number): number => {
    let below = 0;
    const at = weights.findIndex((weight) => (below += weight) >= probability * whole);
    return Math.exp(from + Math.max(0, at) * grain);
  };
  return { quantile };
};

/** The median and the 90 % credible interval. */
export const believedRate = ({ quantile }: RateBelief): EstimatedRange => ({
  value: quantile(0.5),
  low: quantile(0.05),
  high: quantile(0.95),
});
