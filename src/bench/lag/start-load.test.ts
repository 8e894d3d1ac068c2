import { expect, it } from 'vitest';
import { startDueAt, type StartLoadOptions } from './start-load.ts';

const order: StartLoadOptions = {
  rate: 1000,
  streams: 0,
  inFlight: 10,
  streamSeconds: 4,
  rampSeconds: 3,
  warmUp: 1,
  seconds: 1,
};
/** How many are due in each second. */
const perSecond = (differing: Partial<StartLoadOptions>): readonly number[] => {
  const counts: number[] = [0, 0, 0, 0, 0];
  for (let index = 0; ; index += 1) {
    const second = Math.floor(startDueAt({ ...order, ...differing }, index) / 1000);
    if (second >= counts.length) return counts;
    counts[second]! += 1;
  }
};

it('starts come evenly more from second to second while the rate rises, and evenly from then on', () => {
  expect(perSecond({})).toEqual([250, 550, 850, 1000, 1000]);
});

it('a rate that does not rise is the same from the beginning', () => {
  expect(perSecond({ rampSeconds: 0 })).toEqual([1000, 1000, 1000, 1000, 1000]);
});
