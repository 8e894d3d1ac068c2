import type { TransportName } from '../model/exchange.ts';
import type { Arrivals } from './arrival-client.ts';
import type { Row } from './bench.ts';
import { startOn } from './processes.ts';

/** How exact the instants of arrival are, and what an event costs: our transports beside a bare socket, taking turns. */

const rounds = 4;
const seconds = 3;
const gap = 50;
const clients = ['net', 'socket', 'undici'] as const satisfies readonly (TransportName | 'net')[];
type Client = (typeof clients)[number];
type Turn = Readonly<Record<Client, Arrivals>>;

const arrivalsOf = async (client: Client, streams: number): Promise<Arrivals> => {
  const emitter = await startOn(0, ['stamped-streams.ts'], { input: JSON.stringify({ gap }) });
  try {
    const input = JSON.stringify({ port: Number(emitter.line), client, streams, gap, seconds });
    const bound = await startOn(1, ['arrival-client.ts'], { input });
    await bound.stop();
    return JSON.parse(bound.line) as Arrivals;
  } finally {
    await emitter.stop();
  }
};

const rowsFor = (streams: number, turns: readonly Turn[]): readonly Row[] => {
  // What else runs on the machine only adds: the quietest round of each shows most of what it does itself.
  const figure = (client: Client, of: (arrivals: Arrivals) => number): number => {
    const quiet = (turn: Turn): number => turn[client].error.medianP99;
    const [quietest] = turns.toSorted((one, other) => quiet(one) - quiet(other));
    return quietest === undefined ? Number.NaN : of(quietest[client]);
  };
  const rows = (['socket', 'undici'] as const).flatMap((client) => {
    const row = (what: string, unit: string, of: (arrivals: Arrivals) => number): Row => ({
      ...{ what: `${client}, ${streams} × ${1000 / gap}/s: ${what}`, unit, bound: null },
      value: figure(client, of),
      ruler: figure('net', of),
    });
    return [
      row('error of arrivals, p50', 'ms', ({ error }) => error.p50),
      {
        ...row('p99 of the median half second', 'ms', ({ error }) => error.medianP99),
        bound: client === 'socket' ? ({ kind: 'at most', value: 1 } as const) : null,
      },
      row('p99 of all', 'ms', ({ error }) => error.p99),
      row('CPU for each event', 'µs', ({ cpu }) => cpu),
    ];
  });
  const cpu = (client: Client): number => figure(client, (arrivals) => arrivals.cpu);
  const what = `events for each second of CPU, socket against undici, ${streams} streams`;
  return [...rows, { what, value: cpu('undici') / cpu('socket'), unit: '×', bound: null }];
};

export const benchTransportArrivals = async (
  say: (text: string) => void,
): Promise<readonly Row[]> => {
  const rows: Row[] = [];
  for (const streams of [1000, 2000]) {
    const turns: Turn[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const turn: Partial<Record<Client, Arrivals>> = {};
      for (const client of clients) turn[client] = await arrivalsOf(client, streams);
      turns.push(turn as Turn);
      const told = Object.entries(turn).map(
        ([client, { error, cpu, events }]) =>
          `${client} ${Math.round(events / seconds)}/s, p50 ${error.p50.toFixed(2)}, p99 ${error.medianP99.toFixed(2)} (all ${error.p99.toFixed(2)}) ms, ${cpu.toFixed(1)} µs`,
      );
      say(`${streams} streams, round ${round + 1}: ${told.join('; ')}`);
    }
    rows.push(...rowsFor(streams, turns));
  }
  return rows;
};
