import type { Row } from './bench.ts';
import type { Turnover } from './closed-client.ts';
import { startOn } from './processes.ts';

/** How many small chats one process asks and reads: our transports beside autocannon and the least that Node can do, taking turns. */

const rounds = 4;
const seconds = 2;
const clients = ['net', 'socket', 'undici', 'autocannon'] as const;
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
  // What else runs on the machine only takes away: the best round of each shows most of what it can do.
  const best = (client: Client, figure: (turnover: Turnover) => number): number =>
    Math.max(...turns.map((turn) => figure(turn[client])));
  const against = (client: Client, figure: (turnover: Turnover) => number): Row => ({
    what: `${client} against autocannon`,
    value: best(client, figure) / best('autocannon', figure),
    ruler: best('net', figure) / best('autocannon', figure),
    unit: '×',
    bound: null,
  });
  const rates = clients.map((client): Row => {
    const what = `small chats by ${client === 'net' ? 'a bare socket' : client}`;
    return { what, value: best(client, rate), unit: '/s', bound: null };
  });
  const shares = (['socket', 'undici'] as const).map((client): Row => {
    const row = against(client, perCpu);
    const bound = client === 'socket' ? ({ kind: 'at least', value: 1.5 } as const) : null;
    return { ...row, what: `${row.what}, for each second of CPU`, bound };
  });
  return [...rates, against('socket', rate), against('undici', rate), ...shares];
};
