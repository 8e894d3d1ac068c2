import { afterEach, expect, it, vi } from 'vitest';
import { instant } from '../../model/quantity.ts';
import { startClock } from './clock.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Sets an alarm to each of these delays once the one before has rung; returns how early each rang and its pauses. */
const ringing = async (
  delays: readonly number[],
): Promise<readonly { readonly early: number; readonly naps: readonly number[] }[]> => {
  const clock = startClock();
  const pauses = vi.spyOn(Atomics, 'wait');
  const rings: { early: number; naps: readonly number[] }[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  let target = 0;
  const alarm = clock.alarm(() => {
    const naps = pauses.mock.calls.map(([, , , ms]) => ms ?? Number.POSITIVE_INFINITY);
    rings.push({ early: target - clock.now(), naps });
    pauses.mockClear();
    setNext();
  });
  const setNext = (): void => {
    const delay = delays[rings.length];
    if (delay === undefined) return resolve();
    target = clock.now() + delay;
    alarm.set(instant(target));
  };
  setNext();
  await promise;
  alarm.stop();
  return rings;
};

it('an alarm rings once for each instant, and never before it', async () => {
  const delays = [-5, 0, 0.3, 1, 1.5, 4, 10, 0.1, 25.7, 3.2];
  const rings = await ringing(delays);
  expect(rings).toHaveLength(delays.length);
  for (const { early } of rings) expect(early).toBeLessThanOrEqual(0);
});

it('an alarm long after the last one is awaited in short naps', async () => {
  // A timer of a busy machine can be so late that no time is left for naps.
  const rings = await ringing(Array.from({ length: 12 }, () => 7));
  const naps = rings.flatMap((ring) => ring.naps);
  expect(naps.length).toBeGreaterThan(0);
  for (const nap of naps) {
    expect(nap).toBeGreaterThan(0);
    expect(nap).toBeLessThanOrEqual(0.25);
  }
});

it('alarms that follow each other closely hold no reads up with naps', async () => {
  const [, ...close] = await ringing([7, 3, 2, 1, 0.5, 3]);
  expect(close.flatMap(({ naps }) => naps)).toEqual([]);
});

it('an alarm that is set anew rings at the new instant only, and a stopped one not at all', async () => {
  const clock = startClock();
  const { promise, resolve } = Promise.withResolvers<void>();
  const rung: string[] = [];
  const later = clock.alarm(() => rung.push('later'));
  const stopped = clock.alarm(() => rung.push('stopped'));
  const last = clock.alarm(() => {
    rung.push('last');
    resolve();
  });
  const now = clock.now();
  later.set(instant(now + 2));
  later.set(instant(now + 60_000));
  stopped.set(instant(now + 2));
  stopped.stop();
  last.set(instant(now + 60_000));
  last.set(instant(now + 8));
  await promise;
  later.stop();
  expect(rung).toEqual(['last']);
});

it('functions of one interval are called together, and a removed one no more', async () => {
  const clock = startClock();
  const set = vi.spyOn(globalThis, 'setInterval');
  const calls = { one: 0, other: 0 };
  const { promise, resolve } = Promise.withResolvers<void>();
  const stopOne = clock.every(2, () => {
    calls.one += 1;
    stopOne();
  });
  const stopOther = clock.every(2, () => {
    calls.other += 1;
    if (calls.other === 3) resolve();
  });
  await promise;
  stopOther();
  expect(calls.one).toBe(1);
  expect(set.mock.calls.filter(([, ms]) => ms === 2)).toHaveLength(1);
});

it.each([
  [1.1, [0.25, 0.25, 0.25, 0.25, 0.07]],
  [1.07, [0.25, 0.25, 0.25, 0.25, 0.04]],
  // Six hundredths of a millisecond are too short for a nap.
  [1.05, [0.25, 0.25, 0.25, 0.25]],
  [0.2, [0.17]],
])(
  'an alarm in %f ms is awaited in naps of which the last ends just before it',
  async (delay, expected) => {
    const clock = startClock();
    let elapsed = performance.now();
    const naps: number[] = [];
    vi.spyOn(performance, 'now').mockImplementation(() => (elapsed += 0.000_1));
    vi.spyOn(Atomics, 'wait').mockImplementation((...[, , , nap = 0]) => {
      naps.push(Math.round(nap * 100) / 100);
      elapsed += nap;
      return 'timed-out';
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    const alarm = clock.alarm(resolve);
    alarm.set(instant(clock.now() + delay));
    await promise;
    alarm.stop();
    expect(naps).toEqual(expected);
  },
);
