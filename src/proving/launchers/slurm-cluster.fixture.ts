import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import { endProcess } from '../../bench/harness/processes.ts';
import { debianProgram } from '../harness/debian-proxies.ts';
import { outputOf, type ProgramOutput } from '../harness/program-output.ts';
import { freePort, type RunningServer, startServer } from '../harness/server-process.ts';

/** Slurm with three virtual nodes on this machine: Debian's daemons, run by this user, in a separate folder. */

const nodes = ['node0', 'node1', 'node2'] as const;

/** Longer than any job of the tests. */
const patience = 120_000;

interface FinishedJob {
  readonly state: string;
  readonly exitCode: number;
}

export interface SlurmCluster {
  /** Runs a command of Slurm, such as `sbatch`. */
  slurm(words: readonly [string, ...string[]], options?: JobSurroundings): Promise<ProgramOutput>;
  /** How the tasks of a job have ended; waits for them. */
  ended(job: string): Promise<readonly FinishedJob[]>;
  stop(): Promise<void>;
}

interface JobSurroundings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Ports {
  readonly controller: number;
  readonly ofNodes: readonly number[];
}

const configOf = (folder: string, user: string, { controller, ofNodes }: Ports): string => `
ClusterName=weir
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=${controller}
SlurmUser=${user}
SlurmdUser=${user}
AuthInfo=socket=${folder}/munge.socket
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/%n
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/%n.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
MpiDefault=none
SwitchType=switch/none
AccountingStorageType=accounting_storage/none
${nodes
  .map(
    (name, n) =>
      `NodeName=${name} NodeHostname=localhost NodeAddr=127.0.0.1 Port=${ofNodes[n]} CPUs=2 RealMemory=4096`,
  )
  .join('\n')}
PartitionName=all Nodes=ALL Default=YES State=UP
`;

/** The daemon that signs what Slurm's daemons say to each other. */
const startMunge = async (folder: string): Promise<() => Promise<void>> => {
  const program = debianProgram('munged');
  const key = join(folder, 'munge.key');
  await writeFile(key, randomBytes(128), { mode: 0o400 });
  const files = ['socket', 'pid-file', 'log-file', 'seed-file'].map(
    (name) => `--${name}=${join(folder, `munge.${name.replace('-file', '')}`)}`,
  );
  const words = ['--foreground', '--force', `--key-file=${key}`, ...files];
  const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const gone = once(child, 'exit').then(() => {
    throw new Error(`munged ended: ${said}`);
  });
  gone.catch(() => undefined);
  while (!existsSync(join(folder, 'munge.socket'))) await Promise.race([sleep(50), gone]);
  return () => endProcess(child);
};

const jobsIn = (shown: string): readonly FinishedJob[] =>
  [...shown.matchAll(/ JobState=(\w+) .* ExitCode=(\d+):/g)].map(([, state = '', code]) => ({
    state,
    exitCode: Number(code),
  }));

const isUnderWay = ({ state }: FinishedJob): boolean =>
  ['PENDING', 'RUNNING', 'COMPLETING', 'CONFIGURING'].includes(state);

const clusterIn = (folder: string): Omit<SlurmCluster, 'stop'> => {
  const slurm: SlurmCluster['slurm'] = ([name, ...words], { env, ...rest } = {}) =>
    outputOf(debianProgram(name), words, {
      ...rest,
      env: { ...env, SLURM_CONF: join(folder, 'slurm.conf') },
    });
  const ended: SlurmCluster['ended'] = async (job) => {
    for (const until = performance.now() + patience; ; await sleep(250)) {
      const { stdout } = await slurm(['scontrol', 'show', 'job', '--oneliner', job]);
      const jobs = jobsIn(stdout);
      if (jobs.length > 0 && !jobs.some(isUnderWay)) return jobs;
      if (performance.now() > until) throw new Error(`the job does not end: ${stdout}`);
    }
  };
  return { slurm, ended };
};

/** Starts the daemons and waits until all nodes are idle. Throws `Unavailable` if Slurm is not installed. */
export const startSlurm = async (): Promise<SlurmCluster> => {
  const programs = ['slurmctld', 'slurmd', 'sbatch', 'munged'].map(debianProgram);
  const [controller = '', worker = ''] = programs;
  const folder = await mkdtemp(join(tmpdir(), 'weir-slurm-'));
  const stops: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  const cluster = clusterIn(folder);
  const stop = async (): Promise<void> => {
    for (const each of stops.toReversed()) await each();
  };
  try {
    stops.push(await startMunge(folder));
    await Promise.all(['state', ...nodes].map((name) => mkdir(join(folder, name))));
    const [port = 0, ...ofNodes] = await Promise.all(['', ...nodes].map(freePort));
    const { username } = userInfo();
    const ports = { controller: port, ofNodes };
    await writeFile(join(folder, 'slurm.conf'), configOf(folder, username, ports));
    const env = { SLURM_CONF: join(folder, 'slurm.conf') };
    const start = async (command: readonly [string, ...string[]], at: number): Promise<void> => {
      const running: RunningServer = await startServer({ command, port: at, env });
      stops.push(running.stop);
    };
    await start([controller, '-D'], port);
    await Promise.all(nodes.map((name, n) => start([worker, '-D', '-N', name], ofNodes[n]!)));
    stops.push(async () => {
      await cluster.slurm(['scancel', `--user=${username}`]);
    });
    const idle = async () => (await cluster.slurm(['sinfo', '--noheader', '-o', '%D %t'])).stdout;
    const until = performance.now() + 30_000;
    while ((await idle()).trim() !== `${nodes.length} idle`) {
      if (performance.now() > until) throw new Error(`the nodes are not idle: ${await idle()}`);
      await sleep(100);
    }
    return { ...cluster, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};
