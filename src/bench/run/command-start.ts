import { fileURLToPath } from 'node:url';
import type { BenchRow, BenchPart } from '../harness/bench.ts';
import { type CommandLine, runToEnd } from '../harness/processes.ts';
import { weirCommand } from '../harness/run-weir.ts';
import { median } from '../harness/statistics.ts';

const rounds = 10;
const scenario = fileURLToPath(new URL('../../../scenarios/quickstart.yaml', import.meta.url));

interface StartCase {
  readonly what: string;
  readonly command: CommandLine;
  /** In ms. */
  readonly atMost: number | null;
}

const bareNode: StartCase = {
  what: 'node -e 0',
  command: [process.execPath, '-e', '0'],
  atMost: null,
};
const cases: readonly StartCase[] = [
  bareNode,
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
  const { code } = await runToEnd(command);
  const elapsed = performance.now() - before;
  if (code !== 0) throw new Error(`${what} ended with exit code ${code}`);
  return elapsed;
};

/** How long the command takes from its start to its end, beside a bare Node. */
export const measureCommandStart: BenchPart = async (say) => {
  const times = new Map(cases.map((startCase) => [startCase, [] as number[]]));
  // The first round fills the compile cache.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [startCase, measured] of times) {
      const elapsed = await timeOf(startCase);
      if (round > 0) measured.push(elapsed);
    }
  }
  const bare = median(times.get(bareNode)!);
  return [...times].map(([{ what, atMost }, measured]): BenchRow => {
    const [least, most] = [Math.min(...measured), Math.max(...measured)];
    say(`${what}: ${least.toFixed(0)} … ${most.toFixed(0)} ms in ${rounds} starts`);
    const row = {
      what: `${what}, median of ${rounds} starts`,
      value: median(measured),
      unit: 'ms',
    };
    if (atMost === null) return { ...row, bound: null };
    return { ...row, bound: { kind: 'at most', value: atMost }, reference: bare };
  });
};
