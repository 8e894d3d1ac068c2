import type { Row } from './bench.ts';
import { median } from './median.ts';
import { load, portOf, stream, withMock } from './mock-load.ts';
import type { Bound } from './processes.ts';

/** How much memory a stream of the mock takes. */

/** The highest and the idle memory of the mock while all streams run, in bytes. */
const memoryWhile = async (
  mock: Bound,
  url: string,
): Promise<{ idle: number; highest: number }> => {
  let idle = Number.NaN;
  let highest = 0;
  const note = (bytes: number): void => {
    highest = Math.max(highest, bytes);
  };
  let watch: NodeJS.Timeout | undefined;
  try {
    await stream(portOf(url), load, async () => {
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
  const taken: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    // The truth takes memory too, which is no stream's.
    const { idle, highest } = await withMock({}, (mock) => memoryWhile(mock.bound, mock.url));
    const each = (highest - idle) / load.streams / 1024;
    taken.push(each);
    say(
      `memory, round ${round}: ${Math.round(idle / 2 ** 20)} MiB idle, at most ${Math.round(highest / 2 ** 20)} MiB: ${each.toFixed(1)} KiB a stream`,
    );
  }
  return median(taken);
};

export const benchMemory = async (say: (text: string) => void): Promise<readonly Row[]> => [
  {
    what: `memory for a stream above its idle connection, median of ${rounds} rounds`,
    value: await memoryForEach(say),
    unit: 'KiB',
    bound: { kind: 'at most', value: 32 },
  },
];
