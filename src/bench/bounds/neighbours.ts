import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type CommandLine, endProcess, hasEnded, pinnedTo } from '../harness/processes.ts';

/** What disturbs a load generator: other programs, a quota, and pauses of its whole process. */

/** The core of the gateway, and that of a load generator that is bound to one. */
const gatewayCore = 0;
const generatorCore = 1;

export interface Neighbour {
  readonly name: string;
  /** Where the load generator runs: wherever the system lets it, on its own core, or before all other programs, as the gateway then does too. */
  readonly place: 'anywhere' | 'own core' | 'real-time class';
  /** Disturbs it until the returned function is called, after its end; `null` where this machine does not allow it. */
  readonly disturb: (generator: ChildProcess, scantCpu: number) => (() => Promise<void>) | null;
}

export const noNeighbour: Neighbour = {
  name: 'none',
  place: 'anywhere',
  disturb: () => () => Promise.resolve(),
};

/** As if nothing else ran on the machine. */
export const undisturbed: Neighbour = {
  ...noNeighbour,
  name: 'none, in the real-time class',
  place: 'real-time class',
};

/** Whether this user may start programs in the real-time class. */
export const canBeUndisturbed = spawnSync('chrt', ['-r', '1', 'true']).status === 0;

/** How the gateway and the load generator of a run beside this neighbour are started. */
export const placedBy = ({ place }: Neighbour) => {
  const first = (command: CommandLine): CommandLine => ['chrt', '-r', '1', ...command];
  if (place === 'real-time class') return { gateway: first, generator: first };
  return {
    gateway: (command: CommandLine) => pinnedTo(gatewayCore, command),
    generator: (command: CommandLine) =>
      place === 'own core' ? pinnedTo(generatorCore, command) : command,
  };
};

/** Runs until its parent is gone, so that none outlives a bench. */
const whileParentLives = (body: string): string =>
  `const parent = process.ppid; while (process.ppid === parent) { ${body} }`;

const program =
  (core: number, body: string): Neighbour['disturb'] =>
  () => {
    const [command, ...words] = pinnedTo(core, [process.execPath, '-e', whileParentLives(body)]);
    const child = spawn(command, words, { stdio: 'ignore' });
    return () => endProcess(child);
  };

const bursts =
  'for (const end = performance.now() + 50; performance.now() < end;); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250);';

/** Where CPU quotas can be set: the controller's folder in cgroup v1, the root in v2. */
const quotas = [
  { root: '/sys/fs/cgroup/cpu', file: 'cpu.cfs_quota_us', text: (us: number) => String(us) },
  { root: '/sys/fs/cgroup', file: 'cpu.max', text: (us: number) => `${us} 100000` },
];

const limitCpu: Neighbour['disturb'] = ({ pid }, share) => {
  for (const { root, file, text } of quotas) {
    const group = join(root, `weir-truth-${pid}`);
    try {
      mkdirSync(group);
    } catch {
      continue;
    }
    // Made by the kernel with the group: where it is absent, the controller is not handed down to here.
    if (existsSync(join(group, file))) {
      writeFileSync(join(group, file), text(share * 100_000));
      writeFileSync(join(group, 'cgroup.procs'), String(pid));
      return async () => rmdirSync(group);
    }
    rmdirSync(group);
  }
  return null;
};

/** Stops the whole process for `still` ms after each `moving` ms. */
export const stops = (still: number, moving: number): Neighbour => ({
  name: `stopped for ${still} ms every ${still + moving} ms`,
  place: 'anywhere',
  disturb: (generator) => {
    const pause = async (): Promise<void> => {
      while (!hasEnded(generator)) {
        await setTimeout(moving);
        generator.kill('SIGSTOP');
        await setTimeout(still);
        generator.kill('SIGCONT');
      }
    };
    const paused = pause();
    return () => paused;
  },
});

export const neighbours: readonly Neighbour[] = [
  noNeighbour,
  { name: 'busy gateway core', place: 'own core', disturb: program(gatewayCore, '') },
  { name: 'bursts of 50 ms', place: 'own core', disturb: program(generatorCore, bursts) },
  { name: 'CPU quota', place: 'own core', disturb: limitCpu },
  stops(5, 95),
  stops(50, 250),
  stops(500, 700),
];
