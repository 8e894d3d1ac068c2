import { outcomeKinds } from '../../model/observation/outcome.ts';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TransportName, transportNames } from '../../model/observation/exchange.ts';
import type { BenchRow } from '../harness/bench.ts';
import { hasEnded, memoryOf } from '../harness/pinned-processes.ts';
import { type StreamEmitter, startStreamEmitter } from '../harness/start-stream-emitter.ts';
import { startWeirRun, streamScenario, type WeirRun } from '../harness/run-weir.ts';

/**
 * Ten thousand streams at once by one whole run of Weir: whether all of them come to their end, and what
 * each takes. Nobody collects garbage for the figure: it is the highest resident memory of the process while all
 * streams were open, above the last one before the first stream began.
 */

const streams = 10_000;
/** One event a second; the first stream goes on until well after the last has begun. */
const gap = 1000;
const tokens = 14;
const rampUp = 6;
/** Beside the sockets: the program's own files. */
const neededDescriptors = streams + 500;

/** How many files a process may have open here; Node raises the soft limit to the hard one by itself. */
const maxDescriptors = async (): Promise<number> => {
  const limits = await readFile('/proc/self/limits', 'utf8');
  const [, hard = ''] = /Max open files\s+\S+\s+(\S+)/.exec(limits) ?? [];
  return hard === 'unlimited' ? Number.POSITIVE_INFINITY : Number(hard);
};

/** In bytes. */
interface Memory {
  readonly idle: number;
  readonly highest: number;
}

/** Follows a run until the first stream has ended, or the run itself. */
const trackMemory = async (emitter: StreamEmitter, { child }: WeirRun): Promise<Memory> => {
  let idle = Number.NaN;
  let highest = Number.NaN;
  for (;;) {
    if (hasEnded(child)) return { idle, highest };
    const memory = await memoryOf(child.pid);
    const { begun, ended } = await emitter.count();
    if (begun === 0) idle = memory;
    if (ended > 0) return { idle, highest };
    if (begun >= streams) highest = Number.isNaN(highest) ? memory : Math.max(highest, memory);
    await sleep(50);
  }
};

/** How many requests did not end as they should. */
const failed = async (run: WeirRun): Promise<number> => {
  const result = await run.result();
  const count = (kind: (typeof outcomeKinds)[number]): number =>
    result.timeline.reduce((sum, { outcomes }) => sum + outcomes[kind], 0);
  const others = outcomeKinds.filter((kind) => kind !== 'completed').map(count);
  const notCompleted = others.reduce((sum, some) => sum + some, 0);
  return notCompleted + Math.max(0, streams - count('completed') - notCompleted);
};

const measure = async (transport: TransportName): Promise<Memory & { failed: number }> => {
  const emitter = await startStreamEmitter({ gap, tokens, certificate: null });
  try {
    const duration = `${rampUp + 1}s`;
    const load = { kind: 'closed', users: streams, duration, rampUp: `${rampUp}s` };
    const fields = { inFlight: streams, grace: '60s', transport };
    const target = `http://127.0.0.1:${emitter.port}/v1`;
    const run = await startWeirRun(streamScenario({ target, load, ...fields }));
    try {
      const memory = await trackMemory(emitter, run);
      return { ...memory, failed: await failed(run) };
    } finally {
      await run.stop();
    }
  } finally {
    await emitter.stop();
  }
};

const rowsFor = async (
  transport: TransportName,
  say: (text: string) => void,
): Promise<readonly BenchRow[]> => {
  const isBound = transport === 'socket';
  const name = `${transport}, ${streams} streams at once in one run`;
  const row = (what: string, value: number, unit: string, bound: number): BenchRow => ({
    what: `${name}: ${what}`,
    value,
    unit,
    bound: isBound ? { kind: 'at most', value: bound } : null,
  });
  const most = await maxDescriptors();
  const rows = (failures: number, each: number): readonly BenchRow[] => [
    row('requests that did not complete', failures, '', 0),
    row('memory for each, above the process’s idle one', each, 'KiB', 16),
  ];
  if (most < neededDescriptors) {
    say(
      `${name}: not measured: a process needs ${neededDescriptors} open files and may have ${most}; raise it with \`ulimit -n ${neededDescriptors}\` (as root) or the container's \`--ulimit nofile\``,
    );
    return rows(Number.NaN, Number.NaN);
  }
  const { idle, highest, failed: failures } = await measure(transport);
  say(
    `${name}: ${Math.round(idle / 2 ** 20)} MiB idle, at most ${Math.round(highest / 2 ** 20)} MiB, ${failures} failed`,
  );
  return rows(failures, (highest - idle) / streams / 1024);
};

export const benchStreamMemory = async (
  say: (text: string) => void,
): Promise<readonly BenchRow[]> => {
  const rows: BenchRow[] = [];
  for (const transport of transportNames.toReversed())
    rows.push(...(await rowsFor(transport, say)));
  return rows;
};
