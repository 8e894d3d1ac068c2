import type { TransportName } from '../model/plan.ts';
import type { Row } from './bench.ts';
import type { Turnover } from './closed-client.ts';
import { startOn } from './processes.ts';

/** How many small chats one process asks and reads: our transports beside autocannon, taking turns. */

const rounds = 5;
const seconds = 3;
const clients = ['socket', 'undici', 'autocannon'] as const satisfies readonly (
  | TransportName
  | 'autocannon'
)[];
type Client = (typeof clients)[number];

const turnoverOf = async (client: Client, port: number): Promise<Turnover> => {
  const input = JSON.stringify({ client, port, seconds });
  const bound = await startOn(1, ['closed-client.ts'], { input });
  await bound.stop();
  return JSON.parse(bound.line) as Turnover;
};

const rate = ({ requests, seconds: wall }: Turnover): number => requests / wall;
const perCpu = ({ requests, cpu }: Turnover): number => requests / cpu;

export const benchTransportChats = async (say: (text: string) => void): Promise<readonly Row[]> => {
  const server = await startOn(0, ['fast-server.ts'], { input: '' });
  const turns: Record<Client, Turnover>[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      const turn: Partial<Record<Client, Turnover>> = {};
      for (const client of clients) turn[client] = await turnoverOf(client, Number(server.line));
      turns.push(turn as Record<Client, Turnover>);
      const told = Object.entries(turn).map(
        ([client, turnover]) =>
          `${client} ${Math.round(rate(turnover))}/s, ${(1e6 / perCpu(turnover)).toFixed(1)} µs of CPU each`,
      );
      say(`round ${round + 1}: ${told.join('; ')}`);
    }
  } finally {
    await server.stop();
  }
  const row = (what: string, value: number, unit: string, least: number | null = null): Row => ({
    ...{ what, value, unit },
    bound: least === null ? null : { kind: 'at least', value: least },
  });
  // What else runs on the machine only takes away: the best round of each shows most of what it can do.
  const best = (client: Client, figure: (turnover: Turnover) => number): number =>
    Math.max(...turns.map((turn) => figure(turn[client])));
  const against = (client: Client, figure: (turnover: Turnover) => number): number =>
    best(client, figure) / best('autocannon', figure);
  return [
    ...clients.map((client) => row(`small chats by ${client}`, best(client, rate), '/s')),
    row('socket against autocannon', against('socket', rate), '×'),
    row('undici against autocannon', against('undici', rate), '×'),
    row('the same for each second of CPU: socket', against('socket', perCpu), '×', 1.5),
    row('the same for each second of CPU: undici', against('undici', perCpu), '×'),
  ];
};
