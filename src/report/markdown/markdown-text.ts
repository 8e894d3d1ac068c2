import { printable } from '../printable.ts';

/** Past this many characters a text of others is cut: one of them must not fill a page. */
const longest = 300;

const entity = (character: string): string => `&#${character.codePointAt(0)};`;

/** Text that stays text in GitHub's Markdown: no markup, no table cell, no link, no mention. */
export const escapedText = (text: string): string =>
  printable(text)
    .replaceAll(/[\\`*_[\]<>#|~&@!$]/g, entity)
    .replaceAll('://', '&#58;//')
    .replaceAll(/www\./gi, (word) => `${word.slice(0, 3)}&#46;`);

/** The same for text of others, of bounded length. */
export const plainText = (text: string): string => {
  const points = Array.from(text);
  return escapedText(points.length > longest ? `${points.slice(0, longest).join('')}…` : text);
};

/** A table whose cells are Markdown already; columns from `rightFrom` on hold numbers. */
export const markdownTable = (
  head: readonly string[],
  rows: readonly (readonly string[])[],
  rightFrom: number,
): string =>
  [head, head.map((_, i) => (i < rightFrom ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
