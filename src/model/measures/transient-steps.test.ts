import { describe, expect, it } from 'vitest';
import { emptyHistogram } from './histogram.ts';
import { endOfTransient, type MeasuredSecond, possibleEnds } from './transient.ts';

/** Runs without chance: twenty answers a second, from 100 to 119 ms in turn, times what a run does to them. */

const second = (times: number, failed = 0): MeasuredSecond => {
  const samples = emptyHistogram(2);
  for (let i = 0; i < 20 - failed; i += 1) samples.record(times * (100 + ((i * 7) % 20)));
  return { samples, failed };
};
const run = (of: (at: number) => MeasuredSecond): readonly MeasuredSecond[] =>
  Array.from({ length: 60 }, (_, at) => of(at));
const ends = possibleEnds(0, 30);
const endOf = (of: (at: number) => MeasuredSecond) => endOfTransient([run(of)], ends);

describe('a run without chance', () => {
  it('that never changes has no transient', () => {
    expect(endOf(() => second(1))).toEqual({ second: 0, isSteady: true });
  });

  it.each([
    ['slow answers', (at: number) => second(at < 8 ? 5 : 1)],
    ['fast answers', (at: number) => second(at < 8 ? 0.2 : 1)],
    ['failures', (at: number) => second(1, at < 8 ? 20 : 0)],
  ])('has its transient end with its %s', (_, of) => {
    const found = endOf(of);
    expect(found.isSteady).toBe(true);
    expect(ends.filter((end) => end >= 8)[0]).toBe(found.second);
  });

  it('is not steady if only the last possible end is left, or if it rises or falls throughout', () => {
    const last = { second: ends.at(-1)!, isSteady: false };
    expect(endOf((at) => second(at < ends.at(-1)! ? 5 : 1))).toEqual(last);
    expect(endOf((at) => second(at < ends.at(-2)! ? 5 : 1))).toEqual({
      second: ends.at(-2),
      isSteady: true,
    });
    expect(endOf((at) => second(1 + at / 60))).toEqual(last);
    expect(endOf((at) => second(2 - at / 60))).toEqual(last);
  });

  it('takes the later of the ends of two measures', () => {
    const two = [run((at) => second(at < 3 ? 5 : 1)), run((at) => second(at < 8 ? 5 : 1))];
    const one = endOfTransient([two[1]!], ends);
    expect(endOfTransient(two, ends)).toEqual(one);
  });
});
