/**
 * Makes text safe to print on one line. Control characters become visible signs, and line ends become spaces. U+FFFD
 * replaces characters that change the writing direction, characters that XML forbids, and lone surrogates, which UTF-8
 * cannot encode.
 */
export const printable = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\r\n\t]+/g, ' ')
    .replace(/[\u0000-\u001f]/g, (control) => String.fromCodePoint(0x2400 + control.charCodeAt(0)))
    .replace(/[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/g, '\ufffd');

/**
 * Matches characters of double width (East Asian wide forms, emoji). `narrow` matches characters of no width (combining
 * marks).
 */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const narrow = /\p{Mn}|\p{Me}|[\u200b\u200c\u200d]/u;

const widthOf = (point: string): number => (wide.test(point) ? 2 : narrow.test(point) ? 0 : 1);

/** Returns the width of a text in columns. The text must not contain control characters. */
export const displayWidth = (text: string): number =>
  Array.from(text).reduce((sum, point) => sum + widthOf(point), 0);

/** Returns the beginning of a text that fits into `columns`. A text that was cut ends with `…`. */
export const truncatedText = (text: string, columns: number): string => {
  if (displayWidth(text) <= columns) return text;
  let kept = '';
  let used = 1;
  for (const point of Array.from(text)) {
    used += widthOf(point);
    if (used > columns) break;
    kept += point;
  }
  return columns < 1 ? '' : `${kept}…`;
};

/**
 * Pads a text with spaces to `columns`. The spaces are at the end of the text, or at the start if `side` is `right`.
 */
export const paddedText = (
  text: string,
  columns: number,
  side: 'left' | 'right' = 'left',
): string => {
  const room = ' '.repeat(Math.max(0, columns - displayWidth(text)));
  return side === 'left' ? text + room : room + text;
};

/** Matches spaces between a number and its unit. */
const spaceBeforeUnit = /(?<=\d) (?=(?:ms|s|min|h|%|µ|kB|MB)(?!\w))/g;
const noBreakSpace = '\u00a0';

/**
 * Wraps a text at spaces into lines of at most `columns`, but never between a number and its unit. Words that are
 * longer than a line are cut.
 */
export const wrappedLines = (text: string, columns: number): readonly string[] => {
  const lines: string[] = [];
  let line = '';
  const words = text.replace(spaceBeforeUnit, noBreakSpace).split(' ');
  for (const word of words.flatMap((whole) => pieces(whole, columns))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (displayWidth(longer) <= columns) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line].map((each) => each.replaceAll(noBreakSpace, ' '));
};

const pieces = (word: string, columns: number): readonly string[] => {
  if (displayWidth(word) <= columns) return [word];
  const parts = [''];
  for (const point of Array.from(word)) {
    const last = parts.length - 1;
    if (displayWidth(parts[last]! + point) <= columns) parts[last] += point;
    else parts.push(point);
  }
  return parts;
};

/**
 * Wraps the lines of a text for a terminal and keeps the indentation of the lines. A line with a word that is too wide,
 * such as a path, stays unchanged, so a reader can copy the word.
 */
export const foldedText = (text: string, columns: number): string =>
  text
    .split('\n')
    .flatMap((line) => {
      const [indent = ''] = /^ */.exec(line) ?? [];
      const room = columns - indent.length;
      const isTooWide = line.split(' ').some((word) => displayWidth(word) > room);
      if (displayWidth(line) <= columns || isTooWide) return [line];
      return wrappedLines(line.trimStart(), room).map((each) => `${indent}${each}`);
    })
    .join('\n');
