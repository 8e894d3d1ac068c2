import { expect, it } from 'vitest';
import { realClock } from './real-clock.ts';

it('wakes at a deadline or later, never before', async () => {
  const clock = realClock();
  const woken = [-1, 0, 0.2, 1.1, 1.9, 2.5].map(
    (delay) =>
      new Promise<number>((resolve) => {
        const due = clock.now() + delay;
        clock.at(due, () => resolve(clock.now() - due));
      }),
  );
  for (const lateness of await Promise.all(woken)) expect(lateness).toBeGreaterThanOrEqual(0);
});

it('forgets a deadline that is called off', async () => {
  const clock = realClock();
  const log: string[] = [];
  const cancel = clock.at(clock.now(), () => log.push('called off'));
  cancel();
  await new Promise<void>((resolve) => void clock.at(clock.now() + 2, resolve));
  expect(log).toEqual([]);
});
