import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { atLeast, type BenchPart, benchRow, type BenchRow, type Say } from '../harness/bench.ts';
import { cpuOf, hasEnded, startPinned } from '../harness/processes.ts';
import { startWeirRun, streamScenario } from '../harness/run-weir.ts';
import { type ChatServer, startChatServer } from '../harness/start-chat-server.ts';
import { alternate, median, sustainsRate } from '../harness/statistics.ts';
import type { SdkName } from './sdk-calls.ts';
import type { SdkStreamClientOptions } from './sdk-stream-client.ts';

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

const cases: readonly StreamCase[] = [
  {
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
  },
  {
    name: 'flat out, 4 streams',
    users: 4,
    gap: 0,
    tokens: 51_200,
    rampUp: 400,
    rivals: [['fetch', 2]],
  },
];

/** Between the begin of the last user and the measured window, until the code is compiled; both in ms. */
const settleTime = 1000;
const window = 3000;

/** `weir run`, or a rival. */
type Client = 'run' | SdkName;

const startClient = (client: Client, { users, rampUp }: StreamCase, url: string) => {
  if (client !== 'run') {
    const options: SdkStreamClientOptions = { client, url, users, rampUp };
    return startPinned(1, ['bench/transport/sdk-stream-client.ts'], options);
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
  return { events: after.events - before.events, cpu: after.cpu - before.cpu };
};

type CostMeasurement = Awaited<ReturnType<typeof measureWindow>>;

const measureClient = async (client: Client, streamCase: StreamCase): Promise<CostMeasurement> => {
  const { gap, tokens, users } = streamCase;
  await using server = await startChatServer({ gap, tokens, certificate: null });
  await using started = await startClient(client, streamCase, server.url);
  return await measureWindow(server, started.child, users);
};

/** Microseconds per event. */
const costOf = ({ events, cpu }: CostMeasurement): number =>
  events === 0 ? Number.NaN : (cpu * 1e6) / events;

/** Late events arrive together, are read at once and cost less, which says nothing about the client. */
const isUsable = ({ users, gap }: StreamCase, { events }: CostMeasurement): boolean =>
  gap === 0 || sustainsRate(events, (users * window) / gap);

const measureCase = async (streamCase: StreamCase, say: Say): Promise<readonly BenchRow[]> => {
  const { name, rivals } = streamCase;
  const clients: readonly Client[] = ['run', ...rivals.map(([rival]) => rival)];
  const measured = await alternate(rounds, clients, async (client, round) => {
    const measurement = await measureClient(client, streamCase);
    const rate = Math.round(measurement.events / (window / 1000));
    const ignored = isUsable(streamCase, measurement) ? '' : ', too slow to count';
    const cost = costOf(measurement).toFixed(2);
    say(`${name}, round ${round}: ${client} ${rate}/s, ${cost} µs of CPU each${ignored}`);
    return measurement;
  });
  const usable = [...measured.get('run')!.keys()].filter((round) =>
    clients.every((client) => isUsable(streamCase, measured.get(client)![round]!)),
  );
  const costs = (client: Client): readonly number[] =>
    usable.map((round) => costOf(measured.get(client)![round]!));
  const ownCosts = costs('run');
  // The median, not the best: a delayed client reads several chunks at once, which makes each cheaper.
  return [
    ...clients.map((client) => {
      const what = `${name}: CPU per chunk, ${client}, median of ${usable.length} rounds at the full rate`;
      return benchRow(what, median(costs(client)), 'µs');
    }),
    ...rivals.map(([rival, least]) => {
      const what = `${name}: chunks per second of CPU, weir run against ${rival}`;
      const ratios = costs(rival).map((cost, round) => cost / ownCosts[round]!);
      return benchRow(what, median(ratios), '×', atLeast(least));
    }),
  ];
};

/**
 * What a streamed chunk costs: whole runs, everything recorded, beside widely used clients that only note the arrival
 * time of each token. They alternate on one core.
 */
export const measureStreamCost: BenchPart = async (say) => {
  const rows: BenchRow[] = [];
  for (const streamCase of cases) rows.push(...(await measureCase(streamCase, say)));
  return rows;
};
