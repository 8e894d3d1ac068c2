import { z } from 'zod';
import { mockNodeFlags } from '../../platform/process/mock-process.ts';
import { atMost, type BenchPart, benchRow, type BenchRow } from '../harness/bench.ts';
import { startPinned } from '../harness/processes.ts';
import { alternate, type Lateness, latenessOf, median } from '../harness/statistics.ts';
import {
  firstTokenDelay,
  measuredLoad,
  portOf,
  runStreams,
  startPinnedMock,
  streamingSettings,
  type StreamLoad,
  tokenGap,
} from './pinned-mock.ts';
import { type IsNormalAt, normalSpeedOf, type SpeedSamples } from './slow-intervals.ts';

const rounds = 5;
/** A round counts if this share of its tokens, in percent, was due at the processor's normal speed. */
const minNormalSpeedShare = 50;
const { streams, tokens } = measuredLoad;

const traceResponseSchema = z.looseObject({
  lines: z.array(z.looseObject({ due: z.array(z.number()), sent: z.array(z.number()) })),
});

/** How late the tokens of one load were. */
const measurementOf = (trace: string, isNormalAt: IsNormalAt) => {
  const { lines } = traceResponseSchema.parse(JSON.parse(trace));
  const all = lines.flatMap(({ due, sent }) => due.map((at, i) => ({ due: at, sent: sent[i]! })));
  if (all.length !== streams * tokens)
    throw new Error(`expected ${streams * tokens} tokens in the trace, found ${all.length}`);
  const begun = Math.max(...lines.map(({ due }) => due[0]!));
  const ended = Math.min(...lines.map(({ due }) => due.at(-1)!));
  const steady = all.filter(({ due }) => due >= begun && due <= ended);
  const normal = steady.filter(({ due }) => isNormalAt(due));
  return {
    /** Of tokens that were due while all streams ran. */
    steady: latenessOf(steady),
    /** Of those that were also due at the processor's normal speed. */
    atNormalSpeed: latenessOf(normal),
    /** Their share in percent. */
    normalSpeedShare: (normal.length / steady.length) * 100,
    early: all.filter(({ due, sent }) => sent < due).length,
  };
};
type LatenessMeasurement = ReturnType<typeof measurementOf>;

/** Runs the load while another process watches the processor's speed on the second core: a slow interval affects both. */
const runMeasuredLoad = async (port: number): Promise<IsNormalAt> => {
  await using monitor = await startPinned(1, ['bench/mock/cpu-speed-monitor.ts'], null);
  await runStreams(port, measuredLoad);
  monitor.send('stop');
  return normalSpeedOf(JSON.parse(await monitor.next()) as SpeedSamples);
};

/** Until the code is compiled, the compiler's threads take the one core for some milliseconds at a time. */
const warmUp: StreamLoad = { streams, tokens: 60 };

const measureBare = async (): Promise<LatenessMeasurement> => {
  const options = { loads: [warmUp, measuredLoad], gap: tokenGap, ttft: firstTokenDelay };
  await using bare = await startPinned(0, ['bench/mock/bare-streams.ts'], options, mockNodeFlags);
  await runStreams(Number(bare.line), warmUp);
  await bare.next();
  const isNormalAt = await runMeasuredLoad(Number(bare.line));
  return measurementOf(await bare.next(), isNormalAt);
};

const measureMock = async (): Promise<LatenessMeasurement> => {
  await using mock = await startPinnedMock({
    ...streamingSettings,
    truth: { file: null, keep: streams },
  });
  await runStreams(portOf(mock.url), warmUp);
  const isNormalAt = await runMeasuredLoad(portOf(mock.url));
  return measurementOf(await (await fetch(`${mock.control}/truth`)).text(), isNormalAt);
};

const describe = ({ steady, atNormalSpeed, normalSpeedShare }: LatenessMeasurement): string =>
  `p50 ${steady.p50.toFixed(2)}, p99 ${steady.p99.toFixed(2)}, at normal processor speed (${Math.round(normalSpeedShare)} %) ${atNormalSpeed.p99.toFixed(2)} ms`;

/** The round with the least lateness at normal speed: other load on the machine only adds time. */
const bestOf = (measurements: readonly LatenessMeasurement[]): LatenessMeasurement | undefined =>
  measurements
    .filter(({ normalSpeedShare }) => normalSpeedShare >= minNormalSpeedShare)
    .toSorted((one, other) => one.atNormalSpeed.p99 - other.atNormalSpeed.p99)[0];

/** How late the mock's tokens are, beside those of a process that only writes them. */
export const measureMockLateness: BenchPart = async (say) => {
  const measured = await alternate(rounds, ['bare', 'mock'] as const, async (who, round) => {
    const measurement = await (who === 'bare' ? measureBare() : measureMock());
    say(`tokens, round ${round}: ${who} ${describe(measurement)}`);
    return measurement;
  });
  const [mocks, bares] = [measured.get('mock')!, measured.get('bare')!];
  const row = (
    what: string,
    figure: (measurements: readonly LatenessMeasurement[]) => number,
    bound: BenchRow['bound'] = null,
  ): BenchRow => ({ ...benchRow(what, figure(mocks), 'ms', bound), reference: figure(bares) });
  const medianOf = (of: (lateness: Lateness) => number) => (all: readonly LatenessMeasurement[]) =>
    median(all.map(({ steady }) => of(steady)));
  const best = (all: readonly LatenessMeasurement[]): number =>
    bestOf(all)?.atNormalSpeed.p99 ?? Number.NaN;
  const share = bestOf(mocks)?.normalSpeedShare ?? Number.NaN;
  const early = mocks.reduce((sum, each) => sum + each.early, 0);
  const title = `lateness of tokens, ${streams} streams × ${1000 / tokenGap}/s`;
  return [
    row(
      `${title}: p50, median of ${rounds} rounds`,
      medianOf(({ p50 }) => p50),
    ),
    row(
      'the same, p99',
      medianOf(({ p99 }) => p99),
      atMost(2),
    ),
    row('the same at normal processor speed, p99 of the best round', best, atMost(2)),
    benchRow('tokens of that round that were due at normal speed', share, '%'),
    benchRow('tokens sent before they were due', early, '', atMost(0)),
  ];
};
