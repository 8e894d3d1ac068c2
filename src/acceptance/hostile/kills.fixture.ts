import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Draw, drawFrom } from '../../model/workload/draw.ts';
import { launcher, tempFolder, weirProcess } from '../harness/weir-process.fixture.ts';

const load =
  '--target mock --model weir/small --rate 20/s --duration 1s --max-tokens 2 --yes'.split(' ');

/**
 * The commands that measure, and the file that each leaves. A search would go on for minutes, the others for some two
 * seconds.
 */
const measuringCommands = {
  run: { words: ['run', ...load], leaves: 'result.json' },
  workers: { words: ['run', ...load, '--workers', '2'], leaves: 'result.json' },
  repeat: { words: ['run', ...load, '--repeat', '2', '--pause', '0s'], leaves: '1/result.json' },
  capacity: {
    words: ['capacity', ...load.slice(0, 4), '--time', '5m', '--yes'],
    leaves: 'capacity.json',
  },
  limits: { words: ['limits', '--target', 'mock', '--quick', '--yes'], leaves: 'limits.json' },
} as const satisfies Record<string, { words: readonly string[]; leaves: string }>;
type MeasuringCommand = keyof typeof measuringCommands;

type Signals = readonly (readonly [after: number, signal: NodeJS.Signals])[];

interface Blow {
  /**
   * From when the first signal's delay counts: a busy machine takes seconds to start a command, so that none of those
   * which count from the start would meet its load.
   */
  readonly from: 'start' | 'load';
  readonly signals: Signals;
}

interface KilledCommand {
  readonly code: number | null;
  readonly signal: string | null;
  /** From the last signal, or from the end before it, to the end, in ms. */
  readonly took: number;
  /** Processes of its group that were left five seconds after its end. */
  readonly orphans: readonly string[];
  readonly stderr: string;
  readonly folder: string;
}

export interface FoundProcess {
  readonly pid: number;
  readonly command: string;
  readonly parent: number;
  readonly group: number;
}

/** The processes of this machine that have not ended. */
export const runningProcesses = (): readonly FoundProcess[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        if (state === 'Z') return [];
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return { pid: Number(pid), command, parent: Number(parent), group: Number(group) };
      } catch {
        // It ended meanwhile.
        return [];
      }
    });

const commandsOf = (group: number): readonly string[] =>
  runningProcesses().flatMap((each) => (each.group === group ? each.command : []));

/** Waits until a group is empty, at most five seconds. */
const orphansOf = async (group: number): Promise<readonly string[]> => {
  for (let waited = 0; waited < 5000; waited += 50) {
    if (commandsOf(group).length === 0) return [];
    await sleep(50);
  }
  return commandsOf(group);
};

/** What every command says just before its load: the address of the target. */
const loadBegins = /127\.0\.0\.1:\d+\/v1/;

/** Starts a command in a separate process group and sends it signals, each with its delay in ms after the previous one. */
const killed = async (name: MeasuringCommand, { from, signals }: Blow): Promise<KilledCommand> => {
  const folder = join(await tempFolder(), 'out');
  const words = [launcher, ...measuringCommands[name].words, '--out', folder];
  const child = spawn(process.execPath, words, {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'], CI: 'true', NO_COLOR: '1', WEIR_HISTORY: 'off' },
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const closed = once(child, 'close') as Promise<[number | null, string | null]>;
  if (from === 'load') {
    while (!loadBegins.test(stderr) && child.exitCode === null && child.signalCode === null)
      await sleep(20);
  }
  let last = performance.now();
  for (const [after, signal] of signals) {
    await Promise.race([sleep(after), closed]);
    if (child.exitCode !== null || child.signalCode !== null) break;
    last = performance.now();
    child.kill(signal);
  }
  const [code, signal] = await closed;
  const took = performance.now() - last;
  const orphans = await orphansOf(child.pid ?? 0);
  return { code, signal, took, orphans, stderr, folder };
};

/** What a command that was stopped may leave. */
const remainders = [
  'result',
  'checkpoint',
  /** A checkpoint of a run that was killed before its first snapshot. */
  'first seconds',
  /** It was killed, and keeps what it measured only when a step or a run ends. */
  'killed',
  'stopped before the load',
] as const;
type Remainder = (typeof remainders)[number];

/** What a command that was stopped has left, or a sentence that says why that is not enough. */
const whatIsKept = async (
  name: MeasuringCommand,
  { folder, stderr, signal }: KilledCommand,
): Promise<Remainder | (string & {})> => {
  const file = join(folder, measuringCommands[name].leaves);
  if (existsSync(file)) {
    JSON.parse(readFileSync(file, 'utf8'));
    return 'result';
  }
  const hasCheckpoint = existsSync(join(folder, 'checkpoint.jsonl'));
  // SIGKILL, or a signal before anything was opened.
  if (signal !== null && (!hasCheckpoint || (name !== 'run' && name !== 'workers')))
    return loadBegins.test(stderr) ? 'killed' : 'stopped before the load';
  if (!hasCheckpoint)
    return /before the load began/.test(stderr) ? 'stopped before the load' : 'nothing at all';
  const again = await weirProcess(['report', folder, '--out', `${folder}-again`]);
  if (existsSync(join(`${folder}-again`, 'result.json'))) return 'checkpoint';
  return /killed in its first seconds/.test(again.stderr) ? 'first seconds' : again.stderr;
};

/** How long a command may take from its last signal to its end, in ms, on a busy machine too. */
const deadline = 20_000;

/** One to three signals within the seconds that a command lasts. */
const drawBlow = (draw: Draw): Blow => {
  const moment = (): number => Math.floor(draw.uniform() * 2500);
  const gentle = draw.pick(['SIGINT', 'SIGTERM', 'SIGHUP'] as const);
  const signals = draw.pick<Signals>([
    [[moment(), 'SIGKILL']],
    [[moment(), gentle]],
    [
      [moment(), 'SIGINT'],
      [Math.floor(draw.uniform() * 300), gentle],
    ],
    [
      [moment(), 'SIGINT'],
      [50, 'SIGINT'],
      [Math.floor(draw.uniform() * 1000), 'SIGINT'],
    ],
  ]);
  return { from: draw.pick(['start', 'load']), signals };
};

export const measuringCommandNames = Object.keys(measuringCommands) as readonly MeasuringCommand[];

type Table = Partial<Record<Remainder, number>>;

/**
 * Stops or kills a command at random moments: it ends soon, loses nothing and leaves no process. Prints and returns how
 * often it left what.
 */
export const expectKept = async (name: MeasuringCommand, rounds: number): Promise<Table> => {
  const table: Table = {};
  for (let round = 0; round < rounds; round += 1) {
    const blow = drawBlow(drawFrom(19, measuringCommandNames.indexOf(name), round));
    const ended = await killed(name, blow);
    const where = `${JSON.stringify(blow)}: exit ${ended.code} ${ended.signal}\n${ended.stderr}`;
    expect(ended.orphans, where).toEqual([]);
    expect(ended.took, where).toBeLessThan(deadline);
    expect(ended.code, where).not.toBe(1);
    const kept = await whatIsKept(name, ended);
    const remainder = remainders.find((each) => each === kept);
    expect(remainder, `${kept}\n${where}`).toBeDefined();
    table[remainder!] = (table[remainder!] ?? 0) + 1;
  }
  console.log(`${name}: ${JSON.stringify(table)}`);
  return table;
};
