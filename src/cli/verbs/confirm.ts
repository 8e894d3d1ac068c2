import { createInterface } from 'node:readline/promises';
import { Problem } from '../../platform/problem.ts';

/** Asks whether the budget may be spent; without a terminal nobody can say so. `refused` says what was left undone. */
export const confirm = async (cancelMessage: string): Promise<void> => {
  if (!process.stdin.isTTY) {
    throw new Problem(
      'nobody is there to agree to this budget: add --yes to spend it without being asked',
    );
  }
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await prompt.question('Spend it? [y/N] ');
  prompt.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new Problem(cancelMessage);
};
