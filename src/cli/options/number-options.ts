import { maxSlices } from '../../model/quantity.ts';
import { UsageProblem } from './define-verb.ts';

/** Reads the numbers in a list such as `100,1000`, without duplicates; `null` if the option was not given. */
export const numbersFrom = (
  option: string,
  text: string | undefined,
  [least, most]: readonly [number, number],
): readonly number[] | null => {
  if (text === undefined) return null;
  const numbers = text.split(',').map(Number);
  if (numbers.every((value) => Number.isInteger(value) && value >= least && value <= most)) {
    return [...new Set(numbers)];
  }
  throw new UsageProblem(
    `--${option}: expected whole numbers from ${least} to ${most}, separated by commas; got ${text}`,
  );
};

/** Reads a whole number from 0 to `most`. */
export const wholeNumberFrom = (option: string, text: string, most: number): number => {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= most) return value;
  throw new UsageProblem(`--${option}: expected a whole number from 0 to ${most}, got "${text}"`);
};

export const sliceCountFrom = (text: string): number => {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= maxSlices) return count;
  throw new UsageProblem(`--slices: expected a whole number from 1 to ${maxSlices}, got ${text}`);
};
