import { expect, it } from 'vitest';
import { constantLoad, fakePlan, fakeSliceOptions } from '../../engine/fake-run.fixture.ts';
import { runSlice } from '../../engine/run-slice.ts';
import { peakOf } from '../../engine/worker-count.ts';
import { sliceForecast } from '../../judge/calibration/needed-slices.ts';
import type { Transport } from '../../model/observation/exchange.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { milliseconds } from '../../model/quantity.ts';
import { EventQueue, queueClock, runInTurns } from '../harness/event-queue.fixture.ts';

/** The forecast of slices is held against slices that the engine runs on a clock by hand. */

const answerTime = 1500;
const seconds = 3.2;

const planOf = (load: Plan['stages'][number]['load']): Plan =>
  fakePlan(load, {
    stages: [{ name: 'main', load, traffic: [{ kind: 'models', weight: 1 }] }],
    inFlight: 1_000_000,
    grace: milliseconds(10_000),
    deadlines: { connect: null, firstToken: null, idle: null, total: null },
  });

/** Answers each request after the same time, and counts the requests. */
const countingTransport = (queue: EventQueue) => {
  const clock = queueClock(queue);
  const counts = { sent: 0, inFlight: 0, most: 0 };
  const transport: Transport = {
    send: (_, observer) => {
      counts.sent += 1;
      counts.inFlight += 1;
      counts.most = Math.max(counts.most, counts.inFlight);
      observer.onConnected(clock.now(), 'reused');
      observer.onSent(clock.now());
      queue.at(queue.now + answerTime, () => {
        counts.inFlight -= 1;
        observer.onHeaders(clock.now(), 200, { 'content-type': 'application/json' });
        observer.onChunk(clock.now(), Buffer.from('{"object":"list","data":[]}'));
        observer.onEnd(clock.now());
      });
      return { abort: () => undefined };
    },
    connectAhead: () => undefined,
    notes: () => [],
    close: () => Promise.resolve(),
  };
  return { counts, transport };
};

const runOne = async (plan: Plan, index: number, count: number) => {
  const queue = new EventQueue();
  const { counts, transport } = countingTransport(queue);
  const running = runSlice(fakeSliceOptions(plan, { index, count }), {
    clock: queueClock(queue),
    transports: [transport],
    observe: () => undefined,
  });
  await runInTurns(queue, running.done);
  return counts;
};

it.each([
  ['arrivals', planOf(constantLoad(100, seconds * 1000)), Math.ceil(100 * seconds)],
  [
    'users',
    planOf({
      kind: 'closed',
      users: 100,
      duration: milliseconds(seconds * 1000),
      thinkTime: milliseconds(0),
      rampUp: milliseconds(0),
    }),
    100 * Math.ceil((seconds * 1000) / answerTime),
  ],
])('slices of %s have in flight what is forecast, and together send all', async (_, plan, all) => {
  for (const count of [1, 3, 7]) {
    const slices = await Promise.all(
      Array.from({ length: count }, (__, index) => runOne(plan, index, count)),
    );
    const { streams } = sliceForecast(peakOf(plan, answerTime), count, null);
    const most = Math.max(...slices.map((slice) => slice.most));
    // One more, where a request begins at the instant at which another ends.
    expect(Math.abs(most - streams)).toBeLessThanOrEqual(1);
    expect(slices.reduce((sum, { sent }) => sum + sent, 0)).toBe(all);
  }
});
