import { z } from 'zod';
import { blockings, blocksOf, leastSeconds } from './dependence.ts';

/**
 * This file infers which share h of the repeated tokens came from a cache, from times to first token. It assumes that
 * each computed token adds the same time, so the time to first token is a + b · (input − h · repeated). Least squares
 * give the slopes b and b · h, and the quotient of the two slopes is h.
 */

/**
 * The sums for least squares, before the first stream is added. `answers` counts streams, `t` sums their times to first
 * token in ms, `n` their input tokens and `r` their repeated tokens (both in thousands). `nn` is the sum of n · n, `nr`
 * of n · r, and so on.
 */
export const noPrefills = { answers: 0, t: 0, n: 0, r: 0, nn: 0, rr: 0, nr: 0, nt: 0, rt: 0 };
export type PrefillSums = typeof noPrefills;
type SumName = keyof PrefillSums;
const names = Object.keys(noPrefills) as readonly SumName[];

export const prefillSumsSchema = z.strictObject(
  Object.fromEntries(names.map((name) => [name, z.number().nonnegative()])) as Record<
    SumName,
    z.ZodNumber
  >,
);

export const addPrefill = (
  sums: PrefillSums,
  {
    time: t,
    input,
    repeated,
  }: { readonly time: number; readonly input: number; readonly repeated: number },
): void => {
  const [n, r] = [input / 1000, repeated / 1000];
  sums.answers += 1;
  sums.t += t;
  sums.n += n;
  sums.r += r;
  sums.nn += n * n;
  sums.rr += r * r;
  sums.nr += n * r;
  sums.nt += n * t;
  sums.rt += r * t;
};

const sumOfPrefills = (parts: readonly PrefillSums[]): PrefillSums => {
  const whole = { ...noPrefills };
  for (const part of parts) for (const name of names) whole[name] += part[name];
  return whole;
};

/**
 * The two slopes are separated only if more than this share of the variance of repeated tokens is independent of input
 * tokens.
 */
const leastOwnVariance = 0.01;

/**
 * Returns the time for a thousand tokens in ms (`slope`), and the share of the repeated tokens that took no time
 * (`hits`); `null` if the slopes cannot be separated.
 */
const fit = ({ answers, t, n, r, nn, rr, nr, nt, rt }: PrefillSums) => {
  const [vn, vr, c] = [nn - (n * n) / answers, rr - (r * r) / answers, nr - (n * r) / answers];
  const [ct, dt] = [nt - (n * t) / answers, rt - (r * t) / answers];
  const determinant = vn * vr - c * c;
  if (!(vn > 1e-9 && vr > 1e-9 && determinant > leastOwnVariance * vn * vr)) return null;
  const slope = (vr * ct - c * dt) / determinant;
  return { slope, hits: -(vn * dt - c * ct) / determinant / slope };
};

/**
 * The reasons why nothing can be inferred. `parted`: the run has several slices, and a slice does not know which tokens
 * other slices repeated.
 */
export type NoInference = 'short' | 'alike' | 'no-slope' | 'vague' | 'parted';

export interface InferredHits {
  /** The share of the repeated tokens that came from a cache. Its 95 % interval, `low` to `high`, is cut at 0 and 1. */
  readonly hits: number;
  readonly low: number;
  readonly high: number;
  /** Which share of the input tokens of these streams was repeated. */
  readonly repeatedShare: number;
  readonly answers: number;
}

/** If half the width of the interval of `hits` is larger than this, nothing is inferred (`vague`). */
const widestUse = 0.3;

/**
 * Returns half the width of the 95 % interval of a figure, by a jackknife. Each element of `values` is the figure
 * computed without one of the blocks. `t` is the quantile of Student's t.
 */
const jackknife = (values: readonly number[], t: number): number => {
  const mean = values.reduce((sum, each) => sum + each, 0) / values.length;
  const squares = values.reduce((sum, each) => sum + (each - mean) ** 2, 0);
  return t * Math.sqrt(((values.length - 1) / values.length) * squares);
};

/**
 * Infers the share of cached tokens from the sums of a run's seconds, in order. If nothing can be inferred, returns the
 * reason.
 */
export const inferHits = (seconds: readonly PrefillSums[]): InferredHits | NoInference => {
  const used = seconds.filter(({ answers }) => answers > 0);
  const whole = sumOfPrefills(used);
  if (used.length < leastSeconds || whole.answers < 30) return 'short';
  const found = fit(whole);
  if (found === null) return 'alike';
  let [slopeWidth, width] = [0, 0];
  for (const { blocks, t } of blockings) {
    if (blocks > used.length) break;
    const parts = blocksOf(used, blocks, sumOfPrefills);
    const fits = parts.map((_, left) => fit(sumOfPrefills(parts.filter((_part, i) => i !== left))));
    const known = fits.filter((each) => each !== null);
    if (known.length < fits.length) return 'alike';
    slopeWidth = Math.max(
      slopeWidth,
      jackknife(
        known.map(({ slope }) => slope),
        t,
      ),
    );
    width = Math.max(
      width,
      jackknife(
        known.map(({ hits }) => hits),
        t,
      ),
    );
  }
  if (found.slope <= slopeWidth) return 'no-slope';
  if (width > widestUse) return 'vague';
  const share = (value: number): number => Math.min(1, Math.max(0, value));
  const { hits } = found;
  return {
    hits: share(hits),
    low: share(hits - width),
    high: share(hits + width),
    repeatedShare: whole.r / whole.n,
    answers: whole.answers,
  };
};
