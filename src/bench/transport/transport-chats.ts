import type { BenchRow } from '../harness/bench.ts';
import type { ClosedClient } from './closed-client.ts';
import { startPinned } from '../harness/pinned-processes.ts';
import {
  requestsPerCpuSecond,
  requestsPerSecond,
  type ClosedLoopThroughput,
} from './throughput.ts';
import { measureWeirChats } from './weir-chats.ts';
import { measureWrkChats, hasWrk, wrkInstallHint } from './wrk.ts';

/**
 * How many small chats one process asks and reads: `weir run` with all that it records and our bare
 * transports, beside what the field uses and the least that Node can do, taking turns.
 */

const rounds = 2;
const seconds = 2;

type Client = ClosedClient | 'wrk' | 'run by socket' | 'run by undici';

const measureNodeClient = async (
  client: ClosedClient,
  url: string,
): Promise<ClosedLoopThroughput> => {
  const input = JSON.stringify({ client, url, seconds });
  const bound = await startPinned(1, ['closed-client.ts'], { input });
  await bound.stop();
  return JSON.parse(bound.line) as ClosedLoopThroughput;
};

const measureClient = (client: Client, url: string): Promise<ClosedLoopThroughput> => {
  if (client === 'wrk') return measureWrkChats(url, seconds);
  if (client === 'run by socket') return measureWeirChats('socket', { url, seconds });
  if (client === 'run by undici') return measureWeirChats('undici', { url, seconds });
  return measureNodeClient(client, url);
};

type Figure = (throughput: ClosedLoopThroughput) => number;
type Best = (client: Client, figure: Figure) => number;

/** Lets clients take turns; what else runs on the machine only takes away, so the best round of each shows most of what it can do. */
const alternateClients = async (
  clients: readonly Client[],
  scheme: 'http' | 'https',
  say: (text: string) => void,
): Promise<Best> => {
  const server = await startPinned(0, ['fast-server.ts', scheme], { input: '' });
  const url = `${scheme}://127.0.0.1:${server.line}/v1`;
  const throughputs = new Map(clients.map((client) => [client, [] as ClosedLoopThroughput[]]));
  try {
    for (let round = 1; round <= rounds; round += 1) {
      const descriptions: string[] = [];
      for (const [client, turnovers] of throughputs) {
        const throughput = await measureClient(client, url);
        turnovers.push(throughput);
        const each = (1e6 / requestsPerCpuSecond(throughput)).toFixed(1);
        descriptions.push(
          `${client} ${Math.round(requestsPerSecond(throughput))}/s, ${each} µs of CPU each`,
        );
      }
      say(`${scheme}, round ${round}: ${descriptions.join('; ')}`);
    }
  } finally {
    await server.stop();
  }
  return (client, figure) => {
    const figures = throughputs.get(client)?.map(figure) ?? [];
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
const competitors = [
  { rival: 'autocannon', floor: 1.5 },
  { rival: 'wrk', floor: 0.6 },
  { rival: 'fetch', floor: 15 },
  { rival: 'openai', floor: 25 },
] as const satisfies readonly { readonly rival: Client; readonly floor: number }[];

const figures = [
  { figure: requestsPerSecond, suffix: '' },
  { figure: requestsPerCpuSecond, suffix: ', for each second of CPU' },
];

const compareRows = (best: Best, [ours, rival]: readonly [Client, Client]): readonly BenchRow[] =>
  figures.map(({ figure, suffix }) => {
    const missing = rival === 'wrk' && !hasWrk ? `; not measured: ${wrkInstallHint}` : '';
    const ruler = best('net', figure) / best(rival, figure);
    return {
      what: `${names[ours]} against ${names[rival]}${suffix}${missing}`,
      value: best(ours, figure) / best(rival, figure),
      ...(Number.isNaN(ruler) ? {} : { ruler }),
      unit: '×',
      bound: null,
    };
  });

const atLeast = (value: number): BenchRow['bound'] => ({ kind: 'at least', value });

const plainRows = (best: Best, clients: readonly Client[]): readonly BenchRow[] => {
  const rates = clients.map((client): BenchRow => {
    const what = `small chats by ${names[client]}`;
    return { what, value: best(client, requestsPerSecond), unit: '/s', bound: null };
  });
  const [bareRate, bareShare] = compareRows(best, ['socket', 'autocannon']);
  const whole = competitors.flatMap(({ rival, floor }) =>
    compareRows(best, ['run by socket', rival]).map((row) => ({ ...row, bound: atLeast(floor) })),
  );
  return [
    ...rates,
    bareRate!,
    { ...bareShare!, bound: atLeast(1.5) },
    ...compareRows(best, ['undici', 'autocannon']),
    ...whole,
    ...competitors.flatMap(({ rival }) => compareRows(best, ['run by undici', rival])),
  ];
};

const tlsClients = ['socket', 'undici', 'run by socket', 'run by undici'] as const;

const tlsRows = (best: Best): readonly BenchRow[] =>
  tlsClients.flatMap((client) =>
    compareRows(best, [client, 'autocannon']).map((row) => ({
      ...row,
      what: `over TLS: ${row.what}`,
    })),
  );

export const benchTransportChats = async (
  say: (text: string) => void,
): Promise<readonly BenchRow[]> => {
  if (!hasWrk) say(`not measured: ${wrkInstallHint}`);
  const clients = (Object.keys(names) as Client[]).filter((client) => client !== 'wrk' || hasWrk);
  const plain = await alternateClients(clients, 'http', say);
  const tls = await alternateClients([...tlsClients, 'autocannon'], 'https', say);
  return [...plainRows(plain, clients), ...tlsRows(tls)];
};
