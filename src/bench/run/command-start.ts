import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { atMost, type BenchPart, benchRow, type BenchRow, takeTurns } from '../harness/bench.ts';
import { type CommandLine, endProcess, exactCpuOf } from '../harness/processes.ts';
import { openTempFolder, weirCommand } from '../harness/run-weir.ts';
import { median } from '../harness/statistics.ts';

const rounds = 15;
const scenario = fileURLToPath(new URL('../../../scenarios/quickstart.yaml', import.meta.url));
const bareNode = 'node -e 0';
const untilLoad = 'weir run, the quickstart until its load begins';

/** What a start took, in ms. */
interface StartCost {
  readonly cpu: number;
  readonly wall: number;
}

/** Runs a command to its end. Its CPU time, user and system, comes from the shell's `time`, to the millisecond. */
const costOfWhole = async (command: CommandLine): Promise<StartCost> => {
  const script = 'TIMEFORMAT="%3R %3U %3S"; time "$@" >/dev/null';
  const { stderr } = await promisify(execFile)('bash', ['-c', script, 'bash', ...command], {
    env: { ...process.env, LC_ALL: 'C' },
  });
  const [wall = Number.NaN, user = Number.NaN, system = Number.NaN] = stderr
    .trim()
    .split('\n')
    .at(-1)!
    .split(' ')
    .map((seconds) => Number(seconds) * 1000);
  return { cpu: user + system, wall };
};

/** What the quickstart's run takes until it says that its load begins; its gateway and self-test are separate processes. */
const costUntilLoad = async (): Promise<StartCost> => {
  await using folder = await openTempFolder();
  const before = performance.now();
  const [program, ...words] = [...weirCommand, 'run', scenario, '--out', folder.path] as const;
  const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    for await (const line of createInterface({ input: child.stderr })) {
      if (line.includes('Ctrl-C ends it early')) {
        return { cpu: (await exactCpuOf(child.pid)) * 1000, wall: performance.now() - before };
      }
    }
    throw new Error('the run ended before its load began');
  } finally {
    child.kill('SIGINT');
    child.kill('SIGINT');
    await Promise.race([once(child, 'exit'), new Promise((done) => setTimeout(done, 10_000))]);
    await endProcess(child);
  }
};

/** The starts, and the most that each may take, in starts of a bare Node. */
const starts: Readonly<Record<string, readonly [() => Promise<StartCost>, number | null]>> = {
  [bareNode]: [() => costOfWhole([process.execPath, '-e', '0']), null],
  'weir --version': [() => costOfWhole([...weirCommand, '--version']), 3],
  'weir validate, the quickstart': [() => costOfWhole([...weirCommand, 'validate', scenario]), 6],
  [untilLoad]: [costUntilLoad, 12],
};

/** What commands of this checkout take from their start to their end, in starts of a bare Node. */
export const measureCommandStart: BenchPart = async (say) => {
  const measured = await takeTurns(say, {
    rounds: rounds + 1,
    candidates: Object.keys(starts),
    measure: (name) => starts[name]![0](),
  });
  // The first round fills the compile cache.
  const medianOf = (name: string, of: keyof StartCost): number =>
    median(measured[name]!.slice(1).map((cost) => cost[of]));
  return Object.entries(starts).flatMap(([name, [, most]]): readonly BenchRow[] =>
    (['cpu', 'wall'] as const).map((of) => {
      const label = of === 'cpu' ? 'CPU' : 'time';
      const own = medianOf(name, of);
      if (most === null) return benchRow(`${name}: ${label}, median of ${rounds}`, 'ms', own);
      say(`${name}: ${label} ${own.toFixed(0)} ms, median of ${rounds} starts`);
      const ratio = own / medianOf(bareNode, of);
      // Until its load begins a run mostly waits for its gateway and a start in the future.
      const bound = of === 'wall' && name === untilLoad ? null : atMost(most);
      return benchRow(`${name}: ${label} against bare Node`, '×', ratio, bound);
    }),
  );
};
