import { once } from 'node:events';

/** Asks the user on the terminal. Resolves with the answer, which is empty if the user gives none. */
export const ask = async (question: string): Promise<string> => {
  const { createInterface } = await import('node:readline/promises');
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  // The prompt intercepts Ctrl-C, so that this code must handle it.
  prompt.once('SIGINT', () => {
    process.kill(process.pid, 'SIGINT');
    // This waits until the signal has been delivered, since the signal says more than an empty answer.
    setImmediate(() => setImmediate(() => prompt.close()));
  });
  const noAnswer = once(prompt, 'close').then(() => '');
  const answer = await Promise.race([prompt.question(question), noAnswer]);
  prompt.close();
  return answer;
};
