// @gate 1 s
import { describe, expect, it } from 'vitest';
import { drawFrom } from '../../model/workload/draw.ts';
import { timerLateness } from './timer-lateness.ts';

const resolution = 10;

/** The monitor's figures of these intervals, without the rounding of its histogram. */
const intervalsOf = (lengths: readonly number[]) => {
  const sorted = lengths.map((each) => each * 1e6).toSorted((a, b) => a - b);
  const count = sorted.length;
  const percentiles = new Map<number, number>();
  // The steps halve what is left, as Node's do.
  let left = 100;
  for (let rank = 0; rank < count; left /= 2) {
    rank = Math.max(1, Math.ceil(((100 - left) / 100) * count - 1e-9));
    percentiles.set(100 - left, sorted[rank - 1]!);
  }
  if (count > 0) percentiles.set(100, sorted.at(-1)!);
  return { count, mean: sorted.reduce((sum, each) => sum + each, 0) / count, percentiles };
};

/** A time in which the loop does something else, in ms. */
interface Block {
  readonly from: number;
  readonly to: number;
}

/** Blocks of a random length with random pauses between them. */
const blocksFor = (seconds: number, pause: number, length: number, seed: number): Block[] => {
  const draw = drawFrom(seed);
  const blocks: Block[] = [];
  for (let at = 0; at < seconds * 1000;) {
    const from = at - pause * Math.log(1 - draw.uniform());
    const to = from - length * Math.log(1 - draw.uniform());
    blocks.push({ from, to });
    at = to;
  }
  return blocks;
};

/** When the loop next runs, at or after an instant. */
const nextRun = (blocks: readonly Block[]): ((at: number) => number) => {
  let next = 0;
  return (at) => {
    while (next < blocks.length && blocks[next]!.to <= at) next += 1;
    const block = blocks[next];
    return block !== undefined && block.from <= at ? block.to : at;
  };
};

/** The seconds' lateness by the timers of a loop with these blocks. */
const byTimers = (
  blocks: readonly Block[],
  seconds: number,
): readonly (readonly [number, number])[] => {
  const run = nextRun(blocks);
  const bySecond = new Map<number, number[]>();
  for (let at = 0; at < seconds * 1000;) {
    const fired = run(at + resolution);
    const second = Math.floor(fired / 1000);
    bySecond.set(second, [...(bySecond.get(second) ?? []), fired - at]);
    at = fired;
  }
  return [...bySecond.values()].flatMap((lengths) => {
    const { p50, p90, p99 } = timerLateness(intervalsOf(lengths), resolution)!;
    const longest = Math.max(...lengths) - resolution;
    return [
      [p50, 0.5],
      [p90, 0.4],
      [p99, 0.09],
      [longest, 0.01],
    ] as const;
  });
};

/** The true share of all instants that are read more than `limit` ms late. */
const lateShare = (blocks: readonly Block[], seconds: number, limit: number): number =>
  blocks.reduce((sum, { from, to }) => sum + Math.max(0, to - from - limit), 0) / (seconds * 1000);

describe('the lateness of timers', () => {
  it('stands for as many instants as the loop was blocked', () => {
    const lengths = [...Array.from({ length: 50 }, () => 10), 490];
    expect(timerLateness(intervalsOf(lengths), resolution)).toEqual({ p50: 0, p90: 480, p99: 480 });
    expect(timerLateness(intervalsOf([]), resolution)).toBeNull();
  });

  it('of a calm loop is small but for its maximum', () => {
    const lengths = Array.from({ length: 100 }, (_, i) => (i === 99 ? 10.9 : 10 + i / 1000));
    const { p50, p90, p99 } = timerLateness(intervalsOf(lengths), resolution)!;
    expect(p50).toBeLessThan(0.08);
    expect(p90).toBeLessThan(0.1);
    expect(p99).toBe(0.9);
  });

  it.each([
    ['long and rare', 3000, 300],
    ['short and frequent', 20, 3],
    ['short and rare', 400, 4],
    ['half of the time', 60, 60],
    ['most of the time', 5, 25],
  ])('is no less than the true one if blocks are %s', (_, pause, length) => {
    const seconds = 4000;
    const blocks = blocksFor(seconds, pause, length, 1);
    const shares = byTimers(blocks, seconds);
    const total = shares.reduce((sum, [, share]) => sum + share, 0);
    for (const limit of [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500]) {
      const estimated =
        shares.reduce((sum, [late, share]) => sum + (late > limit ? share : 0), 0) / total;
      const truth = lateShare(blocks, seconds, limit);
      expect(estimated, `${limit} ms`).toBeGreaterThan(0.93 * truth - 0.0005);
    }
  });
});
