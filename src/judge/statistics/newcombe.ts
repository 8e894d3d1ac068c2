import { wilsonInterval } from '../../model/measures/wilson.ts';
import { beyondNormal } from './student-t.ts';

export interface Share {
  readonly events: number;
  readonly of: number;
}

const shareOf = ({ events, of }: Share): number => (of === 0 ? 0 : events / of);

/**
 * The counts of all repetitions, divided by the design effect: how much more the repetitions differ
 * than independent requests would (at least 1), since failures within a repetition correlate.
 * J. N. K. Rao & A. J. Scott, "A simple method for the analysis of clustered binary data",
 * Biometrics 48 (1992).
 */
export const effectiveShare = (repetitions: readonly Share[]): Share => {
  const events = repetitions.reduce((sum, part) => sum + part.events, 0);
  const of = repetitions.reduce((sum, part) => sum + part.of, 0);
  const share = shareOf({ events, of });
  const count = repetitions.length;
  if (count < 2 || share === 0 || share === 1) return { events, of };
  const residuals = repetitions.reduce(
    (sum, part) => sum + (part.events - share * part.of) ** 2,
    0,
  );
  const variance = ((count / (count - 1)) * residuals) / of ** 2;
  const effect = Math.max(1, (variance * of) / (share * (1 - share)));
  return { events: events / effect, of: of / effect };
};

/**
 * The interval of the difference of two shares, second less first: R. G. Newcombe, "Interval
 * estimation for the difference between independent proportions: comparison of eleven methods",
 * Statistics in Medicine 17 (1998), method 10. `z` is the normal quantile of the confidence.
 */
export const newcombe = (
  first: Share,
  second: Share,
  z: number,
): { readonly low: number; readonly high: number } => {
  const difference = shareOf(second) - shareOf(first);
  const one = wilsonInterval(first.events, first.of, z);
  const two = wilsonInterval(second.events, second.of, z);
  const [p1, p2] = [shareOf(first), shareOf(second)];
  return {
    low: difference - Math.sqrt((p2 - two.low) ** 2 + (one.high - p1) ** 2),
    high: difference + Math.sqrt((two.high - p2) ** 2 + (p1 - one.low) ** 2),
  };
};

/** The p-value of the interval: the smallest alpha at which it excludes zero, by bisection. */
export const newcombeP = (first: Share, second: Share): number => {
  const leavesOutZero = (z: number): boolean => {
    const { low, high } = newcombe(first, second, z);
    return low > 0 || high < 0;
  };
  let [out, within] = [0, 40];
  if (leavesOutZero(within)) return 0;
  for (let step = 0; step < 60; step += 1) {
    const middle = (out + within) / 2;
    if (leavesOutZero(middle)) out = middle;
    else within = middle;
  }
  return beyondNormal(out);
};
