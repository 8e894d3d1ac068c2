import { expect, it } from 'vitest';
import { startDueAt, type StartLoadOptions } from './start-load.ts';

const options: StartLoadOptions = {
  rate: 1000,
  streams: 0,
  inFlight: 10,
  streamSeconds: 4,
  rampSeconds: 3,
  warmUp: 1,
  seconds: 1,
};
/** How many starts are due in each second. */
const perSecond = (changes: Partial<StartLoadOptions>): readonly number[] => {
  const counts: number[] = [0, 0, 0, 0, 0];
  for (let index = 0; ; index += 1) {
    const second = Math.floor(startDueAt({ ...options, ...changes }, index) / 1000);
    if (second >= counts.length) return counts;
    counts[second]! += 1;
  }
};

it('starts per second rise evenly during the ramp and stay constant after it', () => {
  expect(perSecond({})).toEqual([250, 550, 850, 1000, 1000]);
});

it('without a ramp the rate is constant from the beginning', () => {
  expect(perSecond({ rampSeconds: 0 })).toEqual([1000, 1000, 1000, 1000, 1000]);
});
