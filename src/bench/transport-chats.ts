import type { Row } from './bench.ts';
import type { ClosedClient } from './closed-client.ts';
import { startOn } from './processes.ts';
import { perCpu, rate, type Turnover } from './turnover.ts';
import { chatsByWeir } from './weir-chats.ts';
import { chatsByWrk, hasWrk, howToGetWrk } from './wrk.ts';

/**
 * How many small chats one process asks and reads: `weir run` with all that it records and our bare
 * transports, beside what the field uses and the least that Node can do, taking turns.
 */

const rounds = 2;
const seconds = 2;

type Client = ClosedClient | 'wrk' | 'run by socket' | 'run by undici';

const byNode = async (client: ClosedClient, url: string): Promise<Turnover> => {
  const input = JSON.stringify({ client, url, seconds });
  const bound = await startOn(1, ['closed-client.ts'], { input });
  await bound.stop();
  return JSON.parse(bound.line) as Turnover;
};

const turnoverOf = (client: Client, url: string): Promise<Turnover> => {
  if (client === 'wrk') return chatsByWrk(url, seconds);
  if (client === 'run by socket') return chatsByWeir('socket', { url, seconds });
  if (client === 'run by undici') return chatsByWeir('undici', { url, seconds });
  return byNode(client, url);
};

type Figure = (turnover: Turnover) => number;
type Best = (client: Client, figure: Figure) => number;

/** Lets clients take turns; what else runs on the machine only takes away, so the best round of each shows most of what it can do. */
const takeTurns = async (
  clients: readonly Client[],
  scheme: 'http' | 'https',
  say: (text: string) => void,
): Promise<Best> => {
  const server = await startOn(0, ['fast-server.ts', scheme], { input: '' });
  const url = `${scheme}://127.0.0.1:${server.line}/v1`;
  const turns = new Map(clients.map((client) => [client, [] as Turnover[]]));
  try {
    for (let round = 1; round <= rounds; round += 1) {
      const told: string[] = [];
      for (const [client, turnovers] of turns) {
        const turnover = await turnoverOf(client, url);
        turnovers.push(turnover);
        const each = (1e6 / perCpu(turnover)).toFixed(1);
        told.push(`${client} ${Math.round(rate(turnover))}/s, ${each} µs of CPU each`);
      }
      say(`${scheme}, round ${round}: ${told.join('; ')}`);
    }
  } finally {
    await server.stop();
  }
  return (client, figure) => {
    const figures = turns.get(client)?.map(figure) ?? [];
    return figures.length === 0 ? Number.NaN : Math.max(...figures);
  };
};

const names: Readonly<Record<Client, string>> = {
  net: 'a bare socket',
  socket: 'socket',
  undici: 'undici',
  'run by socket': 'weir run by socket',
  'run by undici': 'weir run by undici',
  autocannon: 'autocannon',
  wrk: 'wrk with one thread',
  fetch: 'fetch',
  openai: 'the openai client',
};

/** How many times what each does a run by `socket`, with all that it records, has to do at least. */
const rivals = [
  { rival: 'autocannon', floor: 1.5 },
  { rival: 'wrk', floor: 0.6 },
  { rival: 'fetch', floor: 15 },
  { rival: 'openai', floor: 25 },
] as const satisfies readonly { readonly rival: Client; readonly floor: number }[];

const figures = [
  { figure: rate, suffix: '' },
  { figure: perCpu, suffix: ', for each second of CPU' },
];

const against = (best: Best, [ours, rival]: readonly [Client, Client]): readonly Row[] =>
  figures.map(({ figure, suffix }) => {
    const missing = rival === 'wrk' && !hasWrk ? `; not measured: ${howToGetWrk}` : '';
    const ruler = best('net', figure) / best(rival, figure);
    return {
      what: `${names[ours]} against ${names[rival]}${suffix}${missing}`,
      value: best(ours, figure) / best(rival, figure),
      ...(Number.isNaN(ruler) ? {} : { ruler }),
      unit: '×',
      bound: null,
    };
  });

const atLeast = (value: number): Row['bound'] => ({ kind: 'at least', value });

const plainRows = (best: Best, clients: readonly Client[]): readonly Row[] => {
  const rates = clients.map((client): Row => {
    const what = `small chats by ${names[client]}`;
    return { what, value: best(client, rate), unit: '/s', bound: null };
  });
  const [bareRate, bareShare] = against(best, ['socket', 'autocannon']);
  const whole = rivals.flatMap(({ rival, floor }) =>
    against(best, ['run by socket', rival]).map((row) => ({ ...row, bound: atLeast(floor) })),
  );
  return [
    ...rates,
    ...[bareRate!, { ...bareShare!, bound: atLeast(1.5) }],
    ...against(best, ['undici', 'autocannon']),
    ...whole,
    ...rivals.flatMap(({ rival }) => against(best, ['run by undici', rival])),
  ];
};

const tlsClients = ['socket', 'undici', 'run by socket', 'run by undici'] as const;

const tlsRows = (best: Best): readonly Row[] =>
  tlsClients.flatMap((client) =>
    against(best, [client, 'autocannon']).map((row) => ({ ...row, what: `over TLS: ${row.what}` })),
  );

export const benchTransportChats = async (say: (text: string) => void): Promise<readonly Row[]> => {
  if (!hasWrk) say(`not measured: ${howToGetWrk}`);
  const clients = (Object.keys(names) as Client[]).filter((client) => client !== 'wrk' || hasWrk);
  const plain = await takeTurns(clients, 'http', say);
  const tls = await takeTurns([...tlsClients, 'autocannon'], 'https', say);
  return [...plainRows(plain, clients), ...tlsRows(tls)];
};
