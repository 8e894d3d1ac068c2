import { atMost, type BenchPart, benchRow } from '../harness/bench.ts';
import { memoryOf } from '../harness/processes.ts';
import { median } from '../harness/statistics.ts';
import {
  measuredLoad,
  type PinnedMock,
  portOf,
  runStreams,
  startPinnedMock,
  streamingSettings,
} from './pinned-mock.ts';

/** The idle and the highest resident memory of the mock while all streams run, in bytes. */
const memoryWhileStreaming = async ({ bound, url }: PinnedMock) => {
  let idle = Number.NaN;
  let highest = 0;
  const sample = async (): Promise<void> => {
    highest = Math.max(highest, await memoryOf(bound.child.pid).catch(() => Number.NaN));
  };
  let timer: NodeJS.Timeout | undefined;
  try {
    await runStreams(portOf(url), measuredLoad, async () => {
      idle = await memoryOf(bound.child.pid);
      timer = setInterval(() => void sample(), 250);
    });
  } finally {
    clearInterval(timer);
  }
  return { idle, highest };
};

/** Each round has a fresh mock, since a process keeps its memory; the median ignores a round in which a pause left garbage behind. */
const rounds = 3;

/** How much memory a stream of the mock takes. There is no trace log, which takes memory too. */
export const measureMockMemory: BenchPart = async (say) => {
  const perStream: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    await using mock = await startPinnedMock(streamingSettings);
    const { idle, highest } = await memoryWhileStreaming(mock);
    const each = (highest - idle) / measuredLoad.streams / 1024;
    perStream.push(each);
    const [from, to] = [idle, highest].map((bytes) => Math.round(bytes / 2 ** 20));
    say(
      `memory, round ${round}: ${from} MiB idle, at most ${to} MiB: ${each.toFixed(1)} KiB per stream`,
    );
  }
  const what = `memory of a stream above its idle connection, median of ${rounds} rounds`;
  return [benchRow(what, median(perStream), 'KiB', atMost(32))];
};
