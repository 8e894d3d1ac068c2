import { expect, it } from 'vitest';
import { calibrateVerb } from './calibrate.ts';

it.each([
  [
    { streams: '0' },
    '--streams: expected whole numbers from 1 to 20000, separated by commas; got 0',
  ],
  [{ streams: '20001' }, '--streams: expected whole numbers from 1 to 20000'],
  [{ rate: '0' }, '--rate: expected whole numbers from 1 to 1000'],
  [{ rate: '20,1001' }, '--rate: expected whole numbers from 1 to 1000'],
  [{ workers: '0' }, '--workers: expected whole numbers from 1 to 64'],
  [{ workers: '65' }, '--workers: expected whole numbers from 1 to 64'],
  // The least and the most of each are taken, so that the last one is refused.
  [{ streams: '1,20000', rate: '1,1000', workers: '1,64,x' }, 'separated by commas; got 1,64,x'],
])('refuses %j', async (given, message) => {
  await expect(calibrateVerb.run(given as never)).rejects.toThrow(message);
});
