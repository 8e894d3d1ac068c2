import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import type { TransportName } from '../../model/observation/exchange.ts';
import { measuredWindow } from '../../model/result/summary.ts';
import type { BenchRow, BenchPart, Say } from '../harness/bench.ts';
import { smallChatTraffic } from '../harness/chat-bytes.ts';
import { runPinned } from '../harness/processes.ts';
import { runWeir } from '../harness/run-weir.ts';
import { makeCertificate, startChatServer } from '../harness/start-chat-server.ts';
import type { ClosedClient, ClosedClientOptions, ClosedLoopThroughput } from './closed-client.ts';
import { hasWrk, measureWrk, wrkInstallHint } from './wrk.ts';

const rounds = 2;
const loop = { connections: 100, warmUp: 4, seconds: 2 } as const;

type Client = ClosedClient | 'wrk' | `run by ${TransportName}`;

/** The chats by `weir run`, with everything that a run records, in the seconds after the warm-up. */
const measureRun = async (
  transport: TransportName,
  target: string,
): Promise<ClosedLoopThroughput> => {
  const { connections: users, warmUp, seconds } = loop;
  const result = await runWeir({
    name: 'small-chats',
    target,
    transport,
    wire: { verifyTls: false },
    traffic: [{ kind: 'chat', ...smallChatTraffic }],
    // The last second is incomplete and has no sample of the generator.
    load: { kind: 'closed', users, duration: `${warmUp + seconds + 1}s` },
    warmUp: `${warmUp}s`,
  });
  const { completed, ...others } = sumOutcomes(result.groups);
  const failed = Object.values(others).reduce((sum, count) => sum + count, 0);
  if (failed > 0) throw new Error(`${failed} of ${failed + completed} requests of weir failed`);
  const window = measuredWindow(result)?.timeline.slice(0, seconds) ?? [];
  const cpuOf = (second: number): number =>
    result.slices[0]?.generator.find((sample) => sample.second === second)?.cpu ?? Number.NaN;
  return {
    requests: window.reduce((sum, { ended }) => sum + ended, 0),
    seconds: window.length,
    cpu: window.reduce((sum, { second }) => sum + cpuOf(second), 0),
  };
};

const measureClient = (client: Client, url: string): Promise<ClosedLoopThroughput> => {
  if (client === 'wrk') return measureWrk(url, loop.connections, loop.seconds);
  if (client === 'run by socket') return measureRun('socket', url);
  if (client === 'run by undici') return measureRun('undici', url);
  const options: ClosedClientOptions = { url, client, ...loop };
  return runPinned(1, 'bench/transport/closed-client.ts', options);
};

type Figure = (throughput: ClosedLoopThroughput) => number;
type Best = (client: Client, figure: Figure) => number;

const perSecond: Figure = ({ requests, seconds }) => requests / seconds;
const perCpuSecond: Figure = ({ requests, cpu }) => requests / cpu;

/** Runs the clients in turn. The best round of each counts: other load on the machine only takes away. */
const alternateClients = async (
  clients: readonly Client[],
  isTls: boolean,
  say: Say,
): Promise<Best> => {
  const certificate = isTls ? await makeCertificate() : null;
  await using server = await startChatServer({ gap: 0, tokens: 0, certificate });
  const throughputs = new Map(clients.map((client) => [client, [] as ClosedLoopThroughput[]]));
  for (let round = 1; round <= rounds; round += 1) {
    const descriptions: string[] = [];
    for (const [client, measured] of throughputs) {
      const throughput = await measureClient(client, server.url);
      measured.push(throughput);
      const cpu = (1e6 / perCpuSecond(throughput)).toFixed(1);
      descriptions.push(`${client} ${Math.round(perSecond(throughput))}/s, ${cpu} µs of CPU each`);
    }
    say(`${isTls ? 'https' : 'http'}, round ${round}: ${descriptions.join('; ')}`);
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

/** The least ratio that a run by `socket` must reach. */
const runBounds = { autocannon: 1.5, wrk: 0.6, fetch: 15, openai: 25 } as const;
const others = Object.keys(runBounds) as (keyof typeof runBounds)[];

/** Two rows: by the second, and by the second of CPU. */
const ratioRows = (
  best: Best,
  own: Client,
  other: Client,
  bounds: { readonly perSecond?: number; readonly perCpuSecond?: number } = {},
): readonly BenchRow[] => {
  const row = (figure: Figure, suffix: string, atLeast: number | undefined): BenchRow => {
    const reference = best('net', figure) / best(other, figure);
    const missing = other === 'wrk' && !hasWrk ? `; not measured: ${wrkInstallHint}` : '';
    return {
      what: `${names[own]} against ${names[other]}${suffix}${missing}`,
      value: best(own, figure) / best(other, figure),
      ...(Number.isNaN(reference) ? {} : { reference }),
      unit: '×',
      bound: atLeast === undefined ? null : { kind: 'at least', value: atLeast },
    };
  };
  return [
    row(perSecond, '', bounds.perSecond),
    row(perCpuSecond, ' per second of CPU', bounds.perCpuSecond),
  ];
};

const plainRows = (best: Best, clients: readonly Client[]): readonly BenchRow[] => [
  ...clients.map((client): BenchRow => {
    const what = `small chats by ${names[client]}`;
    return { what, value: best(client, perSecond), unit: '/s', bound: null };
  }),
  ...ratioRows(best, 'socket', 'autocannon', { perCpuSecond: 1.5 }),
  ...ratioRows(best, 'undici', 'autocannon'),
  ...others.flatMap((other) => {
    const bound = runBounds[other];
    return ratioRows(best, 'run by socket', other, { perSecond: bound, perCpuSecond: bound });
  }),
  ...others.flatMap((other) => ratioRows(best, 'run by undici', other)),
];

const tlsClients = ['socket', 'undici', 'run by socket', 'run by undici'] as const;

const tlsRows = (best: Best): readonly BenchRow[] =>
  tlsClients
    .flatMap((client) => ratioRows(best, client, 'autocannon'))
    .map((row) => ({ ...row, what: `over TLS: ${row.what}` }));

/**
 * How many small chats one process sends and reads: `weir run` and our transports alone, beside widely used clients
 * and the minimal Node client.
 */
export const measureSmallChats: BenchPart = async (say) => {
  if (!hasWrk) say(`not measured: ${wrkInstallHint}`);
  const clients = (Object.keys(names) as Client[]).filter((client) => client !== 'wrk' || hasWrk);
  const plain = await alternateClients(clients, false, say);
  const tls = await alternateClients([...tlsClients, 'autocannon'], true, say);
  return [...plainRows(plain, clients), ...tlsRows(tls)];
};
