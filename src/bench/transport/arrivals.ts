import { atMost, type BenchPart, rowsBeside, takeTurns } from '../harness/bench.ts';
import { startPinned } from '../harness/processes.ts';
import { makeCertificate, startChatServer } from '../harness/start-chat-server.ts';
import { sustainsRate } from '../harness/statistics.ts';
import type { ArrivalClientOptions, Arrivals } from './arrival-client.ts';

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

/** What a client measured, and the events per second that the server sent by its own count. */
export interface ArrivalMeasurement extends Arrivals {
  readonly sentRate: number;
}

const measureClient = async (
  client: Client,
  { streams, isTls }: ArrivalCase,
): Promise<ArrivalMeasurement> => {
  const certificate = isTls ? await makeCertificate() : null;
  await using server = await startChatServer({ gap, tokens: null, certificate });
  const { url } = server;
  const cert = certificate?.cert ?? null;
  const options: ArrivalClientOptions = { url, client, streams, gap, seconds, certificate: cert };
  await using process = await startPinned(1, ['bench/transport/arrival-client.ts'], options);
  const before = await server.count();
  const arrivals = JSON.parse(await process.next()) as Arrivals;
  const after = await server.count();
  const sentRate = ((after.events - before.events) / (after.at - before.at)) * 1000;
  return { ...arrivals, sentRate };
};

/** Of a client that fell behind: events that it has not read yet are later than any other. */
const infinitelyLate = { p50: Infinity, p99: Infinity, medianP99: Infinity, max: Infinity };

/**
 * The round with the least lateness: other load on the machine only adds time, so this round shows most of what
 * the client does itself. A round does not count if the server did not sustain `rate`, in events per second; `null`
 * if none counts.
 */
export const bestArrivalRound = (
  rounds: readonly ArrivalMeasurement[],
  rate: number,
): ArrivalMeasurement | null => {
  const [best] = rounds
    .filter(({ sentRate }) => sustainsRate(sentRate, rate))
    .map((round) =>
      sustainsRate(round.rate, round.sentRate)
        ? round
        : { ...round, error: { ...round.error, ...infinitelyLate } },
    )
    .toSorted((one, other) => (one.error.medianP99 < other.error.medianP99 ? -1 : 1));
  return best ?? null;
};

/** How exact arrival times are, and what an event costs: our transports beside a bare socket. */
const arrivalBench =
  (arrivalCase: ArrivalCase): BenchPart =>
  async (say) => {
    const { streams, isTls, rounds, bound, transports } = arrivalCase;
    const name = `${streams} × ${1000 / gap}/s${isTls ? ' over TLS' : ''}`;
    const measured = await takeTurns<Client, ArrivalMeasurement>(say, {
      title: name,
      rounds,
      candidates: ['net', ...transports],
      measure: (client) => measureClient(client, arrivalCase),
      describe: ({ error, cpu, rate, sentRate }) =>
        `${Math.round(rate)}/s of ${Math.round(sentRate)}/s sent, p50 ${error.p50.toFixed(2)}, p99 ${error.medianP99.toFixed(2)} (all ${error.p99.toFixed(2)}) ms, ${cpu.toFixed(1)} µs`,
    });
    const best = (client: Client) => bestArrivalRound(measured[client], (streams * 1000) / gap);
    return transports.flatMap((client) => {
      const row = rowsBeside(best(client), best('net'));
      const title = `${client}, ${name}`;
      const most = client === 'socket' && bound !== null ? atMost(bound) : null;
      const error = (of: 'p50' | 'medianP99') => (round: ArrivalMeasurement | null) =>
        round?.error[of] ?? Number.NaN;
      return [
        row(`${title}: error of arrival times, p50`, 'ms', error('p50')),
        row(`${title}: p99 of the median half second`, 'ms', error('medianP99'), most),
        row(`${title}: CPU per event`, 'µs', (round) => round?.cpu ?? Number.NaN),
      ];
    });
  };

const both = ['socket', 'undici'] as const;

export const usualArrivals: readonly BenchPart[] = [
  arrivalBench({ streams: 1000, isTls: false, rounds: 4, bound: 1, transports: both }),
  arrivalBench({ streams: 2000, isTls: false, rounds: 4, bound: 1, transports: both }),
];
export const furtherArrivals: readonly BenchPart[] = [
  arrivalBench({ streams: 1000, isTls: true, rounds: 1, bound: null, transports: both }),
  arrivalBench({ streams: 4000, isTls: false, rounds: 2, bound: 5, transports: ['socket'] }),
];
