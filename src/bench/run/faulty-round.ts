import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { realClock } from '../../mock/clock/real-clock.ts';
import { type Mock, startMock } from '../../mock/gateway/start.ts';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { missingSlices } from '../../model/result/summary.ts';
import { resultSchema } from '../../model/result/result.ts';
import { drawFrom, type Draw } from '../../model/workload/draw.ts';
import { freePort } from '../../proving/harness/server-process.ts';
import { benchApiKey } from '../harness/chat-bytes.ts';
import { endProcess, hasEnded } from '../harness/processes.ts';
import { openTempFolder, weirCommand } from '../harness/run-weir.ts';

/** One run of three workers in which processes are killed, halted or cut off at random moments. */

const planned = 180;
const slices = 3;
const silence = 2000;
/** The longest that a round may take from its last fault on, in ms: silences, drain, last words, and a busy machine. */
const deadline = 45_000;

const natsServer = '/usr/sbin/nats-server';
export const hasNats = existsSync(natsServer);

const scenario = `
name: faulty
traffic: [{ kind: models }]
load: { kind: constant, rate: 60/s, duration: 3s }
limits: { requestsPerMinute: none, tokensPerMinute: none }
`;

interface Party {
  readonly coordinator: ChildProcess;
  readonly workers: readonly ChildProcess[];
  /** The server of the rendezvous, if it is one; restarts it. */
  server: ChildProcess | null;
  startServer: () => Promise<ChildProcess>;
}

type Fault = (party: Party, draw: Draw) => Promise<string>;

const halt = async (process: ChildProcess, ms: number): Promise<void> => {
  process.kill('SIGSTOP');
  await wait(ms);
  process.kill('SIGCONT');
};

const pickOne = <T>(draw: Draw, all: readonly T[]): T => draw.pick(all, () => 1);

/** What can happen, each at a random moment. */
const faults: Readonly<Record<string, Fault>> = {
  'worker killed': async ({ workers }, draw) => {
    const worker = pickOne(draw, workers);
    if (!hasEnded(worker)) await endProcess(worker);
    return '';
  },
  'worker halted': async ({ workers }, draw) => {
    const ms = draw.uniform() * 7000;
    await halt(pickOne(draw, workers), ms);
    return ` for ${(ms / 1000).toFixed(1)} s`;
  },
  'worker stopped': async ({ workers }, draw) => {
    pickOne(draw, workers).kill('SIGTERM');
    return Promise.resolve('');
  },
  'coordinator killed': async ({ coordinator }) => {
    if (!hasEnded(coordinator)) await endProcess(coordinator);
    return '';
  },
  'coordinator halted': async ({ coordinator }, draw) => {
    const ms = draw.uniform() * 5000;
    await halt(coordinator, ms);
    return ` for ${(ms / 1000).toFixed(1)} s`;
  },
  'server killed': async (party, draw) => {
    if (party.server === null) return ' (there is none)';
    const ms = draw.uniform() * 4000;
    await endProcess(party.server);
    await wait(ms);
    party.server = await party.startServer();
    return `, back after ${(ms / 1000).toFixed(1)} s`;
  },
  'server halted': async ({ server }, draw) => {
    if (server === null) return ' (there is none)';
    const ms = draw.uniform() * 4000;
    await halt(server, ms);
    return ` for ${(ms / 1000).toFixed(1)} s`;
  },
};

const rendezvousIn = async (folder: string, isNats: boolean) => {
  if (!isNats) {
    const startServer = (): Promise<ChildProcess> => Promise.reject(new Error('no server'));
    return { address: `file://${folder}/meet`, server: null, startServer };
  }
  const port = await freePort();
  const store = join(folder, 'store');
  const startServer = async (): Promise<ChildProcess> => {
    const child = spawn(natsServer, ['-a', '127.0.0.1', '-p', `${port}`, '-js', '-sd', store], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    for await (const text of child.stderr.setEncoding('utf8'))
      if (String(text).includes('Server is ready')) break;
    child.stderr.resume();
    return child;
  };
  return { address: `nats://127.0.0.1:${port}`, server: await startServer(), startServer };
};

const completedBy = async ({ controlUrl }: Mock): Promise<number> => {
  const counters = (await (await fetch(`${controlUrl}/counters`)).json()) as Record<string, number>;
  return counters['completed'] ?? 0;
};

/** What the joined result says; `null` if there is none. */
const joinedResultIn = async (folder: string) => {
  const text = await readFile(join(folder, 'out', 'result.json'), 'utf8').catch(() => null);
  if (text === null) return null;
  const result = resultSchema.parse(JSON.parse(text));
  const isComplete = result.partial === null && missingSlices(result).length === 0;
  return { isComplete, completed: sumOutcomes(result.groups).completed };
};

/** How a round ended. */
export interface FaultyRound {
  readonly text: string;
  /** Whether the result says that it is complete. */
  readonly isComplete: boolean;
  /** Whether it says so and is not, or counts what was not sent. */
  readonly isWrong: boolean;
  /** Requests that the gateway got after the end. */
  readonly late: number;
  /** Whether a process was still there after the deadline. */
  readonly isHanging: boolean;
}

const untilEnded = async (processes: readonly ChildProcess[]): Promise<boolean> => {
  const until = performance.now() + deadline;
  while (processes.some((process) => !hasEnded(process))) {
    if (performance.now() > until) return false;
    await wait(100);
  }
  return true;
};

const startParty = (folder: string, url: string, address: string) => {
  const environment = {
    ...process.env,
    WEIR_API_KEY: benchApiKey,
    WEIR_HISTORY: 'off',
    CI: '1',
  };
  const weir = (...args: readonly string[]): ChildProcess => {
    const [program, ...flags] = weirCommand;
    return spawn(program, [...flags, ...args], { cwd: folder, env: environment, stdio: 'ignore' });
  };
  const meet = ['--rendezvous', address];
  const shared = [
    '--slices',
    `${slices}`,
    '--silence',
    `${silence}ms`,
    '--wait',
    '12s',
    '--out',
    'out',
  ];
  return {
    coordinator: weir('coordinate', 'faulty.yaml', '--target', url, ...meet, ...shared),
    workers: Array.from({ length: slices }, () =>
      weir('worker', '--no-key-check', '--wait', '12s', ...meet),
    ),
  };
};

/** Runs the faults of a round one after the other; each begins some seconds after the one before. */
const disturb = async (party: Party, draw: Draw): Promise<string> => {
  const count = 1 + Math.floor(draw.uniform() * 2);
  const texts: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const after = draw.uniform() * 13_000;
    const name = pickOne(draw, Object.keys(faults));
    await wait(after);
    texts.push(`${name}${await faults[name]!(party, draw)} after ${(after / 1000).toFixed(1)} s`);
  }
  return texts.join(', ');
};

type Joined = Awaited<ReturnType<typeof joinedResultIn>>;

const endText = (joined: Joined): string =>
  joined === null ? 'no result' : joined.isComplete ? 'complete' : 'incomplete';

const isWrong = (joined: Joined, sent: number): boolean => {
  if (joined === null) return false;
  const { isComplete, completed } = joined;
  return completed > sent || (isComplete && (completed !== planned || sent !== planned));
};

export const runFaultyRound = async (round: number): Promise<FaultyRound> => {
  const draw = drawFrom(24, 0, round);
  await using folder = await openTempFolder();
  await mkdir(join(folder.path, 'meet'));
  await writeFile(join(folder.path, 'faulty.yaml'), scenario);
  const mock = await startMock({ limits: { requestsPerMinute: null } }, realClock());
  const isNats = hasNats && round % 2 === 0;
  const { address, server, startServer } = await rendezvousIn(folder.path, isNats);
  const party: Party = { ...startParty(folder.path, mock.url, address), server, startServer };
  const all = [party.coordinator, ...party.workers];
  try {
    const what = await disturb(party, draw);
    const hasStopped = await untilEnded([party.coordinator]);
    // Who was halted and goes on later is waited for, too: it must send nothing.
    await wait(silence + 500);
    const sent = await completedBy(mock);
    const isHanging = !(await untilEnded(all)) || !hasStopped;
    const late = (await completedBy(mock)) - sent;
    const joined = await joinedResultIn(folder.path);
    const place = isNats ? 'NATS' : 'folder';
    const { exitCode } = party.coordinator;
    const text = `${place}: ${what}: ${endText(joined)}, exit ${exitCode}, ${joined?.completed ?? 0} of ${sent} sent`;
    const isComplete = joined?.isComplete ?? false;
    return { text, isComplete, isWrong: isWrong(joined, sent), late, isHanging };
  } finally {
    for (const each of [...all, ...(party.server === null ? [] : [party.server])]) {
      each.kill('SIGCONT');
      await endProcess(each);
    }
    await mock.close();
  }
};
