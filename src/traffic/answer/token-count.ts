import { maxPlausibleTokens } from '../cost-of-tokens.ts';

/**
 * Reads a count: a number, or a text with a number, rounded to a whole number. Returns `null` if the value is not a
 * plausible number of tokens.
 */
export const readTokenCount = (value: unknown): number | null => {
  const number =
    typeof value === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && number >= 0 && number <= maxPlausibleTokens
    ? Math.round(number)
    : null;
};
