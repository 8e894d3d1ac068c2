import { mkdir, writeFile } from 'node:fs/promises';
import { type Bench, outcomeOf, type Row } from './bench.ts';
import { capacityBench } from './capacity-bench.ts';
import { containerBench } from './container-bench.ts';
import { lagBench } from './lag-bench.ts';
import { limitsBench } from './limits-bench.ts';
import { mockBench } from './mock-bench.ts';
import { memoryBench } from './memory-bench.ts';
import { soakBench } from './soak-bench.ts';
import { streamsBench } from './streams-bench.ts';
import { startBench } from './start-bench.ts';
import { transportBench } from './transport-bench.ts';
import { paceBench } from './pace-bench.ts';
import { reportBench } from './report-bench.ts';
import { workloadBench } from './workload-bench.ts';
import { Problem } from '../platform/problem.ts';

/** `npm run bench [NAME…]`: prints what was measured and leaves it in reports/bench.json; exit 1 when a bound is broken or something could not be measured. */

const benches: readonly Bench[] = [
  mockBench,
  transportBench,
  streamsBench,
  memoryBench,
  lagBench,
  startBench,
  limitsBench,
  paceBench,
  workloadBench,
  capacityBench,
  reportBench,
  containerBench,
  soakBench,
];

const figure = (value: number, unit: string): string =>
  Number.isNaN(value) ? '–' : `${Number(value.toPrecision(4))} ${unit}`;

const table = (rows: readonly Row[]): string => {
  const cells = rows.map((row) => [
    row.what,
    figure(row.value, row.unit),
    row.ruler === undefined ? '' : `bare ${figure(row.ruler, row.unit)}`,
    row.bound === null ? '' : `${row.bound.kind} ${row.bound.value} ${row.unit}`,
    outcomeOf(row) ?? '',
  ]);
  const widths = [0, 1, 2, 3, 4].map((column) =>
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
    if (names.length === 0 && bench.onlyByName === true) {
      console.log(`${bench.name}\nleft out, since it takes long: npm run bench ${bench.name}\n`);
      continue;
    }
    if (names.length > 0 && !names.includes(bench.name)) continue;
    let rows: readonly Row[];
    try {
      rows = await bench.run((text) => console.error(text));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      console.log(`${bench.name}\nnot measured: ${error.message}\n`);
      process.exitCode = 1;
      continue;
    }
    results[bench.name] = rows;
    console.log(`${bench.name}\n${table(rows)}\n`);
  }
  await mkdir('reports', { recursive: true });
  await writeFile('reports/bench.json', `${JSON.stringify(results, null, 2)}\n`);
  const outcomes = new Set(Object.values(results).flat().map(outcomeOf));
  if (outcomes.has('not decided'))
    console.log(
      'Not decided: on this machine, in this run, the bare reference broke the bound too.',
    );
  if (outcomes.has('BROKEN') || outcomes.has('not measured')) process.exitCode = 1;
};
if (unknown.length === 0) await runAll();
