import { wrappedLines } from '../text/display-width.ts';
import { printable } from '../text/printable.ts';
import { type Cell, shownColumns, type Table, type TableRow, toneGlyph } from './document.ts';
import {
  minTableWidth,
  paragraph,
  type TableCell,
  tableGutter,
  tableLines,
  type TerminalLayout,
  type TerminalTable,
  tableWidth,
} from './terminal-layout.ts';

type Lines = readonly string[];
type ShownColumn = ReturnType<typeof shownColumns>[number];

const hasGroups = ({ groups }: Table): boolean => groups.some(({ title }) => title !== '');

/** Sentences in a narrower column are hard to read, so they go below their row. */
const minWordColumns = 30;

type NotePlace = 'none' | 'beside' | 'beneath';

const terminalCell = (
  { holds }: ShownColumn,
  cell: Cell,
  { tone: rowTone }: TableRow,
  notes: NotePlace,
): TableCell => {
  const { text, unit, note, tone = rowTone } = cell;
  const sign = holds === 'verdict' && text !== '' ? toneGlyph[tone] : '';
  const beside = notes === 'beside' ? note : undefined;
  const style = tone === 'plain' && holds === 'words' ? 'quiet' : tone;
  return { text: printable([sign, text, unit, beside].filter(Boolean).join(' ')), style };
};

/** The cells of a row, with their notes below if they have any. */
const cellRows = (
  columns: readonly ShownColumn[],
  row: TableRow,
  notes: NotePlace,
  isGrouped: boolean,
): readonly (readonly TableCell[])[] => {
  const cells = columns.map((column, i) => {
    const cell = terminalCell(column, row.cells[column.place]!, row, notes);
    return i === 0 && isGrouped ? { ...cell, text: `  ${cell.text}` } : cell;
  });
  const beneath = columns.map(({ place }) => row.cells[place]!.note ?? '');
  return notes === 'beneath' && beneath.some((note) => note !== '')
    ? [cells, beneath.map((note) => ({ text: printable(note), style: 'quiet' as const }))]
    : [cells];
};

/** A row's cells, with its sentences beside or below them. */
const withWords = (
  rows: readonly (readonly TableCell[])[],
  words: TableCell | null,
  { room, isBeside }: { readonly room: number; readonly isBeside: boolean },
): readonly (readonly TableCell[])[] => {
  if (words === null || words.text === '') return rows;
  const pieces = wrappedLines(words.text, room).map((text) => ({ ...words, text }));
  if (!isBeside) {
    return [...rows, ...pieces.map((piece) => [{ ...piece, text: `    ${piece.text}` }])];
  }
  const blank = rows[0]!.map(() => ({ text: '' }));
  const count = Math.max(rows.length, pieces.length);
  return Array.from({ length: count }, (_, i) => [
    ...(rows[i] ?? blank),
    ...(pieces[i] === undefined ? [] : [pieces[i]]),
  ]);
};

/** The lines of a table with the columns that fit; `null` if there is no room even for the required ones. */
const columnLines = (
  layout: TerminalLayout,
  table: Table,
  columns: readonly ShownColumn[],
): Lines | null => {
  const words = columns.find(({ holds }) => holds === 'words');
  const others = columns.filter((column) => column !== words);
  const isGrouped = hasGroups(table);
  const heads = others.map(({ title, short, holds }, i) => ({
    title: i === 0 && isGrouped ? '' : (short ?? title),
    align: holds === 'number' ? ('right' as const) : ('left' as const),
  }));
  const tableWith = (notes: NotePlace): TerminalTable => ({
    columns: heads,
    rows: table.groups.flatMap(({ rows }) =>
      rows.flatMap((row) => cellRows(others, row, notes, isGrouped)),
    ),
  });
  const fitsBeside = tableWidth(tableWith('beside')) <= layout.width;
  const notes = table.showsNotes !== true ? 'none' : fitsBeside ? 'beside' : 'beneath';
  if (minTableWidth(tableWith(notes)) > layout.width) return null;
  const besideRoom = layout.width - tableWidth(tableWith(notes)) - tableGutter;
  const isBeside = besideRoom >= minWordColumns;
  const room = isBeside ? besideRoom : layout.width - 6;
  const wordsOf = (row: TableRow): TableCell | null =>
    words === undefined ? null : terminalCell(words, row.cells[words.place]!, row, 'beside');
  const rows = table.groups.flatMap((group, i) => [
    ...(i > 0 && notes === 'beneath' ? [[]] : []),
    ...(group.title === '' ? [] : [[{ text: printable(group.title), style: 'strong' as const }]]),
    ...group.rows.flatMap((row) =>
      withWords(cellRows(others, row, notes, isGrouped), wordsOf(row), { room, isBeside }),
    ),
  ]);
  const wordsHead = words === undefined || !isBeside ? [] : [words];
  return tableLines(layout, {
    columns: [...heads, ...wordsHead.map(({ title }) => ({ title, align: 'left' as const }))],
    rows,
  });
};

/** Each row as a paragraph: `TTFT ms: n 760, p50 188 [184–194]`. */
const recordLines = (
  layout: TerminalLayout,
  table: Table,
  columns: readonly ShownColumn[],
): Lines => {
  const [name, ...others] = columns;
  if (name === undefined) return [];
  const notes = table.showsNotes === true ? 'beside' : 'none';
  const indent = hasGroups(table) ? 4 : 2;
  return table.groups.flatMap((group) => [
    ...(group.title === '' ? [] : paragraph(layout, printable(group.title), { style: 'strong' })),
    ...group.rows.flatMap((row) => {
      const parts = others.flatMap((column) => {
        const { text } = terminalCell(column, row.cells[column.place]!, row, notes);
        return text === '' || text === '–' ? [] : [`${column.title} ${text}`];
      });
      const subject = terminalCell(name, row.cells[name.place]!, row, notes);
      return paragraph(layout, `${subject.text}: ${parts.join(', ')}`, { indent });
    }),
  ]);
};

/** A table in columns; on a narrow terminal without its spare columns, or as paragraphs. */
export const terminalTableLines = (layout: TerminalLayout, table: Table): Lines => {
  const columns = shownColumns(table, 'terminal');
  const needed = columns.filter(({ spare }) => spare !== true);
  return (
    columnLines(layout, table, columns) ??
    columnLines(layout, table, needed) ??
    recordLines(layout, table, columns)
  );
};
