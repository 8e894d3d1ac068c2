import { z } from 'zod';

/** The declared limits of a key (interface, section 8); `null` if a limit is not declared. */
export const limitsPerMinuteSchema = z.strictObject({
  requestsPerMinute: z.int().positive().nullable(),
  tokensPerMinute: z.int().positive().nullable(),
});
export type LimitsPerMinute = z.infer<typeof limitsPerMinuteSchema>;

interface LimitedKeys {
  readonly limits: LimitsPerMinute;
  readonly keys: readonly { readonly name: string; readonly limits?: LimitsPerMinute }[];
}

export const limitsOfKey = ({ keys, limits }: LimitedKeys, name: string): LimitsPerMinute =>
  keys.find((key) => key.name === name)?.limits ?? limits;

export const hasLimits = ({ keys, limits }: LimitedKeys): boolean =>
  keys.some(({ limits: own = limits }) => (own.requestsPerMinute ?? own.tokensPerMinute) !== null);

/**
 * Returns the sum of a declared limit over all keys. The sum is infinite if only some keys have the limit, and `null`
 * if no key has the limit.
 */
export const sumOfLimits = (
  { keys, limits }: LimitedKeys,
  field: keyof LimitsPerMinute,
): number | null => {
  const each = keys.map((key) => (key.limits ?? limits)[field]);
  if (each.every((limit) => limit === null)) return null;
  return each.reduce((sum: number, limit) => sum + (limit ?? Number.POSITIVE_INFINITY), 0);
};
