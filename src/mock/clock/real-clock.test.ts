import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { realClock } from './real-clock.ts';

it('wakes at the due time or later, never before', async () => {
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

it('does not run a cancelled call', async () => {
  const clock = realClock();
  const log: string[] = [];
  const cancel = clock.at(clock.now(), () => log.push('cancelled'));
  cancel();
  await new Promise<void>((resolve) => void clock.at(clock.now() + 2, resolve));
  expect(log).toEqual([]);
});

describe('the end of the turn', () => {
  const afterImmediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('runs its calls after everything else in the turn, in their order', async () => {
    const clock = realClock();
    const log: string[] = [];
    setImmediate(() => log.push('came with the turn'));
    for (const name of ['first', 'second']) clock.atEndOfTurn(() => log.push(name));
    await afterImmediate();
    expect(log).toEqual(['came with the turn', 'first', 'second']);
  });

  it('runs its calls before a nap', async () => {
    const clock = realClock();
    const log: string[] = [];
    const wait = vi.spyOn(Atomics, 'wait').mockImplementation(() => {
      log.push('nap');
      return 'timed-out';
    });
    onTestFinished(() => wait.mockRestore());
    const cancel = clock.at(clock.now() + 1.9, () => undefined);
    clock.atEndOfTurn(() => log.push('end of the turn'));
    await afterImmediate();
    cancel();
    expect(log[0]).toBe('end of the turn');
  });

  it.each([0.5, 4])('runs its calls right after a wake in %d ms', async (delay) => {
    const clock = realClock();
    const log: string[] = [];
    await new Promise<void>((resolve) => {
      clock.at(clock.now() + delay, () => {
        setImmediate(() => {
          log.push('the next turn');
          resolve();
        });
        clock.atEndOfTurn(() => log.push('written'));
      });
    });
    expect(log).toEqual(['written', 'the next turn']);
  });
});
