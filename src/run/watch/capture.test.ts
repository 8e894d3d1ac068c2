import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { fakeWorld } from '../../engine/fake-world.fixture.ts';
import type { ExchangeObserver } from '../../model/observation/exchange.ts';
import type { Observation } from '../../model/observation/observation.ts';
import { instant } from '../../model/quantity.ts';
import { redacted, redactor } from '../../model/plan/secret.ts';
import { sampleObservation } from '../../record/sample-observations.fixture.ts';
import type { CaptureMode } from '../input/run-request.ts';
import { openCapture } from './capture.ts';

const home = mkdtempSync(join(tmpdir(), 'weir-capture-'));
afterAll(() => rmSync(home, { recursive: true }));

const secret = 'sk-very-secret';
const unheard = new Proxy({}, { get: () => () => undefined }) as ExchangeObserver;

/** Opens a capture in a separate folder, with a function that sends through it and one that reads its lines. */
const open = async (mode: CaptureMode) => {
  const folder = mkdtempSync(join(home, 'run-'));
  const capture = await openCapture(folder, mode);
  const world = fakeWorld();
  const transport = capture.wrapTransport!(world.transport);
  capture.onStart!({ redact: redactor([secret]) } as never);
  const lines = async (): Promise<readonly string[]> => {
    await capture.onPublished!('pass');
    return readFileSync(join(folder, 'capture.jsonl'), 'utf8').trimEnd().split('\n');
  };
  return {
    announcements: capture.announcements,
    send: (requestId: string, body: string | null, headers: Record<string, string> = {}) => {
      transport.send(
        {
          method: 'POST',
          path: `/v1/chat?key=${secret}`,
          headers: { 'x-request-id': requestId, ...headers },
          body: body === null ? null : new TextEncoder().encode(body),
        },
        unheard,
      );
      return world.sent.at(-1)!;
    },
    observe: (requestId: string, changed: Partial<Observation> = {}) =>
      capture.onObservation!(sampleObservation({ requestId, ...changed })),
    values: async () => (await lines()).map((line) => JSON.parse(line) as unknown),
  };
};

const json = { 'content-type': 'application/json' };

it('a captured exchange is what was sent and received, and no secret', async () => {
  const { send, observe, values, announcements } = await open('all');
  const headers = {
    ...json,
    authorization: `Bearer ${secret}`,
    'user-agent': 'weir',
    'x-team': 'red',
  };
  const exchange = send('a', `{"content":"${secret}"}`, headers);
  exchange.answer(201, 'application/json; charset=utf-8', `{"echo":"${secret}, too"}`, {
    'set-cookie': 'session=1',
    'x-served': secret,
  });
  observe('a');
  expect(await values()).toEqual([
    {
      requestId: 'a',
      due: 5000,
      outcome: 'completed',
      request: {
        method: 'POST',
        path: `/v1/chat?key=${redacted}`,
        headers: {
          'x-request-id': 'a',
          'content-type': 'application/json',
          authorization: redacted,
          'user-agent': 'weir',
          'x-team': redacted,
        },
        body: { bytes: 28, text: `{"content":"${redacted}"}` },
      },
      response: {
        status: 201,
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'set-cookie': redacted,
          'x-served': redacted,
        },
        body: { bytes: 30, text: `{"echo":"${redacted}, too"}` },
      },
    },
  ]);
  expect(announcements).toEqual([
    'capture.jsonl will contain all requests with prompts and answers as they are; only keys and secrets are masked. Keep it private.',
  ]);
});

it('each attempt has its line, also one without an answer, and an exchange that is not observed has none', async () => {
  const { send, observe, values } = await open('all');
  send('a', null).fail('reset');
  send('a', null).answer(200, 'audio/wav', 'sound');
  send('b', null);
  observe('a');
  observe('a');
  expect(await values()).toMatchObject([
    { request: { body: { bytes: 0, text: '' } }, response: null },
    { response: { status: 200, body: { bytes: 5, text: null } } },
  ]);
});

it('of `failed` only what failed, or took another attempt, is kept', async () => {
  const { send, observe, values, announcements } = await open('failed');
  const { outcome: _, ...attempt } = sampleObservation();
  const kinds: readonly [string, Partial<Observation>][] = [
    ['completed', {}],
    ['cancelled', { outcome: { kind: 'cancelled' } as never }],
    ['broken', { outcome: { kind: 'broken', cause: 'reset', detail: '', partial: null } }],
    ['retried', { earlier: [attempt as never] }],
  ];
  for (const [id, changed] of kinds) {
    send(id, null).answer(200, 'text/plain', 'x');
    observe(id, changed);
  }
  expect((await values()).map((line) => (line as { requestId: string }).requestId)).toEqual([
    'broken',
    'retried',
  ]);
  expect(announcements![0]).toMatch(/^capture\.jsonl will contain failed requests/);
});

it('a long body is cut off, without what may be half of a secret at its end', async () => {
  const { send, observe, values } = await open('all');
  const exact = 'e'.repeat(32 * 1024);
  for (const [id, body] of [
    ['exact', exact],
    ['long', `${exact.slice(0, -4)}${secret}`],
  ] as const) {
    const exchange = send(id, body, json);
    exchange.observer.onHeaders(exchange.at, 200, json);
    for (const part of [body.slice(0, 20_000), body.slice(20_000), 'after'])
      exchange.observer.onChunk(exchange.at, new TextEncoder().encode(part));
    exchange.observer.onEnd(exchange.at);
    observe(id);
  }
  const cut = `${exact.slice(0, 28 * 1024)}…`;
  expect(await values()).toMatchObject([
    {
      request: { body: { bytes: 32_768, text: exact } },
      response: { body: { bytes: 32_773, text: cut } },
    },
    {
      request: { body: { bytes: 32_778, text: cut } },
      response: { body: { bytes: 32_783, text: cut } },
    },
  ]);
});

it('who sends hears all that happens to a request that is captured', async () => {
  const world = fakeWorld();
  const capture = await openCapture(mkdtempSync(join(home, 'run-')), 'all');
  const heard: string[] = [];
  const observer = new Proxy({} as ExchangeObserver, {
    get:
      (_, name) =>
      (...details: readonly unknown[]) =>
        heard.push(`${String(name)} ${JSON.stringify(details)}`),
  });
  capture.wrapTransport!({
    ...world.transport,
    send: (_, inner) => {
      inner.onConnected(instant(1), 'new');
      inner.onSent(instant(2));
      inner.onReconnect(instant(3));
      inner.onHeaders(instant(4), 200, { a: 'b' });
      inner.onChunk(instant(5), new Uint8Array());
      inner.onEnd(instant(6));
      inner.onFailure(instant(7), 'reset', 'by peer');
      return { abort: () => undefined };
    },
  }).send({ method: 'GET', path: '/', headers: { 'x-request-id': 'a' }, body: null }, observer);
  expect(heard).toEqual([
    'onConnected [1,"new"]',
    'onSent [2]',
    'onReconnect [3]',
    'onHeaders [4,200,{"a":"b"}]',
    'onChunk [5,{}]',
    'onEnd [6]',
    'onFailure [7,"reset","by peer"]',
  ]);
  await capture.onPublished!('pass');
});

it('the transport below a capture opens connections, notes and closes as before', async () => {
  const world = fakeWorld();
  const capture = await openCapture(mkdtempSync(join(home, 'run-')), 'all');
  const calls: string[] = [];
  const wrapped = capture.wrapTransport!({
    ...world.transport,
    connectAhead: (count) => void calls.push(`ahead ${count}`),
    notes: () => ['kept short'],
    close: async () => void calls.push('close'),
  });
  wrapped.connectAhead(3);
  expect(wrapped.notes()).toEqual(['kept short']);
  await wrapped.close();
  expect(calls).toEqual(['ahead 3', 'close']);
  await capture.discard!();
});
