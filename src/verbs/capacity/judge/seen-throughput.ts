import type { CapacityStep, EstimatedRange } from '../model/capacity.ts';
import { sumOf } from '../../../model/sums.ts';

/**
 * The factor by which all errors are multiplied, so that nine of ten intervals contain the true value. Without this
 * factor, fewer intervals would: a search ends when its interval is narrow, and a wrong interval is narrow more often
 * than a right one.
 */
export const allowance = 1.15;

/** The minimum relative error of a step. */
export const leastSpread = 0.005;

/** Nine of ten samples of a normal distribution lie within this many standard deviations of the mean. */
const z90 = 1.6449;

/** A breach of one of these kinds shows that the server is saturated: it has more work than it can do. */
const signsOfSaturation: readonly string[] = ['concurrency', 'refusals', 'failures'];

const isSaturated = ({ verdict, sure, breaches, throughput }: CapacityStep): boolean =>
  verdict === 'broken' &&
  sure &&
  throughput > 0 &&
  breaches.some(({ bound }) => signsOfSaturation.includes(bound));

const errorOf = ({ throughput, spread }: CapacityStep): number =>
  throughput * Math.max(leastSpread, spread);

/**
 * Returns the mean throughput of steps with a 90 % interval. Each throughput is weighted by the inverse square of its
 * error. The interval is wider if the throughputs disagree.
 */
const pooled = (steps: readonly CapacityStep[]): EstimatedRange => {
  const weights = steps.map((step) => errorOf(step) ** -2);
  const whole = sumOf(weights);
  const value = steps.reduce((sum, { throughput }, i) => sum + throughput * weights[i]!, 0) / whole;
  const deviance = sumOf(steps, ({ throughput }, i) => (throughput - value) ** 2 * weights[i]!);
  const disagreement = Math.max(1, deviance / Math.max(1, steps.length - 1));
  const half = z90 * allowance * Math.sqrt(disagreement / whole);
  const highest = Math.max(
    ...steps.map((step) => step.throughput + z90 * allowance * errorOf(step)),
  );
  return { value, low: value - half, high: Math.min(value + half, highest) };
};

/** Returns the completed share of the arrivals of all kept steps; 1 if there are no kept steps. */
const completedShareOf = (kept: readonly CapacityStep[]): number => {
  const arrivals = sumOf(kept, (step) => step.arrivals);
  const completed = sumOf(kept, (step) => step.completed);
  return completed === 0 ? 1 : completed / arrivals;
};

/**
 * Returns the highest rate that a server was seen to bear; `null` if no step was saturated. The rate is a throughput
 * divided by the share of arrivals that complete in kept steps. The throughput is the mean of the saturated steps or,
 * if higher, that of a kept step. Near the highest rate, the steps that surely break are those that by chance complete
 * few requests. So every step from the lowest saturated rate up is used, whatever its verdict. A step that surely
 * completed less than a kept step is left out, since its server collapsed under overload.
 */
export const mostSeen = (steps: readonly CapacityStep[]): EstimatedRange | null => {
  const saturated = Math.min(...steps.filter(isSaturated).map(({ rate }) => rate));
  if (saturated === Infinity) return null;
  const kept = steps.filter(({ verdict, sure }) => verdict === 'kept' && sure);
  const share = completedShareOf(kept);
  const best = kept.toSorted((a, b) => b.throughput - a.throughput)[0];
  const borne = best?.throughput ?? 0;
  const whole = steps.filter(
    (step) =>
      step.rate >= saturated && step.throughput > 0 && step.throughput + 2 * errorOf(step) >= borne,
  );
  const { value, low, high } = pooled(whole.length > 0 || best === undefined ? whole : [best]);
  const most = Math.max(value, borne);
  return { value: most / share, low: low / share, high: Math.max(high, most) / share };
};
