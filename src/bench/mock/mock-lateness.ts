import { z } from 'zod';
import { mockNodeFlags } from '../../platform/process/mock-process.ts';
import { atMost, type BenchPart, benchRow, rowsBeside, takeTurns } from '../harness/bench.ts';
import { startPinned } from '../harness/processes.ts';
import { startChatServer } from '../harness/start-chat-server.ts';
import { latenessOf, median } from '../harness/statistics.ts';
import { measuredLoad, runStreams, startPinnedMock, streamingSettings } from './pinned-mock.ts';
import { type IsNormalAt, normalSpeedOf, type SpeedSamples } from './slow-intervals.ts';

const rounds = 5;
/** A round counts if this share of its tokens, in percent, was due at the processor's normal speed. */
const minNormalSpeedShare = 50;
const { streams, tokens } = measuredLoad;

const traceSchema = z.looseObject({
  lines: z.array(z.looseObject({ due: z.array(z.number()), sent: z.array(z.number()) })),
});

/** How late the tokens of one load were. */
const measurementOf = (trace: string, isNormalAt: IsNormalAt) => {
  const { lines } = traceSchema.parse(JSON.parse(trace));
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
type Measurement = ReturnType<typeof measurementOf>;

/** Runs the load while another process watches the processor's speed on the second core: a slow interval affects both. */
const runMeasuredLoad = async (port: number): Promise<IsNormalAt> => {
  await using monitor = await startPinned(1, ['bench/mock/cpu-speed-monitor.ts'], null);
  await runStreams(port, measuredLoad);
  monitor.send('stop');
  return normalSpeedOf(JSON.parse(await monitor.next()) as SpeedSamples);
};

/** Until the code is compiled, the compiler's threads take the one core for some milliseconds at a time. */
const warmUp = { streams, tokens: 60 };

const clients = {
  bare: async (): Promise<Measurement> => {
    const { gap } = streamingSettings;
    const options = { gap, tokens: 'asked', certificate: null, keepsTimes: true } as const;
    await using bare = await startChatServer(options, mockNodeFlags);
    await runStreams(bare.port, warmUp);
    await bare.times();
    const isNormalAt = await runMeasuredLoad(bare.port);
    return measurementOf(await bare.times(), isNormalAt);
  },
  mock: async (): Promise<Measurement> => {
    const truth = { file: null, keep: streams };
    await using mock = await startPinnedMock({ ...streamingSettings, truth });
    await runStreams(mock.port, warmUp);
    const isNormalAt = await runMeasuredLoad(mock.port);
    return measurementOf(await (await fetch(`${mock.control}/truth`)).text(), isNormalAt);
  },
};

/** The round with the least lateness at normal speed: other load on the machine only adds time. */
const bestOf = (measurements: readonly Measurement[]): Measurement | undefined =>
  measurements
    .filter(({ normalSpeedShare }) => normalSpeedShare >= minNormalSpeedShare)
    .toSorted((one, other) => one.atNormalSpeed.p99 - other.atNormalSpeed.p99)[0];

/** How late the mock's tokens are, beside those of a process that only writes them. */
export const measureMockLateness: BenchPart = async (say) => {
  const { bare, mock } = await takeTurns(say, {
    title: 'tokens',
    rounds,
    candidates: ['bare', 'mock'],
    measure: (name) => clients[name](),
    describe: ({ steady, atNormalSpeed, normalSpeedShare }) =>
      `p50 ${steady.p50.toFixed(2)}, p99 ${steady.p99.toFixed(2)}, at normal processor speed (${Math.round(normalSpeedShare)} %) ${atNormalSpeed.p99.toFixed(2)} ms`,
  });
  const row = rowsBeside(mock, bare);
  const medianOf = (name: 'p50' | 'p99') => (all: readonly Measurement[]) =>
    median(all.map(({ steady }) => steady[name]));
  const best = (all: readonly Measurement[]) => bestOf(all)?.atNormalSpeed.p99 ?? Number.NaN;
  const share = bestOf(mock)?.normalSpeedShare ?? Number.NaN;
  const early = mock.reduce((sum, each) => sum + each.early, 0);
  const title = `lateness of tokens, ${streams} streams × ${1000 / streamingSettings.gap}/s`;
  return [
    row(`${title}: p50, median of ${rounds} rounds`, 'ms', medianOf('p50')),
    row('the same, p99', 'ms', medianOf('p99'), atMost(2)),
    row('the same at normal processor speed, p99 of the best round', 'ms', best, atMost(2)),
    benchRow('tokens of that round that were due at normal speed', '%', share),
    benchRow('tokens sent before they were due', '', early, atMost(0)),
  ];
};
