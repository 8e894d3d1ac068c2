import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { openRequestsTable, requestLines, tableFormatOf } from '../../run/input/requests-table.ts';
import { atMost, type BenchPart, type BenchRow, benchRow } from '../harness/bench.ts';
import { openTempFolder } from '../harness/run-weir.ts';
import { longRunObservation } from './report-size.ts';

const rows = 1_000_000;
/** So many observations are made at once, so that making them does not count. */
const batch = 10_000;

const measureTable = async (name: string, say: (text: string) => void): Promise<BenchRow[]> => {
  await using folder = await openTempFolder();
  const path = join(folder.path, name);
  const format = tableFormatOf(path);
  const lineOf = requestLines(format, { plan: samplePlan(), zero: Date.parse('2026-07-01') });
  const table = await openRequestsTable(path);
  /** In µs of CPU. */
  let adding = 0;
  for (let from = 0; from < rows; from += batch) {
    const observations = Array.from({ length: batch }, (_, i) => longRunObservation(from + i));
    const before = process.cpuUsage();
    for (const observation of observations) table.add(lineOf(observation));
    const { user, system } = process.cpuUsage(before);
    adding += user + system;
    // The file's lines are written meanwhile.
    await new Promise(setImmediate);
  }
  say(`${name}: ${rows} rows in ${(adding / 1e6).toFixed(1)} s of CPU`);
  const begun = performance.now();
  await table.complete();
  const completing = performance.now() - begun;
  const { size } = await stat(path);
  const title = `a table of ${rows.toLocaleString('en-US')} requests as ${format}`;
  return [
    benchRow(`${title}: CPU of a row during the load`, 'µs', adding / rows, atMost(50)),
    benchRow(`${title}: the file after the load`, 's', completing / 1000, atMost(120)),
    benchRow(`${title}: its size`, 'MB', size / 1e6),
  ];
};

/** What `--requests` costs during the load and after it. */
export const measureRequestsTable: BenchPart = async (say) => [
  ...(await measureTable('requests.csv', say)),
  ...(await measureTable('requests.parquet', say)),
];
