import type { Bench } from '../harness/bench.ts';
import type { HeapOfRun, LongRunOptions } from './long-run.ts';
import { startPinned } from '../harness/pinned-processes.ts';
import { launcherFlags } from '../harness/run-weir.ts';

/** Whether the memory of a run grows with its length: an hour beside a minute at the same rate, on a clock moved by hand. */

const rate = 20;

const longRun = async (minutes: number): Promise<HeapOfRun> => {
  const order: LongRunOptions = { minutes, rate };
  const bound = await startPinned(1, ['long-run.ts'], {
    input: JSON.stringify(order),
    flags: ['--expose-gc', ...launcherFlags],
  });
  await bound.stop();
  return JSON.parse(bound.line) as HeapOfRun;
};

const mebibyte = 2 ** 20;

export const memoryBench: Bench = {
  name: 'memory',
  about: 'the heap of a run of an hour against one of a minute',
  run: async (say) => {
    const minute = await longRun(1);
    const hour = await longRun(60);
    for (const [name, { whole, rest, requests }] of Object.entries({ minute, hour })) {
      const figures = `${(whole / mebibyte).toFixed(1)} MiB, ${(rest / mebibyte).toFixed(1)} MiB of it neither timeline, ledger nor samples`;
      say(`one ${name}: ${requests} streams; heap after a collection ${figures}`);
    }
    const perSecond = (hour.whole - hour.withoutTimeline) / 3600;
    return [
      {
        what: 'heap after an hour against a minute, aside from timeline, ledger and samples',
        value: hour.rest / minute.rest,
        unit: '×',
        bound: { kind: 'at most', value: 1.1 },
      },
      {
        what: 'the same with all of it',
        value: hour.whole / minute.whole,
        unit: '×',
        bound: null,
      },
      {
        what: 'what grows by design: the timeline, for each second of a run',
        value: perSecond / 1024,
        unit: 'KiB',
        bound: null,
      },
      {
        what: 'the ledger (its first 20,000 rows) and the generator’s samples, after the hour',
        value: (hour.withoutTimeline - hour.rest) / mebibyte,
        unit: 'MiB',
        bound: null,
      },
    ];
  },
};
