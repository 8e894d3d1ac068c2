import { expect, it } from 'vitest';
import { instant, milliseconds } from '../model/quantity.ts';
import type { HangUpMoment } from '../model/workload/hang-up.ts';
import { fakeWorld } from './fake-world.fixture.ts';
import { HangUp } from './hang-up.ts';
import type { InFlightAttempt } from './in-flight-attempt.ts';

/** What an attempt is told by an exchange on which the client is to hang up. */
const toldOf = (after: HangUpMoment) => {
  const { clock, advanceTo } = fakeWorld();
  const told: string[] = [];
  const tell = (name: string) => (at?: number) =>
    void told.push(at === undefined ? name : `${name} ${at}`);
  const attempt = {
    hasUnwritten: false,
    tokenEvents: 0,
    hangUp: () => told.push(`hang up ${clock.now()}`),
    onConnected: tell('connected'),
    onSent: tell('sent'),
    onReconnect: tell('reconnect'),
    onHeaders: tell('headers'),
    onChunk: tell('chunk'),
    onEnd: tell('end'),
    onFailure: tell('failure'),
  };
  const hangUp = new HangUp(attempt as unknown as InFlightAttempt, after, clock);
  return { told, attempt, hangUp, advanceTo };
};

it('a time counts from the last sending, if the connection broke before', () => {
  const { told, hangUp, advanceTo } = toldOf({ kind: 'time', time: milliseconds(20) });
  hangUp.onConnected(instant(0), 'reused');
  hangUp.onSent(instant(0));
  advanceTo(10);
  hangUp.onReconnect(instant(10));
  advanceTo(25);
  hangUp.onSent(instant(25));
  advanceTo(44);
  expect(told).toEqual(['connected 0', 'sent 0', 'reconnect 10', 'sent 25']);
  advanceTo(45);
  expect(told.slice(4)).toEqual(['hang up 45']);
});

it('a request that is to be sent only is hung up on once the last byte has left', () => {
  const { told, attempt, hangUp, advanceTo } = toldOf({ kind: 'sent' });
  attempt.hasUnwritten = true;
  hangUp.onSent(instant(0));
  advanceTo(7);
  attempt.hasUnwritten = false;
  expect(told).toEqual(['sent 0']);
  advanceTo(8);
  expect(told).toEqual(['sent 0', 'hang up 8']);
});

it('nothing is hung up on after its end or failure', () => {
  for (const end of [
    (hangUp: HangUp) => hangUp.onEnd(instant(5)),
    (hangUp: HangUp) => hangUp.onFailure(instant(5), 'reset', 'x'),
  ]) {
    const { told, hangUp, advanceTo } = toldOf({ kind: 'time', time: milliseconds(20) });
    hangUp.onSent(instant(0));
    advanceTo(5);
    end(hangUp);
    advanceTo(50);
    expect(told).toHaveLength(2);
  }
});

it.each([
  [199, false],
  [200, true],
  [299, true],
  [300, false],
])('the head of an answer with status %d is a reason: %s', (status, isHungUp) => {
  const { told, hangUp } = toldOf({ kind: 'headers' });
  hangUp.onHeaders(instant(3), status, {});
  expect(told).toEqual(isHungUp ? ['headers 3', 'hang up 0'] : ['headers 3']);
  const other = toldOf({ kind: 'sent' });
  other.hangUp.onHeaders(instant(3), status, {});
  expect(other.told).toEqual(['headers 3']);
});

it('tokens are counted by the attempt, after it has read them', () => {
  const { told, attempt, hangUp } = toldOf({ kind: 'tokens', count: 3 });
  for (const tokens of [0, 2, 3]) {
    attempt.tokenEvents = tokens;
    hangUp.onChunk(instant(tokens), new Uint8Array());
  }
  expect(told).toEqual(['chunk 0', 'chunk 2', 'chunk 3', 'hang up 0']);
});
