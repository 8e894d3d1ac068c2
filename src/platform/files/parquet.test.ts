import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parquetConverter } from './parquet.ts';

it('the first 10,000 rows are written before further ones are read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-parquet-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [from, to] = [join(folder, 'rows'), join(folder, 'table.parquet')];
  const convert = await parquetConverter([{ name: 'said', type: 'text' }], 'weir test');
  // The library keeps up to a megabyte in memory, and this text cannot be compressed.
  const long = randomBytes(1_000_000).toString('base64');
  writeFileSync(from, `["${long}"]\n${'[""]\n'.repeat(9999)}this row is wrong\n`);
  await expect(convert(from, to)).rejects.toThrow(SyntaxError);
  expect(statSync(to).size).toBeGreaterThan(1_000_000);
});
