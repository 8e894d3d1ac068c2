import { z } from 'zod';
import { type Draw, drawNormal } from './draw.ts';

/** The maximum number of tokens. No known context window is larger. */
export const maxTokenCount = 10_000_000;

const counted = z.int().min(1).max(maxTokenCount);

/** The bounds of a distribution. A value outside the bounds is drawn again. */
const bounds = { min: counted, max: counted };

/** A number of tokens. The number is constant or drawn for each request. */
export const tokenCountSchema = z.union([
  counted,
  z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('uniform'), ...bounds }),
    z.strictObject({
      kind: z.literal('normal'),
      mean: z.number().positive(),
      deviation: z.number().nonnegative(),
      ...bounds,
    }),
    /**
     * A log-normal distribution. `sigma` is the standard deviation of the logarithm: 84 % of the values are below the
     * median times e^sigma.
     */
    z.strictObject({
      kind: z.literal('lognormal'),
      median: z.number().positive(),
      sigma: z.number().nonnegative(),
      ...bounds,
    }),
    /** A value from a list. The chance of each value is proportional to its weight. */
    z.strictObject({
      kind: z.literal('empirical'),
      values: z.array(counted).min(1),
      weights: z.array(z.number().positive()).min(1).optional(),
    }),
  ]),
]);
export type TokenCount = z.infer<typeof tokenCountSchema>;
type Distribution = Exclude<TokenCount, number>;

/**
 * After this many draws outside the bounds, the nearest bound is used. This happens only if almost all of the
 * distribution is outside the bounds.
 */
const maxTries = 1000;

const drawWithin = (draw: () => number, { min, max }: { min: number; max: number }): number => {
  let drawn = Math.round(draw());
  for (let tries = 1; (drawn < min || drawn > max) && tries < maxTries; tries += 1) {
    drawn = Math.round(draw());
  }
  return Math.min(max, Math.max(min, drawn));
};

const drawn: {
  readonly [K in Distribution['kind']]: (
    of: Extract<Distribution, { kind: K }>,
    draw: Draw,
  ) => number;
} = {
  uniform: ({ min, max }, draw) => min + Math.floor(draw.uniform() * (max - min + 1)),
  normal: (of, draw) => drawWithin(() => of.mean + of.deviation * drawNormal(draw), of),
  lognormal: (of, draw) => drawWithin(() => of.median * Math.exp(of.sigma * drawNormal(draw)), of),
  empirical: ({ values, weights }, draw) =>
    draw.pick(
      values.map((value, i) => ({ value, weight: weights?.[i] ?? 1 })),
      ({ weight }) => weight,
    ).value,
};

export const drawTokenCount = (count: TokenCount, draw: Draw): number => {
  if (typeof count === 'number') return count;
  // `drawn` has a row for each kind of distribution, and this row is for the kind of `count`. The compiler cannot infer
  // this relation.
  const row = drawn[count.kind] as (of: Distribution, draw: Draw) => number;
  return row(count, draw);
};
