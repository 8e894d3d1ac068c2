import { z } from 'zod';
import { mockNodeFlags } from '../../platform/process/mock-process.ts';
import type { BenchRow } from '../harness/bench.ts';
import { type Lateness, latenessOf, type TokenTime } from '../harness/lateness.ts';
import { median } from '../harness/median.ts';
import {
  tokenGap,
  measuredLoad,
  type StreamLoad,
  portOf,
  runStreams,
  firstTokenDelay,
  withPinnedMock,
} from './mock-load.ts';
import { startPinned } from '../harness/pinned-processes.ts';
import type { NormalSpeed } from './slow-intervals.ts';
import { watchCpuSpeed } from './watch-cpu-speed.ts';

/** How late the mock's tokens are, beside those of a process that only writes them. */

/** By turns, since what else the machine does comes and goes. */
const rounds = 5;
/** In percent: what must have been due at the processor's usual speed, of a round's tokens, for it to count. */
const minNormalSpeedShare = 50;
const { streams, tokens } = measuredLoad;

const traceResponseSchema = z.looseObject({
  lines: z.array(z.looseObject({ due: z.array(z.number()), sent: z.array(z.number()) })),
});

type TraceResponse = z.infer<typeof traceResponseSchema>;

const tokensOf = (lines: TraceResponse['lines']): readonly TokenTime[] =>
  lines.flatMap(({ due, sent }) => due.map((instant, i) => ({ due: instant, sent: sent[i]! })));

/** How late the tokens of one load were. */
interface LatenessMeasurement {
  /** Of those that were due while all streams ran. */
  readonly steady: Lateness;
  /** Of these, those that were due while the processor kept its speed; how many of them in percent. */
  readonly atNormalSpeed: Lateness;
  readonly normalSpeedShare: number;
  /** Of all tokens, those that were sent before they were due. */
  readonly early: number;
}

const measurementOf = (answer: unknown, speed: NormalSpeed): LatenessMeasurement => {
  const { lines } = traceResponseSchema.parse(answer);
  const all = tokensOf(lines);
  if (all.length !== streams * tokens) throw new Error(`${all.length} tokens were told`);
  const begun = Math.max(...lines.map(({ due }) => due[0]!));
  const ended = Math.min(...lines.map(({ due }) => due.at(-1)!));
  const steady = all.filter(({ due }) => due >= begun && due <= ended);
  const calm = steady.filter(({ due }) => speed.isNormalAt(due));
  return {
    steady: latenessOf(steady),
    atNormalSpeed: latenessOf(calm),
    normalSpeedShare: (calm.length / steady.length) * 100,
    early: latenessOf(all).early,
  };
};

/**
 * What makes the mock's code warm, as a user's first seconds do: until it is compiled, the compiler's threads
 * take the one core for some milliseconds at a time.
 */
const warmUp: StreamLoad = { streams, tokens: 60 };

/** By a process that only writes the tokens. */
const measureBare = async (): Promise<LatenessMeasurement> => {
  const bare = await startPinned(0, ['bare-streams.ts'], {
    input: JSON.stringify({ loads: [warmUp, measuredLoad], gap: tokenGap, ttft: firstTokenDelay }),
    flags: mockNodeFlags,
  });
  try {
    await runStreams(Number(bare.line), warmUp);
    await bare.next();
    const calm = await watchCpuSpeed(() => runStreams(Number(bare.line), measuredLoad));
    return measurementOf(JSON.parse(await bare.next()), calm);
  } finally {
    await bare.stop();
  }
};

const measureMock = (): Promise<LatenessMeasurement> =>
  withPinnedMock({ truth: { file: null, keep: streams } }, async ({ url, control }) => {
    await runStreams(portOf(url), warmUp);
    const calm = await watchCpuSpeed(() => runStreams(portOf(url), measuredLoad));
    return measurementOf(await (await fetch(`${control}/truth`)).json(), calm);
  });

interface Round {
  readonly bare: LatenessMeasurement;
  readonly mock: LatenessMeasurement;
}

const describe = ({ steady, atNormalSpeed, normalSpeedShare }: LatenessMeasurement): string =>
  `p50 ${steady.p50.toFixed(2)}, p99 ${steady.p99.toFixed(2)}, at the processor's usual speed (${Math.round(normalSpeedShare)} %) ${atNormalSpeed.p99.toFixed(2)} ms`;

const measureRounds = async (say: (text: string) => void): Promise<readonly Round[]> => {
  const measuredRounds: Round[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const bare = await measureBare();
    const mock = await measureMock();
    measuredRounds.push({ bare, mock });
    say(`tokens, round ${round}: the mock ${describe(mock)}; bare ${describe(bare)}`);
  }
  return measuredRounds;
};

const usable = (turns: readonly LatenessMeasurement[]): readonly LatenessMeasurement[] =>
  turns.filter(({ normalSpeedShare }) => normalSpeedShare >= minNormalSpeedShare);

/** The round in which the tokens at the processor's usual speed came best; what else runs on the machine only adds. */
const bestRoundOf = (turns: readonly LatenessMeasurement[]): LatenessMeasurement | undefined =>
  usable(turns).toSorted((one, other) => one.atNormalSpeed.p99 - other.atNormalSpeed.p99)[0];

type Figure = (turns: readonly LatenessMeasurement[]) => number;

const medianOf =
  (of: (turn: LatenessMeasurement) => number): Figure =>
  (turns) =>
    median(turns.map(of));

const ofBest =
  (of: (turn: LatenessMeasurement) => number): Figure =>
  (turns) => {
    const best = bestRoundOf(turns);
    return best === undefined ? Number.NaN : of(best);
  };

/** Of the 99th percentile of a token's lateness, in ms. */
const atMostLate = { kind: 'at most', value: 2 } as const;
const title = `lateness of tokens, ${streams} streams × ${1000 / tokenGap}/s`;
const atNormalSpeedTitle = 'the same while the processor kept its speed';

const latenessRows = (measuredRounds: readonly Round[]): readonly BenchRow[] => {
  const mocks = measuredRounds.map(({ mock }) => mock);
  const bares = measuredRounds.map(({ bare }) => bare);
  const row = (what: string, figure: Figure, bound: BenchRow['bound'] = null): BenchRow => ({
    what,
    unit: 'ms',
    bound,
    value: figure(mocks),
    ruler: figure(bares),
  });
  const share = ofBest(({ normalSpeedShare }) => normalSpeedShare);
  return [
    row(
      `${title}: p50, median of ${rounds} rounds`,
      medianOf(({ steady }) => steady.p50),
    ),
    row(
      'the same, p99',
      medianOf(({ steady }) => steady.p99),
      atMostLate,
    ),
    row(
      'the same, the latest',
      medianOf(({ steady }) => steady.max),
    ),
    row(
      `${atNormalSpeedTitle}, p99 of the best round`,
      ofBest(({ atNormalSpeed }) => atNormalSpeed.p99),
      atMostLate,
    ),
    { ...row('in that round, tokens that were due then', share), unit: '%' },
    row(
      `${atNormalSpeedTitle}, p99, median of the ${usable(mocks).length} rounds that count`,
      (turns) => median(usable(turns).map(({ atNormalSpeed }) => atNormalSpeed.p99)),
    ),
    {
      what: 'tokens sent before they were due',
      value: mocks.reduce((sum, { early }) => sum + early, 0),
      unit: '',
      bound: { kind: 'at most', value: 0 },
    },
  ];
};

export const benchLateness = async (say: (text: string) => void): Promise<readonly BenchRow[]> =>
  latenessRows(await measureRounds(say));
