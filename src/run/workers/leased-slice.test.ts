import { expect, it } from 'vitest';
import type { Clock } from '../../model/clock.ts';
import type { Transport } from '../../model/observation/exchange.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { instant } from '../../model/quantity.ts';
import { directWire } from '../../platform/connection/connector.ts';
import { combineObservers } from '../watch/observer.ts';
import { openSlice, sampleGenerator } from './slice-ports.ts';

/** A clock of the test, whose ticks come when the test says so. */
const movedClock = (machineZero = 0) => {
  let now = -60;
  const ticks = new Set<() => void>();
  const intervals: number[] = [];
  const clock = {
    machineZero,
    now: () => instant(now),
    every: (interval: number, tick: () => void) => {
      intervals.push(interval);
      ticks.add(tick);
      return () => void ticks.delete(tick);
    },
  };
  const moveTo = (moment: number): void => {
    now = moment;
    for (const tick of ticks) tick();
  };
  return { clock: clock as unknown as Clock & { machineZero: number }, intervals, moveTo, ticks };
};

it('the load generator is sampled for each second that is over, from instant 0 on', () => {
  const { clock, intervals, moveTo, ticks } = movedClock();
  const begun: number[] = [];
  let taken = 0;
  const canary = { begin: (wait: number) => begun.push(wait), take: () => (taken += 1) };
  const { samples, stop } = sampleGenerator(clock, canary as never);
  for (const moment of [-20, 0, 500, 999]) moveTo(moment);
  expect([samples.length, begun, intervals]).toEqual([0, [60], [20]]);
  for (const moment of [1000, 1020, 2010, 5000, 5980]) moveTo(moment);
  expect(samples.map(({ second, canary: seen }) => [second, seen])).toEqual([
    [0, 1],
    [1, 2],
    [2, 3],
  ]);
  stop();
  expect(ticks.size).toBe(0);
});

it('self-test streams of a clock that runs already begin at once', () => {
  const { clock, moveTo } = movedClock();
  moveTo(40);
  const begun: number[] = [];
  const canary = { begin: (wait: number) => begun.push(wait), take: () => null };
  const { samples, stop } = sampleGenerator(clock, canary as never);
  moveTo(1000);
  stop();
  expect([begun, samples[0]?.canary, 'late' in samples[0]!]).toEqual([[0], null, false]);
});

it('a slice sends only until its lease is over', async () => {
  const sent: unknown[] = [];
  const inner: Transport = {
    send: (request) => {
      sent.push(request);
      return { abort: () => undefined };
    },
    connectAhead: (count) => void sent.push(count),
    notes: () => ['a note'],
    close: async () => void sent.push('closed'),
  };
  const observer = combineObservers([{ wrapTransport: () => inner }]);
  const openWith = (lease?: number) => {
    const moved = movedClock(100);
    const options = {
      plan: samplePlan(),
      ...(lease === undefined
        ? {}
        : { lease: new Float64Array(new SharedArrayBuffer(8)).fill(lease) }),
    };
    const address = { baseUrl: 'http://127.0.0.1:9/v1', wire: directWire, certificates: null };
    const open = openSlice(options as never, [address], moved.clock as never, {
      observer,
      canary: null,
    });
    return { ...moved, ...open };
  };
  const free = openWith();
  expect([free.ports.transports, free.ports.isLeaseOver]).toEqual([[inner], undefined]);
  await free.close();
  sent.length = 0;
  const { ports, moveTo, close } = openWith(1100);
  const [transport] = ports.transports;
  const failures: unknown[] = [];
  const exchange = { onFailure: (...words: readonly unknown[]) => void failures.push(words) };
  const send = (name: string) => void transport!.send(name as never, exchange as never);
  moveTo(1000);
  expect(ports.isLeaseOver?.(instant(1000))).toBe(false);
  send('in time');
  moveTo(1001);
  expect(ports.isLeaseOver?.(instant(1001))).toBe(true);
  send('too late');
  transport!.connectAhead(3);
  expect(failures).toEqual([[1001, 'aborted', 'the coordinator was silent']]);
  expect(transport!.notes()).toEqual(['a note']);
  await close();
  expect(sent).toEqual(['in time', 3, 'closed']);
});
