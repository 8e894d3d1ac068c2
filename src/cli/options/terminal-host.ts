import { onInterrupt } from '../../platform/process/interrupts.ts';
import { screenOn } from '../../platform/screen.ts';
import { foldedText } from '../../report/text/display-width.ts';
import { stdoutStyle, toStdout } from '../../platform/standard-streams.ts';
import type { Host } from '../../run/input/host.ts';

/**
 * Returns the host for a command line. The host writes results to standard output, and messages for people to standard
 * error.
 */
export const terminalHost = ({ json = false, quiet = false, details = false } = {}): Host => {
  const screen = screenOn(process.stderr, process.env);
  // Texts on a terminal are wrapped at spaces, since a terminal would break lines within words. Logs contain whole
  // lines, so that lines can be searched.
  const show = (text: string): void =>
    screen.line(screen.live ? foldedText(text, screen.width) : text);
  return {
    environment: process.env,
    onStop: onInterrupt,
    ask: process.stdin.isTTY
      ? async (question) => (await import('../../platform/process/ask.ts')).ask(question)
      : null,
    printer: {
      say: (text) => {
        if (!quiet) show(text);
      },
      warn: show,
      print: (outcome) => {
        const write = details ? (outcome.details ?? outcome.text) : outcome.text;
        const text = json ? (outcome.json ?? '') : quiet ? '' : write(stdoutStyle());
        if (text !== '') toStdout(text);
      },
      close: ({ closing, hasClosing = false, isGood = true }) => {
        if (closing === undefined || json) return;
        if (quiet && !isGood) screen.line(closing({ colour: false, width: 1000, isAlone: true }));
        if (!quiet && !details && !hasClosing) toStdout(closing(stdoutStyle()));
      },
      listFiles: (lines) => {
        if (!quiet && lines !== '') screen.line(lines);
      },
      screen: quiet ? null : screen,
    },
  };
};
