import { once } from 'node:events';

/** Asks the user on the terminal. Resolves with the answer, or with an empty text if the user gives no answer. */
export const ask = async (question: string): Promise<string> => {
  const { createInterface } = await import('node:readline/promises');
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  // The prompt intercepts Ctrl-C, so this listener sends the signal to the process itself.
  prompt.once('SIGINT', () => {
    process.kill(process.pid, 'SIGINT');
    // The prompt is closed only after the signal has been delivered. Otherwise, the empty answer would come first.
    setImmediate(() => setImmediate(() => prompt.close()));
  });
  const noAnswer = once(prompt, 'close').then(() => '');
  const answer = await Promise.race([prompt.question(question), noAnswer]);
  prompt.close();
  return answer;
};
