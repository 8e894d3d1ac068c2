import { expect, it } from 'vitest';
import { instant } from '../../model/quantity.ts';
import { startClock } from './clock.ts';

/** Rings of an alarm that is set to each of these delays once the one before has rung. */
const ringsAfter = async (delays: readonly number[]): Promise<readonly number[]> => {
  const clock = startClock();
  const early: number[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  let place = 0;
  let target = 0;
  const alarm = clock.alarm(() => {
    early.push(target - clock.now());
    place += 1;
    if (place === delays.length) resolve();
    else setNext();
  });
  const setNext = (): void => {
    target = clock.now() + delays[place]!;
    alarm.set(instant(target));
  };
  setNext();
  await promise;
  alarm.stop();
  return early;
};

it('an alarm rings once for each instant and never before it, however near the instant is', async () => {
  const delays = [-5, 0, 0.3, 1, 1.5, 4, 10, 0.1, 25.7, 3.2, 40];
  const early = await ringsAfter(delays);
  expect(early).toHaveLength(delays.length);
  for (const before of early) expect(before).toBeLessThanOrEqual(0);
});

it('an alarm that is set anew rings at the new instant only, and a stopped one not at all', async () => {
  const clock = startClock();
  const { promise, resolve } = Promise.withResolvers<void>();
  const rings: string[] = [];
  const moved = clock.alarm(() => rings.push('moved'));
  const stopped = clock.alarm(() => rings.push('stopped'));
  const last = clock.alarm(() => resolve());
  moved.set(instant(clock.now() + 20));
  moved.set(instant(clock.now() + 5));
  stopped.set(instant(clock.now() + 8));
  stopped.stop();
  last.set(instant(clock.now() + 40));
  await promise;
  expect(rings).toEqual(['moved']);
});
