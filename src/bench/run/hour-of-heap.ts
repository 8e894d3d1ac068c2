import { atMost, type BenchPart, benchRow } from '../harness/bench.ts';
import { runPinned } from '../harness/processes.ts';
import { launcherFlags } from '../harness/run-weir.ts';
import type { HeapOfRun, LongRunOptions } from './long-run.ts';

/** Whether the heap of a run grows with its length: an hour against a minute at the same rate, on a manual clock. */
export const measureHourOfHeap: BenchPart = async (say) => {
  const heapAfter = async (name: string, minutes: number): Promise<HeapOfRun> => {
    const options: LongRunOptions = { minutes, rate: 20 };
    const flags = ['--expose-gc', ...launcherFlags];
    const heap = await runPinned<HeapOfRun>(1, 'bench/run/long-run.ts', options, flags);
    const [all, some] = [heap.whole, heap.rest].map((bytes) => (bytes / 2 ** 20).toFixed(1));
    say(
      `one ${name}: ${heap.requests} streams; heap after a collection ${all} MiB, ${some} MiB of it neither timeline, ledger nor samples`,
    );
    return heap;
  };
  const minute = await heapAfter('minute', 1);
  const hour = await heapAfter('hour', 60);
  const what = 'heap after an hour against a minute, without timeline, ledger and samples';
  return [
    benchRow(what, '×', hour.rest / minute.rest, atMost(1.1)),
    benchRow('the same with all of it', '×', hour.whole / minute.whole),
  ];
};
