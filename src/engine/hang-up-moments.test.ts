import { expect, it } from 'vitest';
import { instant, milliseconds } from '../model/quantity.ts';
import type { HangUpMoment } from '../model/workload/hang-up.ts';
import { fakeWorld } from './fake-world.fixture.ts';
import { HangUp } from './hang-up.ts';
import type { InFlightAttempt } from './in-flight-attempt.ts';

/** A hang-up around a fake attempt, and the calls that reach the attempt. */
const openHangUp = (after: HangUpMoment) => {
  const { clock, advanceTo } = fakeWorld();
  const calls: string[] = [];
  const record = (name: string) => (at?: number) =>
    void calls.push(at === undefined ? name : `${name} ${at}`);
  const attempt = {
    hasUnwritten: false,
    tokenEvents: 0,
    hangUp: () => calls.push(`hang up ${clock.now()}`),
    onConnected: record('connected'),
    onSent: record('sent'),
    onReconnect: record('reconnect'),
    onHeaders: record('headers'),
    onChunk: record('chunk'),
    onEnd: record('end'),
    onFailure: record('failure'),
  };
  const hangUp = new HangUp(attempt as unknown as InFlightAttempt, after, clock);
  return { calls, attempt, hangUp, advanceTo };
};

it('the time until the hang-up counts from the last sending, if the first connection broke', () => {
  const { calls, hangUp, advanceTo } = openHangUp({ kind: 'time', time: milliseconds(20) });
  hangUp.onConnected(instant(0), 'reused');
  hangUp.onSent(instant(0));
  advanceTo(10);
  hangUp.onReconnect(instant(10));
  advanceTo(25);
  hangUp.onSent(instant(25));
  advanceTo(44);
  expect(calls).toEqual(['connected 0', 'sent 0', 'reconnect 10', 'sent 25']);
  advanceTo(45);
  expect(calls.slice(4)).toEqual(['hang up 45']);
});

it('the client hangs up on a request that is only to be sent as soon as its last byte has left', () => {
  const { calls, attempt, hangUp, advanceTo } = openHangUp({ kind: 'sent' });
  attempt.hasUnwritten = true;
  hangUp.onSent(instant(0));
  advanceTo(7);
  attempt.hasUnwritten = false;
  expect(calls).toEqual(['sent 0']);
  advanceTo(8);
  expect(calls).toEqual(['sent 0', 'hang up 8']);
});

it('the client does not hang up on an answer that has ended or failed', () => {
  for (const end of [
    (hangUp: HangUp) => hangUp.onEnd(instant(5)),
    (hangUp: HangUp) => hangUp.onFailure(instant(5), 'reset', 'x'),
  ]) {
    const { calls, hangUp, advanceTo } = openHangUp({ kind: 'time', time: milliseconds(20) });
    hangUp.onSent(instant(0));
    advanceTo(5);
    end(hangUp);
    advanceTo(50);
    expect(calls).toHaveLength(2);
  }
});

it.each([
  [199, false],
  [200, true],
  [299, true],
  [300, false],
])('the client hangs up at the head of an answer with status %d: %s', (status, isHungUp) => {
  const { calls, hangUp } = openHangUp({ kind: 'headers' });
  hangUp.onHeaders(instant(3), status, {});
  expect(calls).toEqual(isHungUp ? ['headers 3', 'hang up 0'] : ['headers 3']);
  const other = openHangUp({ kind: 'sent' });
  other.hangUp.onHeaders(instant(3), status, {});
  expect(other.calls).toEqual(['headers 3']);
});

it('a chunk reaches the attempt, which counts its tokens, before the client hangs up', () => {
  const { calls, attempt, hangUp } = openHangUp({ kind: 'tokens', count: 3 });
  for (const tokens of [0, 2, 3]) {
    attempt.tokenEvents = tokens;
    hangUp.onChunk(instant(tokens), new Uint8Array());
  }
  expect(calls).toEqual(['chunk 0', 'chunk 2', 'chunk 3', 'hang up 0']);
});
