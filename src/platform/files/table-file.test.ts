import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { openTableFile } from './table-file.ts';

const root = mkdtempSync(join(tmpdir(), 'weir-tables-'));
let folder: string;
let n = 0;
beforeEach(() => {
  n += 1;
  folder = join(root, String(n));
  mkdirSync(folder);
});
afterAll(() => rmSync(root, { recursive: true }));
const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8');

it('a table grows in a draft, is renamed when it is whole, and replaces the old one', async () => {
  writeFileSync(join(folder, 'a.csv'), 'old');
  writeFileSync(join(folder, 'a.csv.part'), 'of a killed run');
  const table = await openTableFile(join(folder, 'a.csv'), null);
  const line = 'x'.repeat(40_000);
  table.add(line);
  table.add(line);
  await expect.poll(() => statSync(join(folder, 'a.csv.part')).size, { interval: 5 }).toBe(80_002);
  table.add('last');
  expect(textOf('a.csv')).toBe('old');
  await table.complete();
  expect(textOf('a.csv')).toBe(`${line}\n${line}\nlast\n`);
  expect(readdirSync(folder)).toEqual(['a.csv']);
});

it('a table that is given up leaves the old one', async () => {
  writeFileSync(join(folder, 'a.csv'), 'old');
  const table = await openTableFile(join(folder, 'a.csv'), null);
  table.add('new');
  await table.discard();
  expect(readdirSync(folder)).toEqual(['a.csv']);
  expect(textOf('a.csv')).toBe('old');
});

it('a table is made from its lines, which stay where that fails', async () => {
  const table = await openTableFile(join(folder, 'a.parquet'), async (from, to) =>
    writeFileSync(to, readFileSync(from, 'utf8').toUpperCase()),
  );
  table.add('one');
  await table.complete();
  expect([readdirSync(folder), textOf('a.parquet')]).toEqual([['a.parquet'], 'ONE\n']);
  const failing = await openTableFile(join(folder, 'b.parquet'), () =>
    Promise.reject(new Error('odd')),
  );
  failing.add('two');
  await expect(failing.complete()).rejects.toThrow(
    /b\.parquet cannot be written: .*; its rows are in .*b\.parquet\.rows\.part, as JSON/,
  );
  expect(textOf('b.parquet.rows.part')).toBe('two\n');
});

it('a link leads to the table, and what is no file is refused', async () => {
  writeFileSync(join(folder, 'real.csv'), 'old');
  symlinkSync('real.csv', join(folder, 'link.csv'));
  const table = await openTableFile(join(folder, 'link.csv'), null);
  table.add('new');
  await table.complete();
  expect(textOf('real.csv')).toBe('new\n');
  await expect(openTableFile('/dev/null', null)).rejects.toThrow(
    'expected a file, or a name that is free',
  );
  await expect(openTableFile(join(folder, 'none', 'x.csv'), null)).rejects.toThrow(
    /cannot be written: /,
  );
});
