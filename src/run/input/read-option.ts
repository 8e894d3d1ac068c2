import { Problem } from '../../platform/problem.ts';
import type { Notation } from '../../scenario/schema/notation.ts';

/** Reads an option in its notation; throws a `Problem` for other text, and for what `isAllowed` rejects, as `bound` says. */
export const readOption = <Quantity extends number>(
  name: string,
  text: string,
  { read, expected }: Notation<Quantity>,
  isAllowed: (quantity: Quantity) => boolean = () => true,
  bound = '',
): Quantity => {
  const quantity = read(text);
  if (quantity !== null && isAllowed(quantity)) return quantity;
  throw new Problem(`--${name}: expected ${expected}${bound}; got ${text}`);
};
