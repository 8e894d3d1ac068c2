import type { AdmittedRequest } from './handler.ts';
import { scheduleTokens } from '../serving/token-schedule.ts';

/** Runs `answer` when `due` has come. A request that ends before calls it off, and `abandon` runs instead. */
export const answerAt = (
  { exchange, clock }: AdmittedRequest,
  due: number,
  answer: () => void,
  onCancelled?: () => void,
): void => {
  const cancel = scheduleTokens(clock, { first: due, gap: 0, steps: 1 }, { emit: answer });
  exchange.onInterruption(() => {
    cancel();
    onCancelled?.();
  });
};
