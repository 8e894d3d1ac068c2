import type { CapacityStep, EstimatedRange } from '../model/capacity.ts';
import { sumOf } from '../../../model/sums.ts';

/**
 * A search ends when its interval is narrow, which it is more often where it is wrong: errors count as so many times as
 * large, so that nine of ten intervals hold the truth.
 */
export const allowance = 1.15;

/** The minimum relative error of a step. */
export const leastSpread = 0.005;

/** Nine of ten samples of a normal distribution are within so many of its standard deviations. */
const z90 = 1.6449;

/** What a step shows when the server has more to do than it can. */
const signsOfSaturation: readonly string[] = ['concurrency', 'refusals', 'failures'];

const isSaturated = ({ verdict, sure, breaches, throughput }: CapacityStep): boolean =>
  verdict === 'broken' &&
  sure &&
  throughput > 0 &&
  breaches.some(({ bound }) => signsOfSaturation.includes(bound));

const errorOf = ({ throughput, spread }: CapacityStep): number =>
  throughput * Math.max(leastSpread, spread);

/** The mean of completed rates, each weighted by its error, with a 90 % interval that is wider where they disagree. */
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

/** The share of all arrivals of kept steps that completed; 1 without any. */
const completedShareOf = (kept: readonly CapacityStep[]): number => {
  const arrivals = sumOf(kept, (step) => step.arrivals);
  const completed = sumOf(kept, (step) => step.completed);
  return completed === 0 ? 1 : completed / arrivals;
};

/**
 * The highest rate that a server was seen to bear: what it completed in saturated steps, or in a kept one if that is
 * more, over the share that completes where the objectives are kept. `null` if no step was saturated. Near the border
 * only steps that completed few by chance are surely broken, so all steps from the lowest of them on are counted. One that
 * completed certainly less than a kept one shows a server that collapses under overload, not the most that it can do.
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
