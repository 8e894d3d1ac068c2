import type { TransportName } from '../model/exchange.ts';
import type { ArrivalOrder, Arrivals } from './arrival-client.ts';
import type { Row } from './bench.ts';
import { type Certificate, makeCertificate } from './certificate.ts';
import { startOn } from './processes.ts';
import { quietestRound, type Taken } from './quietest-round.ts';
import { startEmitter } from './streams-emitter.ts';

/** How exact the instants of arrival are, and what an event costs: our transports beside a bare socket, taking turns. */

const seconds = 3;
const gap = 50;
const transports = ['socket', 'undici'] as const satisfies readonly TransportName[];
type Client = (typeof transports)[number] | 'net';
type Turn = Readonly<Record<Client, Taken>>;

/** How many streams, and what must be shown of them. */
interface Grade {
  readonly streams: number;
  readonly isTls: boolean;
  readonly rounds: number;
  /** In ms, of the 99th percentile of the median half second, by `socket`. */
  readonly bound: number | null;
  /** By which transports: more than undici can take would only keep it from ever opening them all. */
  readonly by: readonly (typeof transports)[number][];
}

/** What most runs are. */
const usual: readonly Grade[] = [
  { streams: 1000, isTls: false, rounds: 4, bound: 1, by: transports },
  { streams: 2000, isTls: false, rounds: 4, bound: 1, by: transports },
];

const furtherGrades: readonly Grade[] = [
  { streams: 100, isTls: false, rounds: 1, bound: null, by: transports },
  { streams: 1000, isTls: true, rounds: 1, bound: null, by: transports },
  { streams: 4000, isTls: false, rounds: 2, bound: 5, by: ['socket'] },
  { streams: 5000, isTls: false, rounds: 1, bound: null, by: ['socket'] },
];

const arrivalsOf = async (
  client: Client,
  streams: number,
  certificate: Certificate | null,
): Promise<Taken> => {
  const emitter = await startEmitter({ gap, tokens: null, certificate });
  try {
    const order: ArrivalOrder = {
      ...{ port: emitter.port, client, streams, gap, seconds },
      certificate: certificate?.cert ?? null,
    };
    const bound = await startOn(1, ['arrival-client.ts'], { input: JSON.stringify(order) });
    try {
      const before = await emitter.count();
      const arrivals = JSON.parse(await bound.next()) as Arrivals;
      const after = await emitter.count();
      const sent = ((after.events - before.events) / (after.at - before.at)) * 1000;
      return { ...arrivals, sent };
    } finally {
      await bound.stop();
    }
  } finally {
    await emitter.stop();
  }
};

const nameOf = ({ streams, isTls }: Grade): string =>
  `${streams} × ${1000 / gap}/s${isTls ? ' over TLS' : ''}`;

const rowsFor = (grade: Grade, turns: readonly Turn[]): readonly Row[] => {
  const figure = (client: Client, of: (taken: Taken) => number): number => {
    const pace = (grade.streams * 1000) / gap;
    const quietest = quietestRound(
      turns.map((turn) => turn[client]),
      pace,
    );
    return quietest === null ? Number.NaN : of(quietest);
  };
  const rows = grade.by.flatMap((client) => {
    const row = (what: string, unit: string, of: (taken: Taken) => number): Row => ({
      ...{ what: `${client}, ${nameOf(grade)}: ${what}`, unit, bound: null },
      value: figure(client, of),
      ruler: figure('net', of),
    });
    return [
      row('error of arrivals, p50', 'ms', ({ error }) => error.p50),
      {
        ...row('p99 of the median half second', 'ms', ({ error }) => error.medianP99),
        bound:
          client === 'socket' && grade.bound !== null
            ? ({ kind: 'at most', value: grade.bound } as const)
            : null,
      },
      row('p99 of all', 'ms', ({ error }) => error.p99),
      row('CPU for each event', 'µs', ({ cpu }) => cpu),
      row('events sent', '/s', ({ sent }) => sent),
      row('events read', '/s', ({ rate }) => rate),
    ];
  });
  const cpu = (client: Client): number => figure(client, (taken) => taken.cpu);
  if (!grade.by.includes('undici')) return rows;
  const what = `events for each second of CPU, socket against undici, ${nameOf(grade)}`;
  return [...rows, { what, value: cpu('undici') / cpu('socket'), unit: '×', bound: null }];
};

const benchGrade = async (grade: Grade, say: (text: string) => void): Promise<readonly Row[]> => {
  const turns: Turn[] = [];
  const certificate = grade.isTls ? await makeCertificate() : null;
  for (let round = 1; round <= grade.rounds; round += 1) {
    const turn: Partial<Record<Client, Taken>> = {};
    for (const client of ['net', ...grade.by] as const) {
      turn[client] = await arrivalsOf(client, grade.streams, certificate);
    }
    turns.push(turn as Turn);
    const told = Object.entries(turn).map(
      ([client, { error, cpu, rate, sent }]) =>
        `${client} ${Math.round(rate)}/s of ${Math.round(sent)}/s sent, p50 ${error.p50.toFixed(2)}, p99 ${error.medianP99.toFixed(2)} (all ${error.p99.toFixed(2)}) ms, ${cpu.toFixed(1)} µs`,
    );
    say(`${nameOf(grade)}, round ${round}: ${told.join('; ')}`);
  }
  return rowsFor(grade, turns);
};

const benchGrades =
  (grades: readonly Grade[]) =>
  async (say: (text: string) => void): Promise<readonly Row[]> => {
    const rows: Row[] = [];
    for (const grade of grades) rows.push(...(await benchGrade(grade, say)));
    return rows;
  };

export const benchTransportArrivals = benchGrades(usual);

/** Few streams, many, and over TLS. */
export const benchFurtherArrivals = benchGrades(furtherGrades);
