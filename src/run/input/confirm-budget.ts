import { Problem } from '../../platform/problem.ts';
import type { Host } from './host.ts';

/** Asks the user whether the budget may be spent; throws a `Problem` if the answer is no, or nobody can answer. */
export const confirmBudget = async ({ ask }: Host, cancelMessage: string): Promise<void> => {
  if (ask === null) {
    throw new Problem(
      'this budget needs a confirmation, and standard input is no terminal: add --yes to spend it without being asked',
    );
  }
  const answer = await ask('Spend it? [y/N] ');
  if (!/^y(es)?$/i.test(answer.trim())) throw new Problem(cancelMessage);
};
