import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { atLeast, type BenchPart, benchRow, takeTurns } from '../harness/bench.ts';
import { cpuOf, hasEnded, startPinned } from '../harness/processes.ts';
import { startWeirRun, streamScenario } from '../harness/run-weir.ts';
import { type ChatServer, startChatServer } from '../harness/start-chat-server.ts';
import { median, sustainsRate } from '../harness/statistics.ts';
import type { ClosedClientOptions, SdkName } from './closed-client.ts';

const rounds = 5;

interface StreamCase {
  readonly name: string;
  readonly users: number;
  /** As in `ChatServerOptions`. */
  readonly gap: number;
  readonly tokens: number;
  /** Users begin evenly over this time, in ms. */
  readonly rampUp: number;
  /** The rivals, and the least ratio of chunks per second of CPU against each. */
  readonly rivals: readonly (readonly [SdkName, number])[];
}

/** Between the begin of the last user and the measured window, until the code is compiled; both in ms. */
const settleTime = 1000;
const window = 3000;

/** `weir run`, or a rival. */
type Client = 'run' | SdkName;

const startClient = (client: Client, { users, rampUp }: StreamCase, url: string) => {
  if (client !== 'run') {
    const loop = { connections: users, rampUp, warmUp: 0, seconds: 0 };
    const options: ClosedClientOptions = { client, url, calls: 'stream', ...loop };
    return startPinned(1, ['bench/transport/closed-client.ts'], options);
  }
  const load = { kind: 'closed', users, duration: '10m', rampUp: `${rampUp}ms` };
  return startWeirRun(streamScenario({ target: url, load, transport: 'socket' }));
};

/** What one client did in the window; CPU time includes the child processes of a run, in seconds. */
const measureWindow = async (server: ChatServer, client: ChildProcess, users: number) => {
  while ((await server.count()).begun < users) {
    if (hasEnded(client)) throw new Error('a client ended before its streams began');
    await sleep(100);
  }
  await sleep(settleTime);
  const before = { ...(await server.count()), cpu: await cpuOf(client.pid) };
  await sleep(window);
  const after = { ...(await server.count()), cpu: await cpuOf(client.pid) };
  const events = after.events - before.events;
  /** Microseconds per event. */
  const cost = events === 0 ? Number.NaN : ((after.cpu - before.cpu) * 1e6) / events;
  return { events, cost };
};

const measureClient = async (client: Client, streamCase: StreamCase) => {
  const { gap, tokens, users } = streamCase;
  await using server = await startChatServer({ gap, tokens, certificate: null });
  await using started = await startClient(client, streamCase, server.url);
  const { events, cost } = await measureWindow(server, started.child, users);
  // Late events arrive together, are read at once and cost less, which says nothing about the client.
  return { events, cost, isUsable: gap === 0 || sustainsRate(events, (users * window) / gap) };
};

/**
 * What a streamed chunk costs: whole runs, everything recorded, beside widely used clients that only note the arrival
 * time of each token. They alternate on one core.
 */
const streamCostBench =
  (streamCase: StreamCase): BenchPart =>
  async (say) => {
    const { name, rivals } = streamCase;
    const clients: readonly Client[] = ['run', ...rivals.map(([rival]) => rival)];
    const measured = await takeTurns(say, {
      title: name,
      rounds,
      candidates: clients,
      measure: (client) => measureClient(client, streamCase),
      describe: ({ events, cost, isUsable }) =>
        `${Math.round(events / (window / 1000))}/s, ${cost.toFixed(2)} µs of CPU each${isUsable ? '' : ', too slow to count'}`,
    });
    const usable = [...measured.run.keys()].filter((round) =>
      clients.every((client) => measured[client][round]!.isUsable),
    );
    const costs = (client: Client) => usable.map((round) => measured[client][round]!.cost);
    const ownCosts = costs('run');
    // The median, not the best: a delayed client reads several chunks at once, which makes each cheaper.
    return [
      ...clients.map((client) => {
        const what = `${name}: CPU per chunk, ${client}, median of ${usable.length} rounds at the full rate`;
        return benchRow(what, 'µs', median(costs(client)));
      }),
      ...rivals.map(([rival, least]) => {
        const what = `${name}: chunks per second of CPU, weir run against ${rival}`;
        const ratios = costs(rival).map((cost, round) => cost / ownCosts[round]!);
        return benchRow(what, '×', median(ratios), atLeast(least));
      }),
    ];
  };

export const streamCost: readonly BenchPart[] = [
  streamCostBench({
    name: 'paced, 1000 streams × 20/s',
    // Users begin over the length of a stream, so that requests come evenly.
    users: 1000,
    gap: 50,
    tokens: 60,
    rampUp: 3000,
    rivals: [
      ['fetch', 1.8],
      ['openai', 2],
    ],
  }),
  streamCostBench({
    name: 'flat out, 4 streams',
    users: 4,
    gap: 0,
    tokens: 51_200,
    rampUp: 400,
    rivals: [['fetch', 2]],
  }),
];
