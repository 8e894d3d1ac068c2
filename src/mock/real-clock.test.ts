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

it('runs what waits for the end of the turn in its order, and before it naps until a near deadline', async () => {
  const clock = realClock();
  const log: string[] = [];
  const cancel = clock.at(clock.now() + 1.5, () => undefined);
  // Queued behind the look at the deadline and before the end of the turn.
  const looked = new Promise<void>((resolve) => setImmediate(resolve));
  const seen = looked.then(() => log.push('looked'));
  for (const name of ['first', 'second']) clock.atTurnsEnd(() => log.push(name));
  expect(log).toEqual([]);
  await seen;
  expect(log).toEqual(['first', 'second', 'looked']);
  cancel();
});
