import { expect, it } from 'vitest';
import type { ExchangeObserver, WireRequest } from '../../../model/observation/exchange.ts';
import { instant } from '../../../model/quantity.ts';
import { fetchResponse, type ProbeSession } from './send-probe-request.ts';

const request: WireRequest = { method: 'GET', path: '/models', headers: { a: '1' }, body: null };

/** Sends a request over a transport that the test plays; an abort ends it as a transport does. */
const sending = (giveUp: Parameters<typeof fetchResponse>[3] = null) => {
  const state = { now: 0, tick: () => undefined as void, isStopped: false };
  let observer: ExchangeObserver | null = null;
  let sent: WireRequest | null = null;
  const session = {
    transport: {
      send: (wire: WireRequest, seen: ExchangeObserver) => {
        [sent, observer] = [wire, seen];
        return {
          abort: (cause: 'aborted', detail: string) =>
            seen.onFailure(instant(state.now), cause, detail),
        };
      },
    },
    clock: {
      now: () => instant(state.now),
      every: (_: number, tick: () => void) => {
        state.tick = tick;
        return () => {
          state.isStopped = true;
        };
      },
    },
    nextHeaders: () => ({ b: '2' }),
    timeoutFor: 5000,
  } as unknown as ProbeSession;
  const response = fetchResponse(session, request, { c: '3' }, giveUp);
  return { state, observer: observer!, sent: sent!, response };
};

it('a response has its instants, status, headers and body, and the timer ends with it', async () => {
  const { state, observer, sent, response } = sending();
  expect(sent.headers).toEqual({ a: '1', b: '2', c: '3' });
  observer.onSent(instant(10));
  observer.onHeaders(instant(20), 201, { d: '4' });
  observer.onChunk(instant(25), Buffer.from('one '));
  observer.onChunk(instant(26), Buffer.from('two'));
  expect(state.isStopped).toBe(false);
  observer.onEnd(instant(30));
  expect(await response).toEqual({
    sent: 10,
    answered: 20,
    ended: 30,
    status: 201,
    headers: { d: '4' },
    body: 'one two',
  });
  expect(state.isStopped).toBe(true);
});

it('a request that is given up once it is sent has no status, no headers and no body', async () => {
  const { state, observer, response } = sending('sent');
  state.tick();
  observer.onSent(instant(10));
  state.now = 40;
  state.tick();
  expect(await response).toEqual({
    sent: 10,
    answered: 40,
    ended: 40,
    status: 0,
    headers: {},
    body: '',
  });
});

it('an answer that is given up is what came until then', async () => {
  const { observer, response } = sending('answering');
  observer.onSent(instant(10));
  observer.onHeaders(instant(20), 200, {});
  observer.onChunk(instant(25), Buffer.from('one'));
  expect(await response).toMatchObject({ status: 200, body: 'one' });
});

it.each([
  [399, 'reset: by peer'],
  [400, { status: 400, body: '' }],
])('of a response of status %i that breaks off, a refusal is kept', async (status, expected) => {
  const { observer, response } = sending();
  observer.onSent(instant(10));
  observer.onHeaders(instant(20), status, {});
  observer.onFailure(instant(30), 'reset', 'by peer');
  const found = await response;
  if (typeof expected === 'string') expect(found).toBe(expected);
  else expect(found).toMatchObject(expected);
});

it('a request without an answer ends after its time, not before', async () => {
  const { state, response } = sending();
  state.now = 5000;
  state.tick();
  expect(state.isStopped).toBe(false);
  state.now = 5001;
  state.tick();
  expect(await response).toBe('deadline-total: no answer within 5 s');
});
