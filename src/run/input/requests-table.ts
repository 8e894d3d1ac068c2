import { extname } from 'node:path';
import type { Observation } from '../../model/observation/observation.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { parquetConverter } from '../../platform/files/parquet.ts';
import { openTableFile, type TableFile } from '../../platform/files/table-file.ts';
import { Problem } from '../../platform/problem.ts';
import {
  type RequestCell,
  requestColumns,
  requestRow,
  type RowContext,
} from '../../record/request-columns.ts';
import { csvCell } from '../../report/text/csv.ts';

/** The formats of a table of requests. The name of a format is also the extension of the file. */
export const tableFormats = ['csv', 'parquet'] as const;
export type TableFormat = (typeof tableFormats)[number];

/**
 * Returns the format of a table from the extension of its file. Throws a `Problem` for any extension other than `.csv`
 * and `.parquet`.
 */
export const tableFormatOf = (path: string): TableFormat => {
  const ending = extname(path).toLowerCase();
  const format = tableFormats.find((each) => ending === `.${each}`);
  if (format !== undefined) return format;
  throw new Problem(
    `--requests: expected a file whose name ends in .csv or .parquet, for example requests.csv; got ${path}`,
  );
};

/** Formats a line of CSV, without the line feed at its end. A line ends in CR LF (RFC 4180). */
const csvLine = (cells: readonly RequestCell[]): string => `${cells.map(csvCell).join(',')}\r`;

const csvRow = (cells: readonly RequestCell[]): string =>
  csvLine(
    cells.map((cell, index) =>
      requestColumns[index]?.type === 'instant' ? new Date(Number(cell)).toISOString() : cell,
    ),
  );

const lineOf = { csv: csvRow, parquet: JSON.stringify } as const satisfies Record<
  TableFormat,
  (cells: readonly RequestCell[]) => string
>;

/** Returns a function that formats an observation as a line of a table in the given format. */
export const requestLines = (
  format: TableFormat,
  context: RowContext,
): ((observation: Observation) => string) => {
  const write = lineOf[format];
  return (observation) => write(requestRow(observation, context));
};

/**
 * Opens a table of requests at `path`. Throws a `Problem` if the file cannot be written, or if the library for Parquet
 * is missing.
 */
export const openRequestsTable = async (path: string): Promise<TableFile> => {
  const format = tableFormatOf(path);
  if (format === 'parquet') {
    return openTableFile(path, await parquetConverter(requestColumns, `Weir ${weirVersion()}`));
  }
  const table = await openTableFile(path, null);
  table.add(csvLine(requestColumns.map(({ name }) => name)));
  return table;
};
