import { describe, expect, it } from 'vitest';
import { instant, milliseconds } from '../quantity.ts';
import type { RetriedAttempt } from './attempt.ts';
import { attemptsOf, type Observation, paceWaitOf, retryWaitOf, wasSent } from './observation.ts';

const facts = {
  key: 'main',
  reserved: 20,
  begun: instant(1001),
  connected: null,
  connection: null,
  sent: null,
  head: null,
};

/** Returns a failed attempt that was released at `released`, ended at `ended`, and had to wait for the next one. */
const failed = (released: number, ended: number, wait: number): RetriedAttempt => ({
  ...facts,
  released: instant(released),
  ended: instant(ended),
  outcome: { kind: 'broken', cause: 'reset', detail: 'reset', partial: null },
  wait: milliseconds(wait),
  waitBy: 'backoff',
});

/** Returns an arrival that was due at 1,000 ms, and whose last attempt was released at `released`. */
const arrival = (
  released: number,
  earlier: readonly RetriedAttempt[] = [],
  differing: Partial<Observation> = {},
): Observation => ({
  ...facts,
  requestId: 'run-0-0',
  stage: 0,
  index: 0,
  traffic: 'models',
  model: null,
  due: instant(1000),
  released: instant(released),
  ended: instant(9000),
  earlier,
  gaveUp: null,
  outcome: { kind: 'broken', cause: 'reset', detail: 'reset', partial: null },
  ...differing,
});

const first = failed(1030, 1200, 500);
const second = failed(1705, 1800, 250);
const dropped = { outcome: { kind: 'dropped', cause: 'saturated' } } as const;

describe('the waits of an arrival', () => {
  it.each<[string, Observation, pace: number | null, retry: number | null]>([
    ['one attempt, released when it was due', arrival(1000), 0, null],
    ['one attempt, released 70 ms later', arrival(1070), 70, null],
    // After the first attempt, the second was ready at 1200 + 500.
    ['two attempts', arrival(1740, [first]), 30 + 40, 500],
    // The third was ready at 1800 + 250.
    ['three attempts', arrival(2057, [first, second]), 30 + 5 + 7, 750],
    ['a last attempt that was dropped', arrival(1740, [first], dropped), 30, 500],
    ['no attempt', arrival(1040, [], dropped), 0, null],
    ['no pace', arrival(1740, [first], { reserved: null }), null, 500],
  ])('are the sums over its attempts: %s', (_, observation, pace, retry) => {
    expect([paceWaitOf(observation), retryWaitOf(observation)]).toEqual([pace, retry]);
  });
});

it('the attempts of an arrival are the earlier ones and the last, unless that was dropped', () => {
  const [alone, retried] = [arrival(1000), arrival(1740, [first])];
  expect(attemptsOf(alone)).toEqual([alone]);
  expect(attemptsOf(retried)).toEqual([first, retried]);
  expect(attemptsOf(arrival(1740, [first], dropped))).toEqual([first]);
  expect(attemptsOf(arrival(1740, [], dropped))).toEqual([]);
});

it('an arrival was sent if a byte of any attempt was written', () => {
  const sent = { ...first, sent: instant(1040) };
  expect(wasSent(arrival(1740, [first]))).toBe(false);
  expect(wasSent(arrival(1740, [sent]))).toBe(true);
  expect(wasSent(arrival(1740, [first], { sent: instant(1750) }))).toBe(true);
});
