import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TransportName } from '../../model/observation/exchange.ts';
import type { BenchRow } from '../harness/bench.ts';
import type { SdkStreamClientOptions } from './sdk-stream-client.ts';
import { sustainsRate } from '../harness/sustained-rate.ts';
import { median } from '../harness/median.ts';
import { cpuOf, hasEnded, startPinned } from '../harness/pinned-processes.ts';
import { type StreamEmitter, startStreamEmitter } from '../harness/start-stream-emitter.ts';
import { startWeirRun, streamScenario } from '../harness/run-weir.ts';

/**
 * What a streamed chunk costs: whole runs of Weir, everything recorded, beside users of what the field
 * uses who only note each token's instant. They take turns on one core. What the process of a run's canary
 * takes is the run's.
 */

/** Until so many kept pace, and at most. */
const rounds = { usable: 3, most: 6 };
const clients = ['socket', 'undici', 'fetch', 'openai'] as const satisfies readonly (
  | TransportName
  | SdkStreamClientOptions['client']
)[];
type Client = (typeof clients)[number];

/** A load, and what it must show. */
interface StreamCase {
  readonly name: string;
  readonly users: number;
  /** As in a `StreamsOrder`. */
  readonly gap: number;
  readonly tokens: number;
  /** Users begin evenly over so many milliseconds. */
  readonly rampUp: number;
  readonly clients: readonly Client[];
  /** How many times as many chunks `socket` must take in a second of CPU as others do. */
  readonly bounds: Readonly<Partial<Record<Client, number>>>;
}

const shapes: readonly StreamCase[] = [
  {
    name: 'paced, 1000 streams × 20/s',
    // Users begin over the length of a stream, so that requests come evenly.
    users: 1000,
    gap: 50,
    tokens: 60,
    rampUp: 3000,
    clients,
    bounds: { openai: 2, fetch: 1.8 },
  },
  {
    name: 'flat out, 4 streams',
    users: 4,
    gap: 0,
    tokens: 51_200,
    rampUp: 400,
    clients: ['socket', 'undici', 'fetch'],
    bounds: { fetch: 2 },
  },
];

/** After all have begun, for the code to get hot, in ms; and how long is measured. */
const settleTime = 1000;
const window = 3000;

const startClient = async (client: Client, { users, rampUp }: StreamCase, url: string) => {
  if (client === 'fetch' || client === 'openai') {
    const order: SdkStreamClientOptions = { client, url, users, rampUp };
    return startPinned(1, ['field-client.ts'], { input: JSON.stringify(order) });
  }
  const load = { kind: 'closed', users, duration: '10m', rampUp: `${rampUp}ms` };
  return startWeirRun(streamScenario({ target: url, load, transport: client }));
};

/** What one client did in the window. */
interface CostMeasurement {
  readonly events: number;
  readonly cpu: number;
}

const measureClient = async (
  emitter: StreamEmitter,
  client: ChildProcess,
  users: number,
): Promise<CostMeasurement> => {
  while ((await emitter.count()).begun < users) {
    if (hasEnded(client)) throw new Error('a client ended before its streams began');
    await sleep(100);
  }
  await sleep(settleTime);
  const before = { ...(await emitter.count()), cpu: await cpuOf(client.pid) };
  await sleep(window);
  const after = { ...(await emitter.count()), cpu: await cpuOf(client.pid) };
  return { events: after.events - before.events, cpu: after.cpu - before.cpu };
};

const measureCost = async (client: Client, shape: StreamCase): Promise<CostMeasurement> => {
  const { gap, tokens, users } = shape;
  const emitter = await startStreamEmitter({ gap, tokens, certificate: null });
  try {
    const started = await startClient(client, shape, `http://127.0.0.1:${emitter.port}/v1`);
    try {
      return await measureClient(emitter, started.child, users);
    } finally {
      await started.stop();
    }
  } finally {
    await emitter.stop();
  }
};

/** Microseconds for each event. */
const costOf = ({ events, cpu }: CostMeasurement): number =>
  events === 0 ? Number.NaN : (cpu * 1e6) / events;

/** What comes late comes together, is read at once and costs less, which says nothing of the client. */
const isOnPace = ({ users, gap }: StreamCase, { events }: CostMeasurement): boolean =>
  gap === 0 || sustainsRate(events, (users * window) / gap);

type Round = ReadonlyMap<Client, CostMeasurement>;

const usable = (shape: StreamCase, all: readonly Round[]): readonly Round[] =>
  all.filter((round) => [...round.values()].every((turn) => isOnPace(shape, turn)));

const rowsFor = (shape: StreamCase, all: readonly Round[]): readonly BenchRow[] => {
  const { name, clients: taking, bounds } = shape;
  const kept = usable(shape, all);
  const costs = (client: Client): readonly number[] =>
    kept.map((round) => costOf(round.get(client)!));
  // Not the best round: a disturbed client reads several chunks at once, which makes each cheaper.
  const against = (own: Client, other: Client): BenchRow => ({
    what: `${name}: chunks for each second of CPU, ${own} against ${other}`,
    value: median(costs(other).map((cost, round) => cost / costs(own)[round]!)),
    unit: '×',
    bound:
      own === 'socket' && bounds[other] !== undefined
        ? { kind: 'at least', value: bounds[other] }
        : null,
  });
  const shown = taking.map((client): BenchRow => {
    const what = `${name}: CPU for each chunk, ${client}, median of ${kept.length} rounds that kept pace`;
    return { what, value: median(costs(client)), unit: 'µs', bound: null };
  });
  const others = taking.filter((client) => client === 'fetch' || client === 'openai');
  const ratios = (['socket', 'undici'] as const).flatMap((own) =>
    others.map((other) => against(own, other)),
  );
  return [...shown, ...ratios];
};

const benchShape = async (
  shape: StreamCase,
  say: (text: string) => void,
): Promise<readonly BenchRow[]> => {
  const all: Round[] = [];
  const isDecided = (): boolean => usable(shape, all).length === rounds.usable;
  for (let round = 1; round <= rounds.most && !isDecided(); round += 1) {
    const turns = new Map<Client, CostMeasurement>();
    for (const client of shape.clients) {
      const turn = await measureCost(client, shape);
      turns.set(client, turn);
      const rate = Math.round(turn.events / (window / 1000));
      const late = isOnPace(shape, turn) ? '' : ', too late to count';
      const cost = costOf(turn).toFixed(2);
      say(`${shape.name}, round ${round}: ${client} ${rate}/s, ${cost} µs of CPU each${late}`);
    }
    all.push(turns);
  }
  return rowsFor(shape, all);
};

export const benchStreamCost = async (
  say: (text: string) => void,
): Promise<readonly BenchRow[]> => {
  const rows: BenchRow[] = [];
  for (const shape of shapes) rows.push(...(await benchShape(shape, say)));
  return rows;
};
