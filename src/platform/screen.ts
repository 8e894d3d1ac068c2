import type { WriteStream } from 'node:tty';

/**
 * The live display of a run. On a terminal, the display is one block that is redrawn. Elsewhere, the display consists
 * of plain lines.
 */
export interface Screen {
  /** Whether a block can be redrawn. If `live` is false, `block` writes nothing. */
  readonly live: boolean;
  /** The number of columns of the terminal. */
  readonly width: number;
  block(text: string): void;
  /** Removes the block and writes a line where the block was. */
  line(text: string): void;
  clear(): void;
}

const plainWidth = 100;
const eraseBelow = '\u001b[J';
const up = (rows: number): string => (rows === 0 ? '\r' : `\u001b[${rows}A\r`);

type Stream = Pick<WriteStream, 'isTTY' | 'columns'> & {
  readonly write: (text: string) => unknown;
};

/** Returns whether an environment variable is set to a value other than an empty text, `false` and `0`. */
const isEnabled = (value: string | undefined): boolean =>
  value !== undefined && !['', '0', 'false'].includes(value);

const invisible =
  /\u001b\[(?:[0-2]|22|3[0-79]|9[0-7])m|[\0-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Prepares text for a terminal. Names and messages from outside may contain control characters, which become \uXXXX.
 * Escape sequences for plain colours and bold, line feeds and tabs stay unchanged.
 */
export const visible = (text: string): string =>
  text.replace(invisible, (found) =>
    found.length > 1 ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

export const screenOn = (stream: Stream, environment: NodeJS.ProcessEnv): Screen => {
  const { TERM, CI } = environment;
  const live = stream.isTTY && TERM !== 'dumb' && !isEnabled(CI);
  let drawn = 0;
  const erase = (): string => {
    const text = drawn === 0 ? '' : up(drawn) + eraseBelow;
    drawn = 0;
    return text;
  };
  return {
    live,
    get width() {
      return stream.isTTY ? stream.columns : plainWidth;
    },
    block: (text) => {
      if (!live) return;
      const before = erase();
      drawn = text.split('\n').length;
      stream.write(`${before}${visible(text)}\n`);
    },
    line: (text) => {
      stream.write(`${erase()}${visible(text)}\n`);
    },
    clear: () => {
      stream.write(erase());
    },
  };
};

/**
 * Returns whether to use colours on a stream. A NO_COLOR (https://no-color.org) that is not empty switches colours off.
 * Without NO_COLOR, a FORCE_COLOR of 0 or false switches colours off, and any other FORCE_COLOR switches colours on.
 * Without either variable, only a terminal gets colours.
 */
export const wantsColour = (
  stream: Pick<WriteStream, 'isTTY'>,
  environment: NodeJS.ProcessEnv,
): boolean => {
  if (environment['NO_COLOR'] !== undefined && environment['NO_COLOR'] !== '') return false;
  if (environment['FORCE_COLOR'] !== undefined)
    return !['0', 'false'].includes(environment['FORCE_COLOR']);
  return stream.isTTY && environment['TERM'] !== 'dumb';
};
