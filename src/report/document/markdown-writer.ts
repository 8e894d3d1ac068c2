import { countText } from '../text/number-text.ts';
import { present } from '../text/present.ts';
import { printable } from '../text/display-width.ts';
import {
  type Block,
  isShown,
  type ReportDocument,
  type ShownCell,
  shownTable,
  type Table,
  tones,
} from './document.ts';

/** A cell is cut off after this many characters, so that foreign text cannot fill a page. */
const maxCellLength = 300;
const maxTextLength = 3000;
/**
 * The rows of one table or list have at most this many characters in all, since GitHub accepts 1 MiB per page. Further
 * rows are only counted.
 */
const maxRowsLength = 50_000;

const entity = (character: string): string => `&#${character.codePointAt(0)};`;

/** Escapes text for GitHub's Markdown, so that the text contains no markup, table cell, link or mention. */
const escaped = (text: string, maxLength: number): string => {
  const points = Array.from(text);
  const bounded = points.length > maxLength ? `${points.slice(0, maxLength).join('')}…` : text;
  return printable(bounded)
    .replaceAll(/[\\`*_[\]<>#|~&@!$]/g, entity)
    .replaceAll('://', '&#58;//')
    .replaceAll(/www\./gi, (word) => `${word.slice(0, 3)}&#46;`);
};

/** Returns the lines that fit into `maxRowsLength` characters, and a line with the number of the other lines. */
const boundedLines = <Item>(
  items: readonly Item[],
  write: (item: Item) => string,
): readonly string[] => {
  const lines: string[] = [];
  let length = 0;
  for (const item of items) {
    const line = write(item);
    length += line.length;
    if (length > maxRowsLength) {
      return [...lines, '', `And ${countText(items.length - lines.length)} more.`];
    }
    lines.push(line);
  }
  return lines;
};

const tableText = (table: Table): string => {
  const { columns, groups, showsNotes } = shownTable(table, 'markdown');
  const cellText = ({ holds, text, unit, note, tone, error }: ShownCell): string => {
    const sign = holds === 'verdict' && text !== '' ? tones[tone].sign : '';
    const words = [text, unit].filter(Boolean).join(' ');
    const notes = present([showsNotes && (note ?? null), error?.text ?? null]).join(' ');
    const beneath = notes === '' ? '' : `<br>${escaped(notes, maxCellLength)}`;
    return `${sign}${escaped(words, maxCellLength)}${beneath}`;
  };
  const rows = groups.flatMap(({ title, rows: members }) =>
    members.map(({ cells }) => ({ title, cells })),
  );
  const rowText = ({ title, cells }: (typeof rows)[number]): string => {
    const group = title === '' ? '' : `${escaped(title, maxCellLength)} `;
    return `| ${group}${cells.map(cellText).join(' | ')} |`;
  };
  return [
    `| ${columns.map(({ title }) => title).join(' | ')} |`,
    `| ${columns.map(({ holds }) => (holds === 'number' ? '---:' : '---')).join(' | ')} |`,
    ...boundedLines(rows, rowText),
  ].join('\n');
};

/** Returns the paragraphs of a block; the heading of a section has `level` number signs. */
const blockTexts = (block: Block, level: number): readonly string[] => {
  if (!isShown(block, 'markdown')) return [];
  switch (block.kind) {
    case 'text': {
      const words = escaped(block.text, maxTextLength);
      const isPlain = block.tone === 'plain' || block.tone === 'quiet';
      return [isPlain ? words : `**${tones[block.tone].sign}${words}**`];
    }
    case 'list':
      return [
        boundedLines(block.items, ({ text }) => `- ${escaped(text, maxCellLength)}`).join('\n'),
      ];
    case 'facts':
      return [
        block.rows
          .map(([name, text]) => `- **${name}**: ${escaped(text, maxTextLength)}`)
          .join('\n'),
      ];
    case 'table':
      return [tableText(block)];
    case 'picture':
      return [];
    case 'fold':
      return [
        `<details><summary>${escaped(block.title, maxCellLength)}</summary>`,
        ...block.blocks.flatMap((each) => blockTexts(each, level)),
        '</details>',
      ];
    case 'section': {
      const title = `${'#'.repeat(level)} ${escaped(block.title, maxCellLength)}`;
      return [title, ...block.blocks.flatMap((each) => blockTexts(each, level + 1))];
    }
  }
};

export const markdownText = (document: ReportDocument): string => {
  const { title, verdict = null, description = [], introduction = [], blocks } = document;
  const tone = document.tone ?? verdict?.tone ?? 'plain';
  const lines = description.map((line) => escaped(line, maxTextLength));
  return present([
    `## ${tones[tone].sign}Weir: ${escaped(title, maxCellLength)}`,
    verdict !== null && `**${escaped(verdict.text, maxTextLength)}**`,
    lines.length > 0 && lines.join('  \n'),
    ...[...introduction, ...blocks].flatMap((block) => blockTexts(block, 3)),
    '',
  ]).join('\n\n');
};
