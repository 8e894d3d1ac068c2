import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { weirCommand } from '../../bench/harness/run-weir.ts';
import { runProgram } from '../../platform/process/run-program.ts';
import { type PairsReport, pairsSchema } from '../../verbs/compare/model/pairs.ts';
import { percentileWithFailures } from '../../judge/statistics/percentile-with-failures.ts';
import { provingKeys } from '../harness/server-process.ts';
import { type PairCase, startSides } from './pair-cases.ts';
import { type Residences, watchWire, type WatchedWire } from './wire-times.ts';

export interface PairedRun {
  readonly code: number | null;
  readonly report: PairsReport;
  /** By how much longer each request took on the wire at the new side, in ms. */
  readonly wire: readonly number[];
  /** By how much the percentile of the new side is above that of the base on the wire, in ms. */
  readonly movedP95: number;
  /** As the servers themselves logged it; empty for software of others. */
  readonly logged: readonly number[];
}

const differencesOf = (base: Residences, next: Residences): readonly number[] =>
  [...base].flatMap(([id, time]) => {
    const other = next.get(id);
    return other === undefined ? [] : [other - time];
  });

interface RunTerms {
  readonly seed: number;
  readonly rate: number;
  readonly seconds: number;
  readonly words?: readonly string[];
}

const scenarioOf = (host: string, { seed, rate, seconds }: RunTerms): object => ({
  name: 'proving',
  target: `http://${host}/v1`,
  seed,
  warmUp: '0s',
  keys: [{ name: 'base', key: '${env:BASE_KEY}' }],
  wire: { proxy: 'none' },
  traffic: [{ kind: 'chat-stream', model: 'proving/small', prompt: { tokens: 20 }, maxTokens: 5 }],
  load: { kind: 'poisson', rate: `${rate}/s`, duration: `${seconds}s` },
});

/** Compares a case with its upstream by the real program, and looks at the wire meanwhile. */
export const runPairs = async (
  paired: PairCase,
  folder: string,
  terms: RunTerms,
): Promise<PairedRun> => {
  await mkdir(folder, { recursive: true });
  const { base, next, stop } = await startSides(paired, folder);
  let wire: WatchedWire | null = null;
  try {
    const [from, to] = [base.host, next.host].map((host) => Number(host.split(':')[1])) as [
      number,
      number,
    ];
    wire = await watchWire(folder, [from, to]);
    const file = join(folder, 'scenario.json');
    await writeFile(file, JSON.stringify(scenarioOf(base.host, terms)));
    const sides = ['--with', `http://${next.host}/v1`, '--with-key', 'NEW_KEY', '--out', folder];
    const words = ['compare', file, '--paired', ...sides, '--yes', '--quiet'];
    const { code, stderrTail } = await runProgram(
      [...weirCommand, ...words, ...(terms.words ?? [])],
      {
        ...process.env,
        BASE_KEY: provingKeys[0],
        NEW_KEY: provingKeys[1],
        GITHUB_STEP_SUMMARY: '',
      },
    );
    const [ofBase, ofNext] = await wire.times();
    const path = join(folder, 'pairs.json');
    if (!existsSync(path)) throw new Error(`weir compare left no pairs: ${stderrTail}`);
    const p95 = (times: Residences): number => percentileWithFailures([...times.values()], 0.95);
    return {
      code,
      report: pairsSchema.parse(JSON.parse(await readFile(path, 'utf8'))),
      wire: differencesOf(ofBase, ofNext),
      movedP95: p95(ofNext) - p95(ofBase),
      logged: next.log === undefined ? [] : differencesOf(base.log, next.log),
    };
  } finally {
    await wire?.stop();
    await stop();
  }
};
