import type { BenchRow, BenchPart, Say } from '../harness/bench.ts';
import { startPinned } from '../harness/processes.ts';
import { makeCertificate, startChatServer } from '../harness/start-chat-server.ts';
import type { ArrivalClientOptions, Arrivals } from './arrival-client.ts';
import { bestArrivalRound, type ArrivalMeasurement } from './best-round.ts';

const seconds = 3;
const gap = 50;
type Client = ArrivalClientOptions['client'];

interface ArrivalCase {
  readonly streams: number;
  readonly isTls: boolean;
  readonly rounds: number;
  /** Bound of the 99th percentile of the median half second by `socket`, in ms. */
  readonly bound: number | null;
  /** Undici does not open more than 2,000 streams. */
  readonly transports: readonly ('socket' | 'undici')[];
}

const both = ['socket', 'undici'] as const;
const usualCases: readonly ArrivalCase[] = [
  { streams: 1000, isTls: false, rounds: 4, bound: 1, transports: both },
  { streams: 2000, isTls: false, rounds: 4, bound: 1, transports: both },
];
const furtherCases: readonly ArrivalCase[] = [
  { streams: 100, isTls: false, rounds: 1, bound: null, transports: both },
  { streams: 1000, isTls: true, rounds: 1, bound: null, transports: both },
  { streams: 4000, isTls: false, rounds: 2, bound: 5, transports: ['socket'] },
  { streams: 5000, isTls: false, rounds: 1, bound: null, transports: ['socket'] },
];

const measureClient = async (
  client: Client,
  { streams, isTls }: ArrivalCase,
): Promise<ArrivalMeasurement> => {
  const certificate = isTls ? await makeCertificate() : null;
  await using server = await startChatServer({ gap, tokens: null, certificate });
  const options: ArrivalClientOptions = {
    url: server.url,
    client,
    streams,
    gap,
    seconds,
    certificate: certificate?.cert ?? null,
  };
  await using process = await startPinned(1, ['bench/transport/arrival-client.ts'], options);
  const before = await server.count();
  const arrivals = JSON.parse(await process.next()) as Arrivals;
  const after = await server.count();
  const sentRate = ((after.events - before.events) / (after.at - before.at)) * 1000;
  return { ...arrivals, sentRate };
};

const nameOf = ({ streams, isTls }: ArrivalCase): string =>
  `${streams} × ${1000 / gap}/s${isTls ? ' over TLS' : ''}`;

type Measurements = ReadonlyMap<Client, readonly ArrivalMeasurement[]>;

const rowsFor = (arrivalCase: ArrivalCase, measured: Measurements): readonly BenchRow[] => {
  const { streams, bound, transports } = arrivalCase;
  const figure = (client: Client, of: (best: ArrivalMeasurement) => number): number => {
    const best = bestArrivalRound(measured.get(client) ?? [], (streams * 1000) / gap);
    return best === null ? Number.NaN : of(best);
  };
  const rows = transports.flatMap((client) => {
    const row = (what: string, unit: string, of: (best: ArrivalMeasurement) => number) => ({
      what: `${client}, ${nameOf(arrivalCase)}: ${what}`,
      unit,
      bound: null,
      value: figure(client, of),
      reference: figure('net', of),
    });
    const isBounded = client === 'socket' && bound !== null;
    return [
      row('error of arrival times, p50', 'ms', ({ error }) => error.p50),
      {
        ...row('p99 of the median half second', 'ms', ({ error }) => error.medianP99),
        bound: isBounded ? ({ kind: 'at most', value: bound } as const) : null,
      },
      row('p99 of all', 'ms', ({ error }) => error.p99),
      row('CPU per event', 'µs', ({ cpu }) => cpu),
      row('events sent', '/s', ({ sentRate }) => sentRate),
      row('events read', '/s', ({ rate }) => rate),
    ];
  });
  const cpu = (client: Client): number => figure(client, (best) => best.cpu);
  if (!transports.includes('undici')) return rows;
  const what = `events per second of CPU, socket against undici, ${nameOf(arrivalCase)}`;
  return [...rows, { what, value: cpu('undici') / cpu('socket'), unit: '×', bound: null }];
};

const describe = (client: Client, { error, cpu, rate, sentRate }: ArrivalMeasurement): string =>
  `${client} ${Math.round(rate)}/s of ${Math.round(sentRate)}/s sent, p50 ${error.p50.toFixed(2)}, p99 ${error.medianP99.toFixed(2)} (all ${error.p99.toFixed(2)}) ms, ${cpu.toFixed(1)} µs`;

const measureCase = async (arrivalCase: ArrivalCase, say: Say): Promise<readonly BenchRow[]> => {
  const clients: readonly Client[] = ['net', ...arrivalCase.transports];
  const measured = new Map(clients.map((client) => [client, [] as ArrivalMeasurement[]]));
  for (let round = 1; round <= arrivalCase.rounds; round += 1) {
    const descriptions: string[] = [];
    for (const [client, measurements] of measured) {
      const measurement = await measureClient(client, arrivalCase);
      measurements.push(measurement);
      descriptions.push(describe(client, measurement));
    }
    say(`${nameOf(arrivalCase)}, round ${round}: ${descriptions.join('; ')}`);
  }
  return rowsFor(arrivalCase, measured);
};

const measureCases =
  (cases: readonly ArrivalCase[]): BenchPart =>
  async (say) => {
    const rows: BenchRow[] = [];
    for (const arrivalCase of cases) rows.push(...(await measureCase(arrivalCase, say)));
    return rows;
  };

/** How exact arrival times are, and what an event costs: our transports beside a bare socket, alternating. */
export const measureUsualArrivals = measureCases(usualCases);

/** The same with few streams, with many, and over TLS. */
export const measureFurtherArrivals = measureCases(furtherCases);
