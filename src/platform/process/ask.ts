import { once } from 'node:events';

/** Asks the user on the terminal; resolves with the answer, empty if there is none. */
export const ask = async (question: string): Promise<string> => {
  const { createInterface } = await import('node:readline/promises');
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  // The prompt takes Ctrl-C for itself.
  prompt.once('SIGINT', () => {
    process.kill(process.pid, 'SIGINT');
    // After the signal has been delivered, which says more than an empty answer.
    setImmediate(() => setImmediate(() => prompt.close()));
  });
  const noAnswer = once(prompt, 'close').then(() => '');
  const answer = await Promise.race([prompt.question(question), noAnswer]);
  prompt.close();
  return answer;
};
