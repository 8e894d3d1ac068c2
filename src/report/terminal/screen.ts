import { styleText } from 'node:util';
import { columnsOf, fitted, padded, wrapped } from './columns.ts';

/** The few styles of a terminal report. */
export type Style = 'strong' | 'quiet' | 'good' | 'warning' | 'bad' | 'plain';

const styles = {
  strong: 'bold',
  quiet: 'dim',
  good: 'green',
  warning: 'yellow',
  bad: 'red',
  plain: 'reset',
} as const satisfies Record<Style, Parameters<typeof styleText>[0]>;

/** What the report is written for: `paint` gives the text unchanged where colour is not wanted. */
export interface Screen {
  readonly width: number;
  readonly paint: (style: Style, text: string) => string;
}

export const screenOf = (options: { colour: boolean; width: number }): Screen => ({
  width: Math.max(60, options.width),
  paint: (style, text) =>
    !options.colour || style === 'plain' || text === ''
      ? text
      : styleText(styles[style], text, { validateStream: false }),
});

/** A paragraph, wrapped and indented. */
export const paragraph = (
  { width, paint }: Screen,
  text: string,
  { indent = 2, style = 'plain' }: { readonly indent?: number; readonly style?: Style } = {},
): readonly string[] =>
  wrapped(text, width - indent).map((line) => ' '.repeat(indent) + paint(style, line));

export interface Cell {
  readonly text: string;
  readonly style?: Style;
}

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Columns from this one on stand at the right. */
  readonly rightFrom: number;
}

const gutter = 2;

/** A row of one cell is a title: it stands over all columns. */
const naturalColumns = ({ head, rows }: Table): number[] =>
  head.map((title, i) =>
    Math.max(
      columnsOf(title),
      ...rows.map((row) => (row.length === 1 ? 0 : columnsOf(row[i]?.text ?? ''))),
    ),
  );

const sum = (columns: readonly number[]): number =>
  columns.reduce((whole, column) => whole + column + gutter, 0);

/** The columns that a table takes when nothing is cut. */
export const tableWidth = (table: Table): number => sum(naturalColumns(table));

/**
 * The table's lines, indented by two; a row of one cell is a title across all columns. When they would be too wide, the first column gives way, then
 * columns at the right are left out.
 */
export const tableLines = (screen: Screen, table: Table): readonly string[] => {
  const { head, rows, rightFrom } = table;
  const columns = naturalColumns(table);
  columns[0] = Math.max(8, (columns[0] ?? 0) - Math.max(0, sum(columns) - screen.width));
  while (columns.length > 1 && sum(columns) > screen.width) columns.pop();
  const line = (cells: readonly Cell[]): string => {
    const parts = cells.slice(0, columns.length).map(({ text, style = 'plain' }, i) => {
      const room = cells.length === 1 ? screen.width - gutter : (columns[i] ?? 0);
      const set = padded(fitted(text, room), room, i < rightFrom ? 'left' : 'right');
      return screen.paint(style, i === cells.length - 1 ? set.trimEnd() : set);
    });
    return `${' '.repeat(gutter)}${parts.join(' '.repeat(gutter))}`.trimEnd();
  };
  return [line(head.map((text) => ({ text, style: 'quiet' }))), ...rows.map(line)];
};
