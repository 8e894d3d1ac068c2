import type { Observation } from '../../model/observation/observation.ts';
import { mockNodeFlags } from '../../platform/process/mock-process.ts';
import { atMost, type BenchPart, type BenchRow, rowsBeside, takeTurns } from '../harness/bench.ts';
import type { SentTimes } from '../harness/chat-server.ts';
import { runPinned } from '../harness/processes.ts';
import { startWeirRun, streamScenario } from '../harness/run-weir.ts';
import { startChatServer } from '../harness/start-chat-server.ts';
import { median } from '../harness/statistics.ts';
import type { BurstClientOptions } from './burst-client.ts';
import { type BurstFigures, burstFiguresOf, type BurstStream } from './burst-figures.ts';
import { lacksDescriptors } from './descriptors.ts';

type Client = 'net' | 'undici' | 'run';

interface BurstCase {
  readonly streams: number;
  /** Between two tokens of a stream, in ms. */
  readonly gap: number;
  readonly tokens: number;
  readonly rounds: number;
  readonly rivals: readonly Exclude<Client, 'run'>[];
  /** Gaps before this are not judged, in ms after due. */
  readonly from: number;
  /** Bounds in ms; `null` for none. */
  readonly most: Readonly<Record<keyof BurstFigures, number | null>>;
}

/** Answers may come late, and a whole run has to write its files; in ms. */
const patience = 20_000;

const streamOf =
  (zero: number) =>
  ({ requestId, due, sent, outcome }: Observation): BurstStream => {
    const answer = outcome.kind === 'completed' ? outcome.answer : null;
    const read = answer?.kind === 'chat-stream' ? [...answer.tokenInstants] : [];
    return {
      requestId,
      due: zero + due,
      sent: zero + (sent ?? Number.NaN),
      read: read.map((at) => zero + at),
    };
  };

/** The burst by the real command: nothing is warm, and everything counts that a user gets. */
const streamsOfRun = async (
  { streams }: BurstCase,
  target: string,
): Promise<readonly BurstStream[]> => {
  const load = { kind: 'iterations', users: streams, iterations: streams };
  const fields = { target, load, inFlight: streams, grace: '20s', transport: 'socket' };
  await using run = await startWeirRun(streamScenario(fields), { keepsObservations: true });
  const { zero, observations } = await run.observations();
  return observations.map(streamOf(zero));
};

const streamsOf = (
  client: Client,
  burst: BurstCase,
  url: string,
): Promise<readonly BurstStream[]> => {
  if (client === 'run') return streamsOfRun(burst, url);
  const { streams, tokens, gap } = burst;
  const options: BurstClientOptions = {
    url,
    client,
    streams,
    tokens,
    limit: tokens * gap + patience,
  };
  return runPinned(1, 'bench/transport/burst-client.ts', options);
};

const measureClient = async (client: Client, burst: BurstCase): Promise<BurstFigures> => {
  const { gap, tokens, from } = burst;
  const options = { gap, tokens, certificate: null, keepsTimes: true } as const;
  await using server = await startChatServer(options, mockNodeFlags);
  const streams = await streamsOf(client, burst, server.url);
  const { lines } = JSON.parse(await server.times()) as { lines: readonly SentTimes[] };
  if (streams.length !== burst.streams)
    throw new Error(`${client} opened ${streams.length} of ${burst.streams} streams`);
  return burstFiguresOf(streams, lines, from);
};

const texts: Readonly<Record<keyof BurstFigures, string>> = {
  startP50: 'due to sent, p50',
  startP99: 'due to sent, p99',
  gapErrorP99: 'error of gaps, p99',
};
const figures = Object.keys(texts) as (keyof BurstFigures)[];

/** How late streams are sent that are all due at once, and how exactly their gaps are read, from the first token on: nothing has warmed up. */
const burstBench =
  (burst: BurstCase): BenchPart =>
  async (say) => {
    const { streams, gap, rounds, rivals, from, most } = burst;
    const title = `${streams} streams × ${1000 / gap}/s at once`;
    const isPossible = !(await lacksDescriptors(streams, title, say));
    const measured = await takeTurns<Client, BurstFigures>(say, {
      title,
      rounds: isPossible ? rounds : 0,
      candidates: [...rivals, 'run'],
      measure: (client) => measureClient(client, burst),
      describe: (each) =>
        figures.map((name) => `${texts[name]} ${each[name].toFixed(2)} ms`).join(', '),
    });
    const textOf = (name: keyof BurstFigures): string =>
      name === 'gapErrorP99' && from > 0 ? `${texts[name]}, after ${from / 1000} s` : texts[name];
    const rowsOf = (client: Client): readonly BenchRow[] => {
      const row = rowsBeside(measured[client], measured.net);
      return figures.map((name) => {
        const what = `${title}, ${client}: ${textOf(name)}, median of ${rounds} rounds`;
        const bound = client === 'run' ? most[name] : null;
        const medianOf = (all: readonly BurstFigures[]) => median(all.map((each) => each[name]));
        return row(what, 'ms', medianOf, bound === null ? null : atMost(bound));
      });
    };
    return ['run' as const, ...rivals.filter((rival) => rival !== 'net')].flatMap(rowsOf);
  };

const usual = { gap: 50, tokens: 60, rounds: 5, rivals: ['net', 'undici'], from: 0 } as const;

export const bursts: readonly BenchPart[] = [
  burstBench({
    ...usual,
    streams: 500,
    most: { startP50: null, startP99: 40, gapErrorP99: 3 },
  }),
  burstBench({
    ...usual,
    streams: 2000,
    most: { startP50: null, startP99: 150, gapErrorP99: 10 },
  }),
  burstBench({
    streams: 10_000,
    gap: 500,
    tokens: 16,
    rounds: 3,
    // Undici does not open so many.
    rivals: ['net'],
    from: 1000,
    most: { startP50: null, startP99: null, gapErrorP99: 100 },
  }),
];
