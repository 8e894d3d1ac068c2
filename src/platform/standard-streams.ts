import { visible, wantsColour } from './screen.ts';

const asLine = (text: string): string => visible(text.endsWith('\n') ? text : `${text}\n`);

/** Writes text to standard output, with a line feed at its end. */
export const toStdout = (text: string): void => {
  process.stdout.write(asLine(text));
};

export const toStderr = (text: string): void => {
  process.stderr.write(asLine(text));
};

export const stdoutStyle = (): { readonly colour: boolean; readonly width: number } => ({
  colour: wantsColour(process.stdout, process.env),
  width: process.stdout.isTTY ? Math.min(process.stdout.columns, 120) : 100,
});

/** Reads standard input to its end. Returns `null` if standard input has more than `most` bytes. */
export const readStandardInput = async (most: number): Promise<string | null> => {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of process.stdin as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > most) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
};
