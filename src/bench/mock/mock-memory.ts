import { atMost, type BenchPart, benchRow, takeTurns } from '../harness/bench.ts';
import { memoryOf } from '../harness/processes.ts';
import { median } from '../harness/statistics.ts';
import { measuredLoad, runStreams, startPinnedMock, streamingSettings } from './pinned-mock.ts';

/** The idle and the highest resident memory of a mock while all streams run, in bytes. */
const memoryWhileStreaming = async () => {
  // Each round has a fresh mock, since a process keeps its memory.
  await using mock = await startPinnedMock(streamingSettings);
  const memory = (): Promise<number> => memoryOf(mock.process.child.pid);
  let idle = Number.NaN;
  let highest = 0;
  const sample = async (): Promise<void> => {
    highest = Math.max(highest, await memory().catch(() => Number.NaN));
  };
  let timer: NodeJS.Timeout | undefined;
  try {
    await runStreams(mock.port, measuredLoad, async () => {
      idle = await memory();
      timer = setInterval(() => void sample(), 250);
    });
  } finally {
    clearInterval(timer);
  }
  return { idle, highest, each: (highest - idle) / measuredLoad.streams / 1024 };
};

/** How much memory a stream of the mock takes. There is no trace log, which takes memory too. */
export const measureMockMemory: BenchPart = async (say) => {
  const { mock } = await takeTurns(say, {
    title: 'memory',
    // The median ignores a round in which a pause left garbage behind.
    rounds: 3,
    candidates: ['mock'],
    measure: memoryWhileStreaming,
    describe: ({ idle, highest, each }) => {
      const [from, to] = [idle, highest].map((bytes) => Math.round(bytes / 2 ** 20));
      return `${from} MiB idle, at most ${to} MiB: ${each.toFixed(1)} KiB per stream`;
    },
  });
  const what = `memory of a stream above its idle connection, median of ${mock.length} rounds`;
  return [benchRow(what, 'KiB', median(mock.map(({ each }) => each)), atMost(32))];
};
