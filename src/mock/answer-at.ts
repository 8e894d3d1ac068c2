import type { Admitted } from './handler.ts';
import { pace } from './serving/pace.ts';

/** Runs `answer` when `due` has come. A request that ends before calls it off, and `abandon` runs instead. */
export const answerAt = (
  { exchange, clock }: Admitted,
  due: number,
  answer: () => void,
  abandon?: () => void,
): void => {
  const cancel = pace(clock, { first: due, gap: 0, steps: 1 }, { emit: answer });
  exchange.onInterruption(() => {
    cancel();
    abandon?.();
  });
};
