import type { Result } from '../../model/result/result.ts';
import { atLeast, atMost, type BenchPart, benchRow } from '../harness/bench.ts';
import { runWeir, streamScenario } from '../harness/run-weir.ts';
import { startChatServer } from '../harness/start-chat-server.ts';
import { median } from '../harness/statistics.ts';

/** Median resident memory of the real command from one second of a run to another, in MiB. */
const memoryBetween = ({ slices }: Result, from: number, to: number): number => {
  const samples = slices.flatMap(({ generator }) => generator);
  const own = samples.filter(({ second }) => second >= from && second < to);
  return median(own.map(({ memory }) => (memory ?? 0) / 2 ** 20));
};

const soak = { minutes: 10, rate: 20 } as const;

/** Whether the resident memory of the real command grows over ten minutes of streams, about fifty tokens each, against the embedded gateway. */
export const measureSoak: BenchPart = async (say) => {
  const { minutes, rate } = soak;
  say(`soak: ${minutes} minutes at ${rate} streams per second`);
  const result = await runWeir(
    streamScenario({
      load: { kind: 'constant', rate: `${rate}/s`, duration: `${minutes}m` },
      grace: '10s',
      mock: { ttft: '100ms', gap: '20ms', limits: { requestsPerMinute: 'none' } },
    }),
  );
  /** Minutes are counted from 1. */
  const memoryOf = (minute: number): number =>
    memoryBetween(result, (minute - 1) * 60, minute * 60);
  const byMinute = Array.from({ length: minutes }, (_, i) => memoryOf(i + 1).toFixed(0));
  say(`resident memory by minute: ${byMinute.join(', ')} MiB`);
  const completed = result.timeline.reduce((sum, { outcomes }) => sum + outcomes.completed, 0);
  const growth = memoryOf(minutes) / memoryOf(2);
  const share = (completed / (minutes * 60 * rate)) * 100;
  const what = `resident memory of a run in minute ${minutes} against minute 2`;
  return [
    benchRow(what, '×', growth, atMost(1.1)),
    benchRow('streams that completed, of all', '%', share, atLeast(100)),
  ];
};

const many = { streams: 1000, gap: 50, tokens: 60 } as const;
/** Seconds of the run; memory is the median of the five around each. */
const early = 10;
const late = 120;

/** Whether the resident memory of the real command is flat from its tenth second on, at a thousand streams. */
export const measureMemoryOfStreams: BenchPart = async (say) => {
  const { streams, gap, tokens } = many;
  const title = `${streams} streams × ${1000 / gap}/s`;
  await using server = await startChatServer({ gap, tokens, certificate: null });
  const result = await runWeir(
    streamScenario({
      target: server.url,
      // Users begin over the length of a stream, so that requests come evenly.
      load: {
        kind: 'closed',
        users: streams,
        duration: `${late + 5}s`,
        rampUp: `${tokens * gap}ms`,
      },
      transport: 'socket',
      grace: '10s',
    }),
  );
  const memoryAt = (second: number): number => memoryBetween(result, second - 2, second + 3);
  const seconds = [early, 30, 60, 90, late];
  const bySecond = seconds.map((second) => `${memoryAt(second).toFixed(0)} at ${second} s`);
  say(`${title}: resident memory in MiB: ${bySecond.join(', ')}`);
  const what = `${title}: resident memory of a run at ${late} s against ${early} s`;
  return [benchRow(what, '×', memoryAt(late) / memoryAt(early), atMost(1.1))];
};
