import { atMost, type BenchPart, benchRow } from '../harness/bench.ts';
import { runPinned } from '../harness/processes.ts';
import { launcherFlags } from '../harness/run-weir.ts';
import type { HeapOfRun, LongRunOptions } from './long-run.ts';

const mebibyte = 2 ** 20;

const heapAfter = (minutes: number): Promise<HeapOfRun> => {
  const options: LongRunOptions = { minutes, rate: 20 };
  return runPinned(1, 'bench/run/long-run.ts', options, ['--expose-gc', ...launcherFlags]);
};

/** Whether the heap of a run grows with its length: an hour against a minute at the same rate, on a manual clock. */
export const measureHourOfHeap: BenchPart = async (say) => {
  const minute = await heapAfter(1);
  const hour = await heapAfter(60);
  for (const [name, { whole, rest, requests }] of Object.entries({ minute, hour })) {
    const [all, some] = [whole, rest].map((bytes) => (bytes / mebibyte).toFixed(1));
    say(
      `one ${name}: ${requests} streams; heap after a collection ${all} MiB, ${some} MiB of it neither timeline, ledger nor samples`,
    );
  }
  return [
    benchRow(
      'heap after an hour against a minute, without timeline, ledger and samples',
      hour.rest / minute.rest,
      '×',
      atMost(1.1),
    ),
    benchRow('the same with all of it', hour.whole / minute.whole, '×'),
  ];
};
