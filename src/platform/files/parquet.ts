import { rm } from 'node:fs/promises';
import type * as parquetWriter from 'hyparquet-writer';
import { loadOptional } from '../optional-package.ts';
import { linesOf } from './plain-files.ts';
import type { ConvertLines } from './table-file.ts';

type Value = string | number | boolean | null;

/** A column of a table, and how its cells are stored. Instants are in ms since 1970, UTC. */
export interface ParquetColumn {
  readonly name: string;
  readonly type: 'text' | 'integer' | 'real' | 'boolean' | 'instant';
}

type Storage = Omit<parquetWriter.SchemaElement, 'name' | 'repetition_type'> & {
  readonly isBigInt?: true;
};

const storage: Readonly<Record<ParquetColumn['type'], Storage>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT64', isBigInt: true },
  real: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  instant: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
    isBigInt: true,
  },
};

const schemaOf = (columns: readonly ParquetColumn[]): parquetWriter.SchemaElement[] => [
  { name: 'root', num_children: columns.length },
  ...columns.map(({ name, type }) => {
    const { isBigInt: _, ...stored } = storage[type];
    return { name, repetition_type: 'OPTIONAL' as const, ...stored };
  }),
];

/** The number of rows in one row group. The rows of one group take about thirty megabytes of memory. */
const rowGroupSize = 10_000;

/** Loads the optional Parquet library before the load starts. Throws a `Problem` if the library is not installed. */
const loadLibrary = (): Promise<typeof parquetWriter> =>
  loadOptional(
    () => import('hyparquet-writer'),
    'a Parquet file',
    ['hyparquet-writer'],
    'or name a .csv file',
  );

/**
 * Returns a function that converts a file of lines to a Parquet file. Each line is a JSON array with one cell for each
 * column. The function converts one row group at a time, so memory is bounded. Throws a `Problem` if the Parquet
 * library is not installed.
 */
export const parquetConverter = async (
  columns: readonly ParquetColumn[],
  createdBy: string,
): Promise<ConvertLines> => {
  const { fileWriter, ParquetWriter } = await loadLibrary();
  const columnsOf = (rows: readonly (readonly Value[])[]) =>
    columns.map(({ name, type }, index) => ({
      name,
      data: rows.map((row) => {
        const value = row[index] ?? null;
        return storage[type].isBigInt && value !== null ? BigInt(value) : value;
      }),
    }));
  const schema = schemaOf(columns);
  return async (from, to) => {
    // The old file is removed first. If it were a symbolic link, the writer would overwrite the file behind the link.
    await rm(to, { force: true });
    const writer = new ParquetWriter({ writer: fileWriter(to), schema, createdBy });
    let rows: (readonly Value[])[] = [];
    const writeGroup = async (): Promise<void> => {
      await writer.write({ columnData: columnsOf(rows), rowGroupSize });
      rows = [];
    };
    for await (const line of linesOf(from)) {
      rows.push(JSON.parse(line) as readonly Value[]);
      if (rows.length === rowGroupSize) await writeGroup();
    }
    if (rows.length > 0) await writeGroup();
    await writer.finish();
  };
};
