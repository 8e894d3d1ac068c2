/** Text set in columns for a screen of fixed-width characters. */

/** What a screen shows twice as wide (East Asian wide forms, emoji) and what takes no room (combining marks). */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const narrow = /\p{Mn}|\p{Me}|[\u200b\u200c\u200d]/u;

const widthOf = (point: string): number => (wide.test(point) ? 2 : narrow.test(point) ? 0 : 1);

/** The columns that a text takes; it must hold no control characters. */
export const displayWidth = (text: string): number =>
  Array.from(text).reduce((sum, point) => sum + widthOf(point), 0);

/** The beginning of a text that fits, the cut marked by `…`. */
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

/** The text with spaces after it (or before it, when it stands at the right) up to `columns`. */
export const paddedText = (
  text: string,
  columns: number,
  side: 'left' | 'right' = 'left',
): string => {
  const room = ' '.repeat(Math.max(0, columns - displayWidth(text)));
  return side === 'left' ? text + room : room + text;
};

/** Spaces that would part a number from its unit. */
const spaceBeforeUnit = /(?<=\d) (?=(?:ms|s|min|h|%|µ|kB|MB)(?!\w))/g;
const noBreakSpace = '\u00a0';

/** A text broken at spaces, never between a number and its unit, into lines of at most `columns`; a longer word is cut into pieces. */
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
