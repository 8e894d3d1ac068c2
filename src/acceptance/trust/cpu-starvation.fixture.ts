import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { StartedProgram } from '../harness/weir-process.fixture.ts';

/** Ways to starve a process of CPU on purpose, and to see whether other processes did. */

/** Whether processes can be bound to two cores: one for the generator, one for the gateway. */
export const canBind = spawnSync('taskset', ['-c', '0,1', 'true']).status === 0;

type CommandPrefix = readonly [string, ...string[]];

/** Starts a Node on one core. */
export const nodeOnCore = (core: number): CommandPrefix => [
  'taskset',
  '-c',
  String(core),
  process.execPath,
];

/**
 * Starts a Node on one core with a lower priority than the others there: with equal priority the
 * scheduler would prefer a process that needs little CPU, and it would hardly be starved.
 */
export const lowPriorityNodeOnCore = (core: number): CommandPrefix => [
  'nice',
  '-n',
  '5',
  ...nodeOnCore(core),
];

/**
 * Starts a Node that no other process starves: in the real-time class where that is allowed (root). A
 * better `nice` is not enough: the scheduler lets the running process finish its slice of three
 * milliseconds, and divides the CPU by sessions first.
 */
export const realTimeNode: CommandPrefix =
  spawnSync('chrt', ['-r', '1', 'true']).status === 0
    ? ['chrt', '-r', '1', process.execPath]
    : [process.execPath];

const busyProcesses = new Set<ChildProcess>();
const groups = new Set<string>();

/** Ends the busy loops and removes the cgroups of each test. */
export const releaseCpuAfterEach = (): void => {
  afterEach(async () => {
    const gone = [...busyProcesses].map((busyProcess) => once(busyProcess, 'exit'));
    for (const busyProcess of busyProcesses) busyProcess.kill('SIGKILL');
    await Promise.all(gone);
    busyProcesses.clear();
    for (const group of groups) rmdirSync(group);
    groups.clear();
  });
};

/** Computes as long as its parent lives, so that no loop outlives the test. */
const busyLoop = 'const parent = process.ppid; while (process.ppid === parent);';

/** Starts busy loops on one core. */
export const startBusyLoops = (count: number, core: number): void => {
  const [program, ...words] = nodeOnCore(core);
  for (let i = 0; i < count; i += 1) {
    busyProcesses.add(spawn(program, [...words, '-e', busyLoop], { stdio: 'ignore' }));
  }
};

/** Where CPU quotas can be set: the controller's folder in cgroup v1, the root in v2. */
const quotas = [
  { root: '/sys/fs/cgroup/cpu', file: 'cpu.cfs_quota_us', text: (us: number) => String(us) },
  { root: '/sys/fs/cgroup', file: 'cpu.max', text: (us: number) => `${us} 100000` },
];

/**
 * A cgroup that may use `share` of one core, and the words that start a program inside it; `null`
 * where this machine does not let us make one.
 */
export const cpuLimitedGroup = (share: number): CommandPrefix | null => {
  for (const { root, file, text } of quotas) {
    const group = join(root, `weir-test-${process.pid}`);
    try {
      mkdirSync(group);
      groups.add(group);
      // Made by the kernel with the group: where it is absent, the controller is not handed down to here.
      if (!existsSync(join(group, file))) continue;
      writeFileSync(join(group, file), text(Math.round(share * 100_000)));
      return ['sh', '-c', `echo $$ > ${group}/cgroup.procs && exec "$@"`, 'sh'];
    } catch {
      continue;
    }
  }
  return null;
};

/** What a loop of timers saw of its machine. */
export interface TimerLateness {
  /** How late its timers were, in ms. */
  readonly p99: number;
  readonly max: number;
}

const timers = `
  const late = []; let due = performance.now() + 5;
  const tick = () => {
    const now = performance.now(); late.push(now - due); due = now + 5; setTimeout(tick, 5);
  };
  setTimeout(tick, 5);
  process.stdin.on('end', () => {
    const sorted = late.slice(20).sort((a, b) => a - b);
    console.log(JSON.stringify({ p99: sorted[Math.floor(sorted.length * 0.99)], max: sorted.at(-1) }));
    process.exit();
  }).resume();
`;

/** A bare loop of timers that starts as the generator does, as a ruler: what it sees late, the generator cannot have had in time. */
export const measureTimerLateness = ([
  program,
  ...words
]: CommandPrefix): (() => Promise<TimerLateness>) => {
  const child = spawn(program, [...words, '-e', timers], { stdio: ['pipe', 'pipe', 'ignore'] });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  return async () => {
    child.stdin.end();
    await once(child, 'close');
    return JSON.parse(stdout) as TimerLateness;
  };
};

/** Pauses a process again and again, `still` ms after each `moving` ms, until the returned function is called. */
export const pauseRepeatedly = (
  { child }: StartedProgram,
  still: number,
  moving: number,
): (() => void) => {
  let timer: NodeJS.Timeout;
  const stop = (): void => {
    child.kill('SIGSTOP');
    timer = setTimeout(go, still);
  };
  const go = (): void => {
    child.kill('SIGCONT');
    timer = setTimeout(stop, moving);
  };
  go();
  return () => {
    clearTimeout(timer);
    child.kill('SIGCONT');
  };
};
