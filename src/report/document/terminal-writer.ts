import { styleText } from 'node:util';
import {
  displayWidth,
  paddedText,
  truncatedText,
  wrappedLines,
  printable,
} from '../text/display-width.ts';
import {
  type ShownCell,
  type ShownTable,
  shownTable,
  type Table,
  type Tone,
  tones,
  type Block,
  type Fact,
  isNumeric,
  isShown,
  type ReportDocument,
} from './document.ts';

export interface TerminalStyle {
  readonly colour: boolean;
  /** The number of columns of the screen. A screen with fewer than 60 columns counts as 60 columns wide. */
  readonly width: number;
}

/** The layout of a terminal. Without colour, `paint` returns the text unchanged. */
export interface TerminalLayout {
  readonly width: number;
  readonly paint: (tone: Tone, text: string) => string;
}

export const terminalLayout = ({ colour, width }: TerminalStyle): TerminalLayout => ({
  width: Math.max(60, width),
  paint: (tone, text) =>
    !colour || tone === 'plain' || text === ''
      ? text
      : styleText(tones[tone].style, text, { validateStream: false }),
});

const paragraph = (
  { width, paint }: TerminalLayout,
  text: string,
  { indent = 2, tone = 'plain' }: { readonly indent?: number; readonly tone?: Tone } = {},
): readonly string[] =>
  wrappedLines(text, width - indent).map((line) => ' '.repeat(indent) + paint(tone, line));

type Lines = readonly string[];
type Row = ShownTable['groups'][number]['rows'][number];
type TonedText = Pick<ShownCell, 'text' | 'tone'>;

const nothing: TonedText = { text: '', tone: 'plain' };
const gutter = 2;
/** The first column is shortened before all others, but not below this width. */
const minFirstColumns = 16;
/**
 * The minimum width of a column of sentences. If a column would be narrower, its sentences are written below their
 * rows.
 */
const minWordColumns = 30;

/**
 * The place of notes. `beside` puts notes into their cells. `beneath` puts notes below their cells. `apart` puts notes
 * below their cells, and errors below the notes.
 */
type NotePlace = 'none' | 'beside' | 'beneath' | 'apart';

const terminalCell = (
  { holds, text, unit, note, tone, error }: ShownCell,
  notes: NotePlace,
): TonedText => {
  const sign = holds === 'verdict' && text !== '' ? tones[tone].glyph : '';
  const beside = notes === 'beside' ? note : undefined;
  const inline = notes === 'apart' ? undefined : error?.text;
  const ownTone = tone === 'plain' && holds === 'words' ? 'quiet' : tone;
  return {
    text: printable([sign, text, unit, beside, inline].filter(Boolean).join(' ')),
    tone: error?.tone === 'warning' ? error.tone : ownTone,
  };
};

const totalWidth = (widths: readonly number[]): number =>
  widths.reduce((whole, width) => whole + width + gutter, 0);

const gridOf = ({ columns, isGrouped }: ShownTable, wordsPlace: number) => {
  const aligned = columns.filter((_, place) => place !== wordsPlace);
  const titles = aligned.map(({ title, short = title }, i) => (i === 0 && isGrouped ? '' : short));
  const linesOf = ({ cells }: Row, notes: NotePlace): readonly (readonly TonedText[])[] => {
    const others = cells.filter((_, place) => place !== wordsPlace);
    const line = others.map((cell, i) => {
      const { text, tone } = terminalCell(cell, notes);
      return { text: i === 0 && isGrouped ? `  ${text}` : text, tone };
    });
    const beneath = ['beneath', 'apart'].includes(notes)
      ? others.map(({ note = '' }) => ({ text: printable(note), tone: 'quiet' as const }))
      : [];
    const apart = notes === 'apart' ? others.map(({ error }) => error ?? nothing) : [];
    return [line, ...[beneath, apart].filter((below) => below.some(({ text }) => text !== ''))];
  };
  const widthsOf = (rows: readonly Row[], notes: NotePlace): readonly number[] => {
    const lines = rows.flatMap((row) => linesOf(row, notes));
    return titles.map((title, i) =>
      Math.max(displayWidth(title), ...lines.map((line) => displayWidth(line[i]!.text))),
    );
  };
  return { aligned, titles, linesOf, widthsOf };
};

/**
 * Writes a table in columns; returns `null` if the terminal is too narrow. `otherwise` says where notes are written if
 * they do not fit beside their cells. If `mayShorten` is true, names are shortened until the table fits.
 */
const columnLines = (
  layout: TerminalLayout,
  grid: ShownTable,
  otherwise: 'beneath' | 'apart' = 'beneath',
  mayShorten = true,
): Lines | null => {
  const { columns, groups, showsNotes } = grid;
  const wordsPlace = columns.findIndex(({ holds }) => holds === 'words');
  const { aligned, titles, linesOf, widthsOf } = gridOf(grid, wordsPlace);
  const rows = groups.flatMap((group) => group.rows);
  const hasRoom = totalWidth(widthsOf(rows, 'beside')) <= layout.width;
  const notes = showsNotes ? (hasRoom ? 'beside' : otherwise) : 'none';
  const [first = 0, ...others] = widthsOf(rows, notes);
  const spare = layout.width - totalWidth([first, ...others]);
  const firstWidth = first + Math.min(0, spare);
  if (firstWidth < (mayShorten ? Math.min(first, minFirstColumns) : first)) return null;
  const besideRoom = spare - gutter;
  const isBeside = besideRoom >= minWordColumns;
  const widths = [firstWidth, ...others, besideRoom];

  const line = (cells: readonly TonedText[]): string => {
    const parts = cells.map(({ text, tone }, i) => {
      const side = aligned[i]?.holds === 'number' ? 'right' : 'left';
      const set = paddedText(truncatedText(text, widths[i]!), widths[i]!, side);
      return layout.paint(tone, i === cells.length - 1 ? set.trimEnd() : set);
    });
    return [' '.repeat(gutter), parts.join(' '.repeat(gutter))].join('').trimEnd();
  };
  const across = ({ text, tone }: TonedText): string => {
    const shown = truncatedText(text, layout.width - gutter).trimEnd();
    return `${' '.repeat(gutter)}${layout.paint(tone, shown)}`.trimEnd();
  };
  /** Returns a row's lines, with the row's sentences beside or below these lines. */
  const rowLines = (row: Row): Lines => {
    const lines = linesOf(row, notes);
    const words = row.cells[wordsPlace];
    if (words === undefined || words.text === '') return lines.map(line);
    const { text, tone } = terminalCell(words, 'beside');
    const pieces = wrappedLines(text, isBeside ? besideRoom : layout.width - 6);
    if (!isBeside) {
      return [...lines.map(line), ...pieces.map((piece) => across({ text: `    ${piece}`, tone }))];
    }
    return Array.from({ length: Math.max(lines.length, pieces.length) }, (_, i) => {
      const piece = pieces[i];
      return line([
        ...(lines[i] ?? aligned.map(() => nothing)),
        ...(piece === undefined ? [] : [{ text: piece, tone }]),
      ]);
    });
  };
  const heads = isBeside && wordsPlace >= 0 ? [...titles, columns[wordsPlace]!.title] : titles;
  return [
    line(heads.map((text) => ({ text, tone: 'quiet' }))),
    ...groups.flatMap(({ title, rows: members }, i) => [
      ...(i > 0 && notes === otherwise ? [''] : []),
      ...(title === '' ? [] : [across({ text: printable(title), tone: 'strong' })]),
      ...members.flatMap(rowLines),
    ]),
  ];
};

/** Writes each row as a paragraph: `TTFT ms: n 760, p50 188 [184–194]`. */
const recordLines = (layout: TerminalLayout, { columns, groups, ...grid }: ShownTable): Lines => {
  const notes = grid.showsNotes ? 'beside' : 'none';
  const indent = grid.isGrouped ? 4 : 2;
  return groups.flatMap(({ title, rows }) => [
    ...(title === '' ? [] : paragraph(layout, printable(title), { tone: 'strong' })),
    ...rows.flatMap(({ cells }) => {
      const [named = '', ...texts] = cells.map((cell) => terminalCell(cell, notes).text);
      const name = isNumeric(named) ? `${columns[0]!.title} ${named}` : named;
      const parts = texts
        .map((text, i) => ({ text, title: columns[i + 1]!.title }))
        .filter(({ text }) => text !== '' && text !== '–')
        .map((part) => `${part.title} ${part.text}`);
      return paragraph(layout, `${name}: ${parts.join(', ')}`, { indent });
    }),
  ]);
};

/**
 * Writes a table in columns. On a terminal that is too narrow, spare columns are dropped, or rows become paragraphs.
 */
export const terminalTableLines = (layout: TerminalLayout, table: Table): Lines => {
  const whole = shownTable(table, 'terminal');
  const most = shownTable(table, 'terminal', ({ spare }) => spare !== 'first');
  const needed = shownTable(table, 'terminal', ({ spare }) => !spare);
  const mayShorten = most.columns.length === whole.columns.length;
  return (
    columnLines(layout, whole, 'beneath', mayShorten) ??
    columnLines(layout, most) ??
    columnLines(layout, needed) ??
    columnLines(layout, needed, 'apart') ??
    recordLines(layout, whole)
  );
};

const factLines = (layout: TerminalLayout, rows: readonly Fact[], indent: number): Lines => {
  const nameColumns = Math.max(...rows.map(([name]) => displayWidth(name))) + 2;
  const room = layout.width - indent - nameColumns;
  return rows.flatMap(([name, text]) =>
    wrappedLines(printable(text), room).map(
      (line, i) => ' '.repeat(indent) + paddedText(i === 0 ? name : '', nameColumns) + line,
    ),
  );
};

/** Returns the lines of a block; `indent` is the indentation of its paragraphs. */
const blockLines = (layout: TerminalLayout, block: Block, indent: number): Lines => {
  if (!isShown(block, 'terminal')) return [];
  switch (block.kind) {
    case 'text':
      return paragraph(layout, printable(block.text), { indent, tone: block.tone });
    case 'list':
      return block.items.flatMap((item) =>
        paragraph(layout, printable(item.text), { indent, tone: item.tone }),
      );
    case 'facts':
      return factLines(layout, block.rows, indent);
    case 'table':
      return terminalTableLines(layout, block);
    case 'picture':
      return [];
    case 'fold':
      return [
        ...paragraph(layout, printable(block.title), { indent }),
        ...block.blocks.flatMap((each) => blockLines(layout, each, indent + 2)),
      ];
    case 'section': {
      const lines = block.blocks.flatMap((each) => blockLines(layout, each, 2));
      if (lines.length === 0) return [];
      const title = paragraph(layout, printable(block.title), { indent: 0, tone: 'strong' });
      return ['', ...title, ...lines];
    }
  }
};

export const terminalVerdict = (words: string, tone: Tone, style: TerminalStyle): string =>
  paragraph(terminalLayout(style), printable(`${tones[tone].glyph} ${words}`), {
    indent: 0,
    tone,
  }).join('\n');

/**
 * Renders a document for a terminal. No line is wider than the screen, and control characters in texts are replaced.
 */
export const terminalText = (document: ReportDocument, terminalStyle: TerminalStyle): string => {
  const layout = terminalLayout(terminalStyle);
  const { title, verdict, description = [], introduction = [], blocks } = document;
  const { text, tone } = verdict ?? { text: title, tone: 'strong' as const };
  const head = [tones[tone].glyph, text].filter(Boolean).join(' ');
  return [
    ...paragraph(layout, printable(head), { indent: 0, tone }),
    ...description.flatMap((line) => paragraph(layout, printable(line), { tone: 'quiet' })),
    ...introduction.flatMap((block) => blockLines(layout, block, 2)),
    ...blocks.flatMap((block) => {
      const lines = blockLines(layout, block, 0);
      return block.kind === 'section' || lines.length === 0 ? lines : ['', ...lines];
    }),
  ].join('\n');
};
