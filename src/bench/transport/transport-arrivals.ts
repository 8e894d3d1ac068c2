import type { TransportName } from '../../model/observation/exchange.ts';
import type { ArrivalClientOptions, Arrivals } from './arrival-client.ts';
import type { BenchRow } from '../harness/bench.ts';
import { type Certificate, makeCertificate } from '../harness/self-signed-certificate.ts';
import { startPinned } from '../harness/pinned-processes.ts';
import { bestArrivalRound, type ArrivalMeasurement } from './best-round.ts';
import { startStreamEmitter } from '../harness/start-stream-emitter.ts';

/** How exact the instants of arrival are, and what an event costs: our transports beside a bare socket, taking turns. */

const seconds = 3;
const gap = 50;
const transports = ['socket', 'undici'] as const satisfies readonly TransportName[];
type Client = (typeof transports)[number] | 'net';
type ArrivalRound = Readonly<Record<Client, ArrivalMeasurement>>;

/** How many streams, and what must be shown of them. */
interface ArrivalCase {
  readonly streams: number;
  readonly isTls: boolean;
  readonly rounds: number;
  /** In ms, of the 99th percentile of the median half second, by `socket`. */
  readonly bound: number | null;
  /** By which transports: more than undici can take would only keep it from ever opening them all. */
  readonly by: readonly (typeof transports)[number][];
}

/** What most runs are. */
const usualCases: readonly ArrivalCase[] = [
  { streams: 1000, isTls: false, rounds: 4, bound: 1, by: transports },
  { streams: 2000, isTls: false, rounds: 4, bound: 1, by: transports },
];

const furtherCases: readonly ArrivalCase[] = [
  { streams: 100, isTls: false, rounds: 1, bound: null, by: transports },
  { streams: 1000, isTls: true, rounds: 1, bound: null, by: transports },
  { streams: 4000, isTls: false, rounds: 2, bound: 5, by: ['socket'] },
  { streams: 5000, isTls: false, rounds: 1, bound: null, by: ['socket'] },
];

const measureArrivals = async (
  client: Client,
  streams: number,
  certificate: Certificate | null,
): Promise<ArrivalMeasurement> => {
  const emitter = await startStreamEmitter({ gap, tokens: null, certificate });
  try {
    const order: ArrivalClientOptions = {
      port: emitter.port,
      client,
      streams,
      gap,
      seconds,
      certificate: certificate?.cert ?? null,
    };
    const bound = await startPinned(1, ['arrival-client.ts'], { input: JSON.stringify(order) });
    try {
      const before = await emitter.count();
      const arrivals = JSON.parse(await bound.next()) as Arrivals;
      const after = await emitter.count();
      const sentRate = ((after.events - before.events) / (after.at - before.at)) * 1000;
      return { ...arrivals, sentRate };
    } finally {
      await bound.stop();
    }
  } finally {
    await emitter.stop();
  }
};

const nameOf = ({ streams, isTls }: ArrivalCase): string =>
  `${streams} × ${1000 / gap}/s${isTls ? ' over TLS' : ''}`;

const rowsFor = (
  arrivalCase: ArrivalCase,
  rounds: readonly ArrivalRound[],
): readonly BenchRow[] => {
  const figure = (client: Client, of: (taken: ArrivalMeasurement) => number): number => {
    const pace = (arrivalCase.streams * 1000) / gap;
    const quietest = bestArrivalRound(
      rounds.map((turn) => turn[client]),
      pace,
    );
    return quietest === null ? Number.NaN : of(quietest);
  };
  const rows = arrivalCase.by.flatMap((client) => {
    const row = (
      what: string,
      unit: string,
      of: (taken: ArrivalMeasurement) => number,
    ): BenchRow => ({
      what: `${client}, ${nameOf(arrivalCase)}: ${what}`,
      unit,
      bound: null,
      value: figure(client, of),
      ruler: figure('net', of),
    });
    return [
      row('error of arrivals, p50', 'ms', ({ error }) => error.p50),
      {
        ...row('p99 of the median half second', 'ms', ({ error }) => error.medianP99),
        bound:
          client === 'socket' && arrivalCase.bound !== null
            ? ({ kind: 'at most', value: arrivalCase.bound } as const)
            : null,
      },
      row('p99 of all', 'ms', ({ error }) => error.p99),
      row('CPU for each event', 'µs', ({ cpu }) => cpu),
      row('events sent', '/s', ({ sentRate }) => sentRate),
      row('events read', '/s', ({ rate }) => rate),
    ];
  });
  const cpu = (client: Client): number => figure(client, (taken) => taken.cpu);
  if (!arrivalCase.by.includes('undici')) return rows;
  const what = `events for each second of CPU, socket against undici, ${nameOf(arrivalCase)}`;
  return [...rows, { what, value: cpu('undici') / cpu('socket'), unit: '×', bound: null }];
};

const benchCase = async (
  arrivalCase: ArrivalCase,
  say: (text: string) => void,
): Promise<readonly BenchRow[]> => {
  const rounds: ArrivalRound[] = [];
  const certificate = arrivalCase.isTls ? await makeCertificate() : null;
  for (let round = 1; round <= arrivalCase.rounds; round += 1) {
    const turn: Partial<Record<Client, ArrivalMeasurement>> = {};
    for (const client of ['net', ...arrivalCase.by] as const) {
      turn[client] = await measureArrivals(client, arrivalCase.streams, certificate);
    }
    rounds.push(turn as ArrivalRound);
    const descriptions = Object.entries(turn).map(
      ([client, { error, cpu, rate, sentRate }]) =>
        `${client} ${Math.round(rate)}/s of ${Math.round(sentRate)}/s sent, p50 ${error.p50.toFixed(2)}, p99 ${error.medianP99.toFixed(2)} (all ${error.p99.toFixed(2)}) ms, ${cpu.toFixed(1)} µs`,
    );
    say(`${nameOf(arrivalCase)}, round ${round}: ${descriptions.join('; ')}`);
  }
  return rowsFor(arrivalCase, rounds);
};

const benchCases =
  (grades: readonly ArrivalCase[]) =>
  async (say: (text: string) => void): Promise<readonly BenchRow[]> => {
    const rows: BenchRow[] = [];
    for (const arrivalCase of grades) rows.push(...(await benchCase(arrivalCase, say)));
    return rows;
  };

export const benchTransportArrivals = benchCases(usualCases);

/** Few streams, many, and over TLS. */
export const benchFurtherArrivals = benchCases(furtherCases);
