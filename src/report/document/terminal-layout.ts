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

/** The terminal that the report is written for. */
export interface TerminalStyle {
  readonly colour: boolean;
  /** Columns of the screen; at least 60 are used. */
  readonly width: number;
}

/** `paint` returns the text unchanged if colour is off. */
export interface TerminalLayout {
  readonly width: number;
  readonly paint: (style: TextStyle, text: string) => string;
}

export const terminalLayout = ({ colour, width }: TerminalStyle): TerminalLayout => ({
  width: Math.max(60, width),
  paint: (style, text) =>
    !colour || style === 'plain' || text === ''
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
  readonly columns: readonly { readonly title: string; readonly align: 'left' | 'right' }[];
  /** A row of one cell is a title across all columns. */
  readonly rows: readonly (readonly TableCell[])[];
}

export const tableGutter = 2;
/** The minimum width of the first column. */
const minFirstColumns = 16;

const naturalWidths = ({ columns, rows }: TerminalTable): number[] =>
  columns.map(({ title }, i) =>
    Math.max(
      displayWidth(title),
      ...rows.map((row) => (row.length === 1 ? 0 : displayWidth(row[i]?.text ?? ''))),
    ),
  );

const sum = (widths: readonly number[]): number =>
  widths.reduce((whole, width) => whole + width + tableGutter, 0);

/** The width of a table if nothing is cut. */
export const tableWidth = (terminalTable: TerminalTable): number =>
  sum(naturalWidths(terminalTable));

/** The width of a table if its first column is cut as far as possible. */
export const minTableWidth = (terminalTable: TerminalTable): number => {
  const [first = 0, ...others] = naturalWidths(terminalTable);
  return sum([Math.min(first, minFirstColumns), ...others]);
};

/** The table's lines, indented by two; the first column is cut if they would be too wide. */
export const tableLines = (
  layout: TerminalLayout,
  terminalTable: TerminalTable,
): readonly string[] => {
  const { columns, rows } = terminalTable;
  const [first = 0, ...others] = naturalWidths(terminalTable);
  const excess = Math.max(0, sum([first, ...others]) - layout.width);
  const widths = [first - excess, ...others];
  const line = (cells: readonly TableCell[]): string => {
    const isTitle = cells.length === 1;
    const parts = cells.map(({ text, style = 'plain' }, i) => {
      const room = isTitle ? layout.width - tableGutter : widths[i]!;
      const side = isTitle ? 'left' : columns[i]!.align;
      const set = paddedText(truncatedText(text, room), room, side);
      return layout.paint(style, i === cells.length - 1 ? set.trimEnd() : set);
    });
    return `${' '.repeat(tableGutter)}${parts.join(' '.repeat(tableGutter))}`.trimEnd();
  };
  const head = line(columns.map(({ title }) => ({ text: title, style: 'quiet' })));
  return [head, ...rows.map(line)];
};
