import { once } from 'node:events';
import { onInterrupt } from '../../platform/process/interrupts.ts';
import { screenOn } from '../../platform/screen.ts';
import { stdoutStyle, toStdout } from '../../platform/standard-streams.ts';
import type { Host } from '../../run/input/host.ts';

const ask = async (question: string): Promise<string> => {
  const { createInterface } = await import('node:readline/promises');
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  // The prompt takes Ctrl-C for itself.
  prompt.once('SIGINT', () => {
    prompt.close();
    process.kill(process.pid, 'SIGINT');
  });
  const noAnswer = once(prompt, 'close').then(() => '');
  const answer = await Promise.race([prompt.question(question), noAnswer]);
  prompt.close();
  return answer;
};

/** The command line around a run: results on standard output, messages for people on standard error. */
export const terminalHost = ({ json = false, quiet = false } = {}): Host => {
  const screen = screenOn(process.stderr, process.env);
  return {
    environment: process.env,
    onStop: onInterrupt,
    ask: process.stdin.isTTY ? ask : null,
    printer: {
      say: (text) => {
        if (!quiet) screen.line(text);
      },
      warn: (text) => screen.line(text),
      print: (outcome) => {
        const text = json ? (outcome.json ?? '') : quiet ? '' : outcome.text(stdoutStyle());
        if (text !== '') toStdout(text);
      },
      listFiles: (lines) => {
        if (!quiet && lines !== '') screen.line(lines);
      },
      screen: quiet ? null : screen,
    },
  };
};
