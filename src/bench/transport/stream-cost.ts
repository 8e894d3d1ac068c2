import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchRow, BenchPart, Say } from '../harness/bench.ts';
import { cpuOf, hasEnded, startPinned } from '../harness/processes.ts';
import { startWeirRun, streamScenario } from '../harness/run-weir.ts';
import { type ChatServer, startChatServer } from '../harness/start-chat-server.ts';
import { median, sustainsRate } from '../harness/statistics.ts';
import type { SdkStreamClientOptions } from './sdk-stream-client.ts';

/** Measures until this many rounds sustained the rate, and at most this many rounds. */
const rounds = { usable: 3, most: 6 };
const runs = ['socket', 'undici'] as const;
const sdks = ['fetch', 'openai'] as const;
type Client = (typeof runs)[number] | (typeof sdks)[number];

interface StreamCase {
  readonly name: string;
  readonly users: number;
  /** As in `ChatServerOptions`. */
  readonly gap: number;
  readonly tokens: number;
  /** Users begin evenly over this time, in ms. */
  readonly rampUp: number;
  readonly sdks: readonly (typeof sdks)[number][];
  /** The least ratio of chunks per second of CPU, `socket` against others. */
  readonly bounds: Readonly<Partial<Record<Client, number>>>;
}

const cases: readonly StreamCase[] = [
  {
    name: 'paced, 1000 streams × 20/s',
    // Users begin over the length of a stream, so that requests come evenly.
    users: 1000,
    gap: 50,
    tokens: 60,
    rampUp: 3000,
    sdks,
    bounds: { openai: 2, fetch: 1.8 },
  },
  {
    name: 'flat out, 4 streams',
    users: 4,
    gap: 0,
    tokens: 51_200,
    rampUp: 400,
    sdks: ['fetch'],
    bounds: { fetch: 2 },
  },
];

/** Between the begin of the last user and the measured window, until the code is compiled; both in ms. */
const settleTime = 1000;
const window = 3000;

const startClient = (client: Client, { users, rampUp }: StreamCase, url: string) => {
  if (client === 'fetch' || client === 'openai') {
    const options: SdkStreamClientOptions = { client, url, users, rampUp };
    return startPinned(1, ['bench/transport/sdk-stream-client.ts'], options);
  }
  const load = { kind: 'closed', users, duration: '10m', rampUp: `${rampUp}ms` };
  return startWeirRun(streamScenario({ target: url, load, transport: client }));
};

/** What one client did in the window; CPU time includes the child processes of a run, in seconds. */
interface CostMeasurement {
  readonly events: number;
  readonly cpu: number;
}

const measureWindow = async (
  server: ChatServer,
  client: ChildProcess,
  users: number,
): Promise<CostMeasurement> => {
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

type Round = ReadonlyMap<Client, CostMeasurement>;

const usableRounds = (streamCase: StreamCase, all: readonly Round[]): readonly Round[] =>
  all.filter((round) => [...round.values()].every((each) => isUsable(streamCase, each)));

const rowsFor = (streamCase: StreamCase, all: readonly Round[]): readonly BenchRow[] => {
  const { name, bounds } = streamCase;
  const usable = usableRounds(streamCase, all);
  const costs = (client: Client): readonly number[] =>
    usable.map((round) => costOf(round.get(client)!));
  // The median, not the best: a delayed client reads several chunks at once, which makes each cheaper.
  const costRows = [...runs, ...streamCase.sdks].map((client): BenchRow => {
    const what = `${name}: CPU per chunk, ${client}, median of ${usable.length} rounds at the full rate`;
    return { what, value: median(costs(client)), unit: 'µs', bound: null };
  });
  const ratioRow = (own: Client, other: Client): BenchRow => {
    const atLeast = own === 'socket' ? bounds[other] : undefined;
    return {
      what: `${name}: chunks per second of CPU, ${own} against ${other}`,
      value: median(costs(other).map((cost, round) => cost / costs(own)[round]!)),
      unit: '×',
      bound: atLeast === undefined ? null : { kind: 'at least', value: atLeast },
    };
  };
  const ratioRows = runs.flatMap((own) => streamCase.sdks.map((other) => ratioRow(own, other)));
  return [...costRows, ...ratioRows];
};

const measureCase = async (streamCase: StreamCase, say: Say): Promise<readonly BenchRow[]> => {
  const all: Round[] = [];
  const isEnough = (): boolean => usableRounds(streamCase, all).length === rounds.usable;
  for (let round = 1; round <= rounds.most && !isEnough(); round += 1) {
    const measured = new Map<Client, CostMeasurement>();
    for (const client of [...runs, ...streamCase.sdks]) {
      const measurement = await measureClient(client, streamCase);
      measured.set(client, measurement);
      const rate = Math.round(measurement.events / (window / 1000));
      const ignored = isUsable(streamCase, measurement) ? '' : ', too slow to count';
      const cost = costOf(measurement).toFixed(2);
      say(
        `${streamCase.name}, round ${round}: ${client} ${rate}/s, ${cost} µs of CPU each${ignored}`,
      );
    }
    all.push(measured);
  }
  return rowsFor(streamCase, all);
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
