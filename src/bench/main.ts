import { mkdir, writeFile } from 'node:fs/promises';
import { type Bench, isKept, type Row } from './bench.ts';
import { mockBench } from './mock-bench.ts';

/** `npm run bench [NAME…]`: prints what was measured and leaves it in reports/bench.json; exit 1 when a bound is broken. */

const benches: readonly Bench[] = [mockBench];

const table = (rows: readonly Row[]): string => {
  const cells = rows.map((row) => [
    row.what,
    `${Number(row.value.toPrecision(4))} ${row.unit}`,
    row.bound === null ? '' : `${row.bound.kind} ${row.bound.value} ${row.unit}`,
    row.bound === null ? '' : isKept(row) ? 'kept' : 'BROKEN',
  ]);
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...cells.map((line) => line[column]?.length ?? 0)),
  );
  return cells
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => benches.every((bench) => bench.name !== name));
if (unknown.length > 0) {
  const known = benches.map(({ name }) => name).join(', ');
  console.error(`There is no bench ${unknown.join(', ')}; there are: ${known}.`);
  process.exitCode = 2;
}

const runAll = async (): Promise<void> => {
  const results: Record<string, readonly Row[]> = {};
  for (const bench of benches) {
    if (names.length > 0 && !names.includes(bench.name)) continue;
    const rows = await bench.run((text) => console.error(text));
    results[bench.name] = rows;
    console.log(`${bench.name}\n${table(rows)}\n`);
  }
  await mkdir('reports', { recursive: true });
  await writeFile('reports/bench.json', `${JSON.stringify(results, null, 2)}\n`);
  if (!Object.values(results).flat().every(isKept)) process.exitCode = 1;
};
if (unknown.length === 0) await runAll();
