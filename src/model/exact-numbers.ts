/** From this number on, JavaScript writes numbers with an exponent, so nobody takes them for exact. */
const firstExponent = 1e21;

const isInexact = (value: number): boolean =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < firstExponent;

/**
 * Returns the path of the first inexact whole number in a parsed value: an integer from 2^53 to 1e21, of either sign.
 * Returns `null` if there is none. Such a number may have lost digits: a seed, for example, would be sent as a
 * different seed.
 */
export const inexactNumberIn = (value: unknown): string | null => {
  if (typeof value === 'number') return isInexact(value) ? '' : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    const path = inexactNumberIn(inner);
    if (path !== null) return path === '' ? name : `${name}.${path}`;
  }
  return null;
};

export const inexactHint = 'it is above 2^53 and would lose digits: use a smaller number';
