import { text as readAll } from 'node:stream/consumers';
import { visible, wantsColour } from './screen.ts';

const asLine = (text: string): string => visible(text.endsWith('\n') ? text : `${text}\n`);

/** Writes data to standard output. (Messages go to standard error.) */
export const toStdout = (text: string): void => {
  process.stdout.write(asLine(text));
};

export const toStderr = (text: string): void => {
  process.stderr.write(asLine(text));
};

/** Returns how text on standard output is to be styled. */
export const stdoutStyle = (): { readonly colour: boolean; readonly width: number } => ({
  colour: wantsColour(process.stdout, process.env),
  width: process.stdout.isTTY ? Math.min(process.stdout.columns, 120) : 100,
});

/** Reads all of standard input, to its end. */
export const readStandardInput = (): Promise<string> => readAll(process.stdin);
