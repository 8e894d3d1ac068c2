import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TransportName } from '../model/exchange.ts';
import type { Row } from './bench.ts';
import type { FieldOrder } from './field-client.ts';
import { keepsPace } from './kept-pace.ts';
import { median } from './median.ts';
import { cpuOf, hasEnded, startOn } from './processes.ts';
import { type Emitter, startEmitter } from './streams-emitter.ts';
import { startWeirRun, streamScenario } from './weir-run.ts';

/**
 * What a streamed chunk costs: whole runs of Weir, everything recorded, beside users of what the field
 * uses who only note each token's instant. They take turns on one core. What the process of a run's canary
 * takes is the run's.
 */

/** Until so many kept pace, and at most. */
const rounds = { counting: 3, most: 6 };
const clients = ['socket', 'undici', 'fetch', 'openai'] as const satisfies readonly (
  | TransportName
  | FieldOrder['client']
)[];
type Client = (typeof clients)[number];

/** A load, and what it must show. */
interface Shape {
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

const shapes: readonly Shape[] = [
  {
    name: 'paced, 1000 streams × 20/s',
    // Users begin over the length of a stream, so that requests come evenly.
    ...{ users: 1000, gap: 50, tokens: 60, rampUp: 3000, clients },
    bounds: { openai: 2, fetch: 1.8 },
  },
  {
    name: 'flat out, 4 streams',
    ...{ users: 4, gap: 0, tokens: 51_200, rampUp: 400, clients: ['socket', 'undici', 'fetch'] },
    bounds: { fetch: 2 },
  },
];

/** After all have begun, for the code to get hot, in ms; and how long is measured. */
const settling = 1000;
const window = 3000;

const startClient = async (client: Client, { users, rampUp }: Shape, url: string) => {
  if (client === 'fetch' || client === 'openai') {
    const order: FieldOrder = { client, url, users, rampUp };
    return startOn(1, ['field-client.ts'], { input: JSON.stringify(order) });
  }
  const load = { kind: 'closed', users, duration: '10m', rampUp: `${rampUp}ms` };
  return startWeirRun(streamScenario({ target: url, load, transport: client }));
};

/** What one client did in the window. */
interface Turn {
  readonly events: number;
  readonly cpu: number;
}

const measured = async (emitter: Emitter, client: ChildProcess, users: number): Promise<Turn> => {
  while ((await emitter.count()).begun < users) {
    if (hasEnded(client)) throw new Error('a client ended before its streams began');
    await sleep(100);
  }
  await sleep(settling);
  const before = { ...(await emitter.count()), cpu: await cpuOf(client.pid) };
  await sleep(window);
  const after = { ...(await emitter.count()), cpu: await cpuOf(client.pid) };
  return { events: after.events - before.events, cpu: after.cpu - before.cpu };
};

const turnOf = async (client: Client, shape: Shape): Promise<Turn> => {
  const { gap, tokens, users } = shape;
  const emitter = await startEmitter({ gap, tokens, certificate: null });
  try {
    const started = await startClient(client, shape, `http://127.0.0.1:${emitter.port}/v1`);
    try {
      return await measured(emitter, started.child, users);
    } finally {
      await started.stop();
    }
  } finally {
    await emitter.stop();
  }
};

/** Microseconds for each event. */
const costOf = ({ events, cpu }: Turn): number =>
  events === 0 ? Number.NaN : (cpu * 1e6) / events;

/** What comes late comes together, is read at once and costs less, which says nothing of the client. */
const keepsUp = ({ users, gap }: Shape, { events }: Turn): boolean =>
  gap === 0 || keepsPace(events, (users * window) / gap);

type Round = ReadonlyMap<Client, Turn>;

const counting = (shape: Shape, all: readonly Round[]): readonly Round[] =>
  all.filter((round) => [...round.values()].every((turn) => keepsUp(shape, turn)));

const rowsFor = (shape: Shape, all: readonly Round[]): readonly Row[] => {
  const { name, clients: taking, bounds } = shape;
  const kept = counting(shape, all);
  const costs = (client: Client): readonly number[] =>
    kept.map((round) => costOf(round.get(client)!));
  // Not the best round: a disturbed client reads several chunks at once, which makes each cheaper.
  const against = (own: Client, other: Client): Row => ({
    what: `${name}: chunks for each second of CPU, ${own} against ${other}`,
    value: median(costs(other).map((cost, round) => cost / costs(own)[round]!)),
    unit: '×',
    bound:
      own === 'socket' && bounds[other] !== undefined
        ? { kind: 'at least', value: bounds[other] }
        : null,
  });
  const shown = taking.map((client): Row => {
    const what = `${name}: CPU for each chunk, ${client}, median of ${kept.length} rounds that kept pace`;
    return { what, value: median(costs(client)), unit: 'µs', bound: null };
  });
  const others = taking.filter((client) => client === 'fetch' || client === 'openai');
  const ratios = (['socket', 'undici'] as const).flatMap((own) =>
    others.map((other) => against(own, other)),
  );
  return [...shown, ...ratios];
};

const benchShape = async (shape: Shape, say: (text: string) => void): Promise<readonly Row[]> => {
  const all: Round[] = [];
  const isDecided = (): boolean => counting(shape, all).length === rounds.counting;
  for (let round = 1; round <= rounds.most && !isDecided(); round += 1) {
    const turns = new Map<Client, Turn>();
    for (const client of shape.clients) {
      const turn = await turnOf(client, shape);
      turns.set(client, turn);
      const rate = Math.round(turn.events / (window / 1000));
      const late = keepsUp(shape, turn) ? '' : ', too late to count';
      const cost = costOf(turn).toFixed(2);
      say(`${shape.name}, round ${round}: ${client} ${rate}/s, ${cost} µs of CPU each${late}`);
    }
    all.push(turns);
  }
  return rowsFor(shape, all);
};

export const benchStreamCost = async (say: (text: string) => void): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  for (const shape of shapes) rows.push(...(await benchShape(shape, say)));
  return rows;
};
