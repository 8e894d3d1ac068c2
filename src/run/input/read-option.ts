import { Problem } from '../../platform/problem.ts';
import { type Notation, plainNumberIn, respelt } from '../../scenario/schema/notation.ts';

/**
 * Restricts a notation to the quantities for which `isAllowed` is true. `bound` describes these quantities in words.
 */
export const bounded = <Quantity extends number>(
  { read, expected, ...notation }: Notation<Quantity>,
  isAllowed: (quantity: Quantity) => boolean,
  bound = '',
): Notation<Quantity> => ({
  ...notation,
  expected: `${expected}${bound}`,
  read: (text) => {
    const quantity = read(text);
    return quantity !== null && isAllowed(quantity) ? quantity : null;
  },
});

/** Reads the value of an option. Throws a `Problem` if the value does not follow the option's notation. */
export const readOption = <Quantity extends number>(
  name: string,
  text: string,
  { read, expected, withUnit }: Notation<Quantity>,
): Quantity => {
  const quantity = read(text);
  if (quantity !== null) return quantity;
  const right = respelt(text, read);
  const unit = Number(text) > 0 ? `; a number needs its unit: ${withUnit(Number(text))}` : '';
  const advice = right === null ? unit : `; write ${right}`;
  throw new Problem(`--${name}: expected ${expected}; got ${text}${advice}`);
};

/** Reads an option that is a whole number of at least `least`, such as `1000` or `1e3`. */
export const readWhole = (option: string, text: string, least: number): number => {
  const value = /^\d{1,12}(?:e\d)?$/i.test(text) ? Number(text) : -1;
  if (value >= least && Number.isSafeInteger(value)) return value;
  const right = plainNumberIn(text);
  const advice =
    right !== null && Number.isInteger(right) && right >= least ? `; write ${right}` : '';
  throw new Problem(
    `--${option}: expected a whole number of at least ${least}; got ${text}${advice}`,
  );
};
