import { existsSync } from 'node:fs';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pairCases } from './pair-cases.ts';
import { percentileWithFailures } from '../../judge/statistics/percentile-with-failures.ts';
import { type PairedRun, runPairs } from './run-pairs.ts';

/**
 * `node src/proving/pairs/main.ts [--only TEXT] [--first N] [--runs N] [--seconds N] [--rate N] [--out FILE.tsv]`: compares
 * each case with its upstream in pairs, in turns, and adds a line for each run: what was true on the wire, and what Weir printed.
 * The seeds of a run follow from its number; the first one has the number `--first`.
 */

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    runs: { type: 'string', default: '1' },
    first: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '15' },
    rate: { type: 'string', default: '20' },
    out: { type: 'string', default: 'pairs.tsv' },
  },
});

const names = values.only.split(';');
const cases = pairCases.filter(({ name }) => names.some((each) => name.includes(each)));
const [first, runs, seconds, rate] = (['first', 'runs', 'seconds', 'rate'] as const).map((name) =>
  Number(values[name]),
) as [number, number, number, number];

interface Estimated {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

const holds = (truth: number, { low, high }: Estimated): string =>
  (low === null || low <= truth) && (high === null || truth <= high) ? 'held' : 'MISSED';

const cells = (truth: number, estimate: Estimated): readonly (string | number | null)[] => [
  truth.toFixed(2),
  ...[estimate.value, estimate.low, estimate.high].map((each) => each?.toFixed(2) ?? '…'),
  holds(truth, estimate),
];

const columns = [
  'at',
  'load',
  'case',
  'seed',
  'pairs',
  'logged',
  ...['median', 'p95', 'moved p95'].flatMap((name) => [
    `true ${name}`,
    name,
    'low',
    'high',
    'held',
  ]),
  'verdict',
  'exit',
  'base',
  'new',
  'bound',
];

const rowOf = (name: string, seed: number, run: PairedRun) => {
  const { report, wire, movedP95, logged, code } = run;
  const [ttft] = report.figures;
  if (ttft === undefined) return [name, seed, 'no figure', report.verdict, code];
  return [
    new Date().toISOString().slice(11, 19),
    loadavg()[0]!.toFixed(1),
    name,
    seed,
    wire.length,
    logged.length === 0 ? '' : percentileWithFailures(logged, 0.5).toFixed(2),
    ...cells(percentileWithFailures(wire, 0.5), ttft.differences[0]!),
    ...cells(percentileWithFailures(wire, 0.95), ttft.differences[1]!),
    ...cells(movedP95, ttft.shifts[1]!),
    report.verdict,
    code,
    report.base.trust,
    report.next.trust,
    ttft.boundBy ?? '',
  ];
};

if (!existsSync(values.out)) await writeFile(values.out, `${columns.join('\t')}\n`);
for (let run = first; run < first + runs; run += 1)
  for (const each of cases) {
    const folder = await mkdtemp(join(tmpdir(), 'weir-pairs-'));
    const seed = run * 100 + pairCases.indexOf(each);
    try {
      const done = await runPairs(each, folder, { seed, rate, seconds });
      await appendFile(values.out, `${rowOf(each.name, seed, done).join('\t')}\n`);
      await appendFile(
        `${values.out}.pairs`,
        `${JSON.stringify({ name: each.name, seed, wire: done.wire.map((ms) => Number(ms.toFixed(3))) })}\n`,
      );
    } catch (error) {
      await appendFile(values.out, `${each.name}\t${seed}\t${String(error)}\n`);
    }
    await rm(folder, { recursive: true });
  }
