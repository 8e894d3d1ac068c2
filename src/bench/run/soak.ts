import { atLeast, atMost, type BenchPart, benchRow } from '../harness/bench.ts';
import { startWeirRun, streamScenario } from '../harness/run-weir.ts';
import { median } from '../harness/statistics.ts';

const minutes = 10;
const rate = 20;

/** Whether the resident memory of the real command grows over ten minutes of streams, about fifty tokens each, against the embedded gateway. */
export const measureSoak: BenchPart = async (say) => {
  say(`soak: ${minutes} minutes at ${rate} streams per second`);
  await using run = await startWeirRun(
    streamScenario({
      load: { kind: 'constant', rate: `${rate}/s`, duration: `${minutes}m` },
      grace: '10s',
      mock: { ttft: '100ms', gap: '20ms', limits: { requestsPerMinute: 'none' } },
    }),
  );
  const { slices, timeline } = await run.result();
  const samples = slices.flatMap(({ generator }) => generator);
  /** Median resident memory of a minute, counted from 1, in MiB. */
  const memoryOf = (minute: number): number => {
    const own = samples.filter(({ second }) => Math.floor(second / 60) === minute - 1);
    return median(own.map(({ memory }) => memory / 2 ** 20));
  };
  const byMinute = Array.from({ length: minutes }, (_, i) => memoryOf(i + 1).toFixed(0));
  say(`resident memory by minute: ${byMinute.join(', ')} MiB; exit code ${run.child.exitCode}`);
  const completed = timeline.reduce((sum, { outcomes }) => sum + outcomes.completed, 0);
  const growth = memoryOf(minutes) / memoryOf(2);
  const share = (completed / (minutes * 60 * rate)) * 100;
  const what = `resident memory of a run in minute ${minutes} against minute 2`;
  return [
    benchRow(what, '×', growth, atMost(1.1)),
    benchRow('streams that completed, of all', '%', share, atLeast(100)),
  ];
};
