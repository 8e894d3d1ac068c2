import { printable } from '../text/printable.ts';

/** Past this many characters a text of others is cut: one of them must not fill a page. */
const maxTextLength = 300;

const entity = (character: string): string => `&#${character.codePointAt(0)};`;

/** Text that stays text in GitHub's Markdown: no markup, no table cell, no link, no mention. */
export const escapedMarkdown = (text: string): string =>
  printable(text)
    .replaceAll(/[\\`*_[\]<>#|~&@!$]/g, entity)
    .replaceAll('://', '&#58;//')
    .replaceAll(/www\./gi, (word) => `${word.slice(0, 3)}&#46;`);

/** The same for text of others, of bounded length. */
export const boundedMarkdown = (text: string): string => {
  const points = Array.from(text);
  return escapedMarkdown(
    points.length > maxTextLength ? `${points.slice(0, maxTextLength).join('')}…` : text,
  );
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
