import type { Bench } from '../harness/bench.ts';
import { median } from '../harness/median.ts';
import { startWeirRun, streamScenario } from '../harness/run-weir.ts';

/** Ten minutes of the real command against the embedded gateway: whether the process's resident memory stands still. */

const minutes = 10;
const rate = 20;

/** Streams of some fifty tokens each, without limits. */
const scenario = streamScenario({
  load: { kind: 'constant', rate: `${rate}/s`, duration: `${minutes}m` },
  grace: '10s',
  mock: { ttft: '100ms', gap: '20ms', limits: { requestsPerMinute: 'none' } },
});

export const soakBench: Bench = {
  name: 'soak',
  about: 'ten minutes of one run: whether its memory stands still',
  onlyByName: true,
  run: async (say) => {
    say(`soak: ${minutes} minutes at ${rate} streams a second`);
    const run = await startWeirRun(scenario);
    try {
      const code = await run.ended;
      const result = await run.result();
      const samples = result.slices.flatMap(({ generator }) => generator);
      /** Median resident memory of a minute, counted from 1, in MiB. */
      const memoryOf = (minute: number): number =>
        median(
          samples
            .filter(({ second }) => Math.floor(second / 60) === minute - 1)
            .map(({ memory }) => memory / 2 ** 20),
        );
      const memoryByMinute = Array.from({ length: minutes }, (_, i) => memoryOf(i + 1).toFixed(0));
      say(`resident memory, minute by minute: ${memoryByMinute.join(', ')} MiB; exit ${code}`);
      const completed = result.timeline.reduce((sum, { outcomes }) => sum + outcomes.completed, 0);
      return [
        {
          what: `resident memory of a run in minute ${minutes} against minute 2`,
          value: memoryOf(minutes) / memoryOf(2),
          unit: '×',
          bound: { kind: 'at most', value: 1.1 },
        },
        {
          what: 'streams that completed, of all',
          value: (completed / (minutes * 60 * rate)) * 100,
          unit: '%',
          bound: { kind: 'at least', value: 100 },
        },
      ];
    } finally {
      await run.stop();
    }
  },
};
