import { fileURLToPath } from 'node:url';
import type { Bench, BenchRow } from '../harness/bench.ts';
import { median } from '../harness/median.ts';
import { runPinned } from '../harness/pinned-processes.ts';
import { weirCommand } from '../harness/run-weir.ts';

/** How long the command takes to say something, from its start to its end, beside a bare Node. */

const rounds = 10;

const scenario = fileURLToPath(new URL('../../../scenarios/quickstart.yaml', import.meta.url));

interface StartCase {
  readonly what: string;
  readonly command: readonly [string, ...string[]];
  /** ms. */
  readonly atMost: number | null;
}

const starts: readonly StartCase[] = [
  { what: 'node -e 0', command: [process.execPath, '-e', '0'], atMost: null },
  { what: 'weir --version', command: [...weirCommand, '--version'], atMost: 150 },
  {
    what: 'weir validate, the quickstart',
    command: [...weirCommand, 'validate', scenario],
    atMost: 300,
  },
];

/** In ms. */
const timeOf = async ({ what, command }: StartCase): Promise<number> => {
  const before = performance.now();
  const { code } = await runPinned(null, command);
  const elapsed = performance.now() - before;
  if (code !== 0) throw new Error(`${what} ended with ${code}`);
  return elapsed;
};

export const startBench: Bench = {
  name: 'start',
  about: 'how long the command takes from its start to its end',
  run: async (say) => {
    const times = starts.map(() => [] as number[]);
    // The first start of all fills the compile cache.
    for (let round = 0; round <= rounds; round += 1) {
      for (const [n, start] of starts.entries()) {
        const elapsed = await timeOf(start);
        if (round > 0) times[n]!.push(elapsed);
      }
    }
    const [bare = []] = times;
    return starts.map(({ what, atMost }, n): BenchRow => {
      const own = times[n]!;
      const fastest = Math.min(...own).toFixed(0);
      const slowest = Math.max(...own).toFixed(0);
      say(`${what}: ${fastest} … ${slowest} ms in ${rounds} starts`);
      const row = { what: `${what}, median of ${rounds} starts`, value: median(own), unit: 'ms' };
      return atMost === null
        ? { ...row, bound: null }
        : { ...row, bound: { kind: 'at most', value: atMost }, ruler: median(bare) };
    });
  },
};
