import type { BenchRow } from '../harness/bench.ts';
import { median } from '../harness/median.ts';
import { measuredLoad, portOf, runStreams, withPinnedMock } from './mock-load.ts';
import type { PinnedProcess } from '../harness/pinned-processes.ts';

/** How much memory a stream of the mock takes. */

/** The highest and the idle memory of the mock while all streams run, in bytes. */
const memoryWhile = async (
  mock: PinnedProcess,
  url: string,
): Promise<{ idle: number; highest: number }> => {
  let idle = Number.NaN;
  let highest = 0;
  const note = (bytes: number): void => {
    highest = Math.max(highest, bytes);
  };
  let watch: NodeJS.Timeout | undefined;
  try {
    await runStreams(portOf(url), measuredLoad, async () => {
      idle = await mock.memory();
      watch = setInterval(() => void mock.memory().then(note, () => note(Number.NaN)), 250);
    });
  } finally {
    clearInterval(watch);
  }
  return { idle, highest };
};

/** A fresh mock each time, since what one has used it keeps; a pause of the machine leaves garbage behind that is no stream's. */
const rounds = 3;

/** In KiB. */
const memoryForEach = async (say: (text: string) => void): Promise<number> => {
  const memoryPerStream: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    // The truth takes memory too, which is no stream's.
    const { idle, highest } = await withPinnedMock({}, (mock) => memoryWhile(mock.bound, mock.url));
    const each = (highest - idle) / measuredLoad.streams / 1024;
    memoryPerStream.push(each);
    say(
      `memory, round ${round}: ${Math.round(idle / 2 ** 20)} MiB idle, at most ${Math.round(highest / 2 ** 20)} MiB: ${each.toFixed(1)} KiB a stream`,
    );
  }
  return median(memoryPerStream);
};

export const benchMemory = async (say: (text: string) => void): Promise<readonly BenchRow[]> => [
  {
    what: `memory for a stream above its idle connection, median of ${rounds} rounds`,
    value: await memoryForEach(say),
    unit: 'KiB',
    bound: { kind: 'at most', value: 32 },
  },
];
