import { wantsColour } from './screen.ts';

/** Data goes to standard output, messages to standard error. */
export const toStdout = (text: string): void => {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
};

export const toStderr = (text: string): void => {
  process.stderr.write(text.endsWith('\n') ? text : `${text}\n`);
};

/** How to style text on standard output. */
export const stdoutStyle = (): { readonly colour: boolean; readonly width: number } => ({
  colour: wantsColour(process.stdout, process.env),
  width: process.stdout.isTTY ? Math.min(process.stdout.columns, 120) : 100,
});
