// @gate 1 s
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { afterAll, describe, expect, it } from 'vitest';
import { parquetConverter } from '../../platform/files/parquet.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-parquet-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

describe('a Parquet file', () => {
  it('has each cell in its type, and nothing where a cell is null, also over several groups of rows', async () => {
    const columns = [
      { name: 'name', type: 'text' },
      { name: 'count', type: 'integer' },
      { name: 'share', type: 'real' },
      { name: 'good', type: 'boolean' },
      { name: 'at', type: 'instant' },
    ] as const;
    const rows = Array.from({ length: 10_003 }, (_, n) =>
      n === 7
        ? [null, null, null, null, null]
        : [`row ${n}`, n, n / 3, n % 2 === 0, 1_700_000_000_000 + n],
    );
    const convert = await parquetConverter(columns, 'weir test');
    const to = file('old.parquet', 'old');
    await convert(file('rows', `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`), to);
    const bytes = new Uint8Array(readFileSync(to)).buffer;
    const { row_groups: groups, created_by: by } = parquetMetadata(bytes);
    expect([groups.map(({ num_rows: count }) => Number(count)), by]).toEqual([
      [10_000, 3],
      'weir test',
    ]);
    const read = await parquetReadObjects({ file: bytes });
    expect(read).toHaveLength(10_003);
    expect(read[7]).toEqual({ name: null, count: null, share: null, good: null, at: null });
    expect(read[10_002]).toEqual({
      name: 'row 10002',
      count: 10_002n,
      share: 3334,
      good: true,
      at: new Date(1_700_000_010_002),
    });
    await convert(file('none', ''), to);
    expect(await parquetReadObjects({ file: new Uint8Array(readFileSync(to)).buffer })).toEqual([]);
  });
});
