import { fileURLToPath } from 'node:url';
import { atMost, type BenchPart, benchRow, type BenchRow, takeTurns } from '../harness/bench.ts';
import { type CommandLine, runToEnd } from '../harness/processes.ts';
import { weirCommand } from '../harness/run-weir.ts';
import { median } from '../harness/statistics.ts';

const rounds = 10;
const scenario = fileURLToPath(new URL('../../../scenarios/quickstart.yaml', import.meta.url));
const bareNode = 'node -e 0';

/** The commands, and the most that they may take, in ms. */
const cases: Readonly<Record<string, readonly [CommandLine, number | null]>> = {
  [bareNode]: [[process.execPath, '-e', '0'], null],
  'weir --version': [[...weirCommand, '--version'], 150],
  'weir validate, the quickstart': [[...weirCommand, 'validate', scenario], 300],
};

/** How long the command takes from its start to its end, beside a bare Node. */
export const measureCommandStart: BenchPart = async (say) => {
  const measured = await takeTurns(say, {
    rounds: rounds + 1,
    candidates: Object.keys(cases),
    measure: async (name) => {
      const before = performance.now();
      await runToEnd(cases[name]![0]);
      return performance.now() - before;
    },
  });
  // The first round fills the compile cache.
  const timesOf = (name: string): readonly number[] => measured[name]!.slice(1);
  return Object.entries(cases).map(([name, [, most]]): BenchRow => {
    const times = timesOf(name);
    const range = [Math.min(...times), Math.max(...times)].map((time) => time.toFixed(0));
    say(`${name}: ${range.join(' … ')} ms in ${rounds} starts`);
    const row = benchRow(`${name}, median of ${rounds} starts`, 'ms', median(times));
    if (most === null) return row;
    return { ...row, bound: atMost(most), reference: median(timesOf(bareNode)) };
  });
};
