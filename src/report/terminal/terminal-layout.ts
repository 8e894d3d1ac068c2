import { styleText } from 'node:util';
import { displayWidth, truncatedText, paddedText, wrappedLines } from '../text/display-width.ts';

/** The few styles of a terminal report. */
export type TextStyle = 'strong' | 'quiet' | 'good' | 'warning' | 'bad' | 'plain';

const styles = {
  strong: 'bold',
  quiet: 'dim',
  good: 'green',
  warning: 'yellow',
  bad: 'red',
  plain: 'reset',
} as const satisfies Record<TextStyle, Parameters<typeof styleText>[0]>;

/** What the report is written for: `paint` gives the text unchanged where colour is not wanted. */
export interface TerminalLayout {
  readonly width: number;
  readonly paint: (style: TextStyle, text: string) => string;
}

export const terminalLayout = (options: { colour: boolean; width: number }): TerminalLayout => ({
  width: Math.max(60, options.width),
  paint: (style, text) =>
    !options.colour || style === 'plain' || text === ''
      ? text
      : styleText(styles[style], text, { validateStream: false }),
});

/** A paragraph, wrapped and indented. */
export const paragraph = (
  { width, paint }: TerminalLayout,
  text: string,
  { indent = 2, style = 'plain' }: { readonly indent?: number; readonly style?: TextStyle } = {},
): readonly string[] =>
  wrappedLines(text, width - indent).map((line) => ' '.repeat(indent) + paint(style, line));

export interface TableCell {
  readonly text: string;
  readonly style?: TextStyle;
}

export interface TerminalTable {
  readonly head: readonly string[];
  readonly rows: readonly (readonly TableCell[])[];
  /** Columns from this one on stand at the right. */
  readonly rightFrom: number;
}

const gutter = 2;

/** A row of one cell is a title: it stands over all columns. */
const naturalColumns = ({ head, rows }: TerminalTable): number[] =>
  head.map((title, i) =>
    Math.max(
      displayWidth(title),
      ...rows.map((row) => (row.length === 1 ? 0 : displayWidth(row[i]?.text ?? ''))),
    ),
  );

const sum = (columns: readonly number[]): number =>
  columns.reduce((whole, column) => whole + column + gutter, 0);

/** The columns that a table takes when nothing is cut. */
export const tableWidth = (table: TerminalTable): number => sum(naturalColumns(table));

/**
 * The table's lines, indented by two; a row of one cell is a title across all columns. When they would be too wide, the first column gives way, then
 * columns at the right are left out.
 */
export const tableLines = (layout: TerminalLayout, table: TerminalTable): readonly string[] => {
  const { head, rows, rightFrom } = table;
  const columns = naturalColumns(table);
  columns[0] = Math.max(8, (columns[0] ?? 0) - Math.max(0, sum(columns) - layout.width));
  while (columns.length > 1 && sum(columns) > layout.width) columns.pop();
  const line = (cells: readonly TableCell[]): string => {
    const parts = cells.slice(0, columns.length).map(({ text, style = 'plain' }, i) => {
      const room = cells.length === 1 ? layout.width - gutter : (columns[i] ?? 0);
      const set = paddedText(truncatedText(text, room), room, i < rightFrom ? 'left' : 'right');
      return layout.paint(style, i === cells.length - 1 ? set.trimEnd() : set);
    });
    return `${' '.repeat(gutter)}${parts.join(' '.repeat(gutter))}`.trimEnd();
  };
  return [line(head.map((text) => ({ text, style: 'quiet' }))), ...rows.map(line)];
};
