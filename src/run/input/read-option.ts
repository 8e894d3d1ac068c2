import { Problem } from '../../platform/problem.ts';
import { type Notation, respelt } from '../../scenario/schema/notation.ts';

/** Restricts a notation to some of its quantities, which `bound` describes. */
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

/** Reads the value of an option. Throws a `Problem` if it does not follow the option's notation. */
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
