import { fileURLToPath } from 'node:url';
import { atMost, type BenchPart, benchRow, type BenchRow } from '../harness/bench.ts';
import { type CommandLine, runToEnd } from '../harness/processes.ts';
import { weirCommand } from '../harness/run-weir.ts';
import { alternate, median } from '../harness/statistics.ts';

const rounds = 10;
const scenario = fileURLToPath(new URL('../../../scenarios/quickstart.yaml', import.meta.url));

/** What runs, and the most that it may take, in ms. */
const cases: readonly (readonly [string, CommandLine, number | null])[] = [
  ['node -e 0', [process.execPath, '-e', '0'], null],
  ['weir --version', [...weirCommand, '--version'], 150],
  ['weir validate, the quickstart', [...weirCommand, 'validate', scenario], 300],
];

/** How long the command takes from its start to its end, beside a bare Node. */
export const measureCommandStart: BenchPart = async (say) => {
  const measured = await alternate(rounds + 1, cases, async ([what, command]) => {
    const before = performance.now();
    const { code } = await runToEnd(command);
    if (code !== 0) throw new Error(`${what} ended with exit code ${code}`);
    return performance.now() - before;
  });
  const bareTimes = measured.get(cases[0]!)!.slice(1);
  return [...measured].map(([[what, , most], all]): BenchRow => {
    // The first round fills the compile cache.
    const times = all.slice(1);
    const range = [Math.min(...times), Math.max(...times)].map((time) => time.toFixed(0));
    say(`${what}: ${range.join(' … ')} ms in ${rounds} starts`);
    const row = benchRow(`${what}, median of ${rounds} starts`, median(times), 'ms');
    return most === null ? row : { ...row, bound: atMost(most), reference: median(bareTimes) };
  });
};
