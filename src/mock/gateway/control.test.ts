import http from 'node:http';
import { createConnection } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { helloChat, testKeyHeaders, startManualMock } from './manual-mock.fixture.ts';
import { realClock } from '../clock/real-clock.ts';
import { startMock } from './start.ts';
import type { SettingsInput } from '../settings/settings.ts';
import type { RequestTraceLine } from '../http/request-trace.ts';

const controlled = async (settings: SettingsInput = {}) => {
  const bench = await startManualMock(settings);
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(bench.mock.controlUrl + path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  return { ...bench, ask };
};

const remaining = (answer: Response) =>
  answer.headers.get('x-ratelimit-api_key-remaining-requests');

describe('the control port', () => {
  it('returns the settings that can change, without addresses and keys, and accepts its own output', async () => {
    const { ask } = await controlled();
    const { body } = await ask('GET', '/settings');
    expect(body).toMatchObject({ ttft: 100, gap: 20, limits: { requestsPerMinute: 60 } });
    expect(JSON.stringify(body)).not.toContain('sk-weir');
    expect(await ask('POST', '/settings', body)).toEqual({ status: 200, body });
  });

  it.each<[string, Record<string, string>]>([
    ['names the origin of a web page', { origin: 'https://page.example' }],
    ['says that a browser sent it', { 'sec-fetch-site': 'cross-site' }],
    ['has a name in Host that somebody else can own', { host: 'rebound.example' }],
  ])('refuses a request that %s', async (_, headers) => {
    const { mock } = await controlled();
    const request = http.request(`${mock.controlUrl}/settings`, { method: 'PATCH', headers });
    const [answer] = (await once(request.end('{"ttft":9}'), 'response')) as [http.IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(403);
    expect(await (await fetch(`${mock.controlUrl}/settings`)).json()).toMatchObject({ ttft: 100 });
  });

  it.each([
    { limits: { workers: 1e9 } },
    { ttft: 1e308 },
    { gap: -1 },
    { speech: { perCharacter: 1e12 } },
  ])('refuses a figure that no run can use: %j', async (change) => {
    const { ask } = await controlled();
    expect((await ask('PATCH', '/settings', change)).status).toBe(400);
  });

  it('changes the behaviour from the next request on, group by group', async () => {
    const { ask, chatAfterMinute, get, clock, chat } = await controlled();
    await get('/models');
    const early = chat({ ...helloChat, max_tokens: 1 });
    await clock.whenWaiting();
    expect((await ask('PATCH', '/settings', { ttft: 3, prices: {} })).status).toBe(200);
    expect(remaining(await get('/models'))).toBe('57');
    const late = chat({ ...helloChat, max_tokens: 1 });
    await clock.whenWaiting(2);
    clock.advance(3);
    expect((await late).status).toBe(200);
    clock.advance(97);
    expect((await early).status).toBe(200);
    await ask('PATCH', '/settings', { limits: { requestsPerMinute: 2 } });
    expect(remaining(await get('/models'))).toBe('1');
    await ask('PATCH', '/settings', { credits: { balance: 0 } });
    expect((await chatAfterMinute(helloChat)).status).toBe(402);
    await ask('PATCH', '/settings', { credits: { balance: null } });
    expect((await chatAfterMinute(helloChat)).status).toBe(200);
  });

  it.each([
    [{ ttft: -1 }, 'ttft'],
    [{ limits: { requestsPerMinute: 0 } }, 'limits.requestsPerMinute'],
    [{ port: 80 }, '"port"'],
    [{ keys: ['sk-mine'] }, '"keys"'],
    [[], 'expected object'],
  ])('changes nothing and names the field if a change is invalid: %j', async (change, named) => {
    const { ask } = await controlled();
    const before = await ask('GET', '/settings');
    const refused = await ask('PATCH', '/settings', change);
    expect(refused.status).toBe(400);
    expect(refused.body['error']).toContain('The settings are unchanged: ');
    expect(refused.body['error']).toContain(named);
    expect(await ask('GET', '/settings')).toEqual(before);
  });

  it('answers an invalid or missing JSON body with an error message', async () => {
    const { mock, ask } = await controlled();
    const broken = await fetch(`${mock.controlUrl}/settings`, { method: 'POST', body: '{' });
    expect([broken.status, await broken.json()]).toEqual([
      400,
      { error: 'Expected a JSON body of at most 1048576 bytes.' },
    ]);
    expect((await ask('PATCH', '/settings')).body['error']).toContain('expected object');
  });

  it('returns the requests in flight and the levels of each key', async () => {
    const { ask, chat, clock } = await controlled({
      keys: ['one', 'two'],
      limits: { tokensPerMinute: null },
      credits: { balance: 5 },
    });
    clock.advance(7);
    const open = chat(helloChat, { headers: { authorization: 'Bearer two' } });
    await clock.whenWaiting();
    const limit = { limit: 60, remaining: 60, resetAt: 7 };
    expect((await ask('GET', '/state')).body).toEqual([
      { key: 0, inFlight: 0, limits: { requests: limit }, balance: 5 },
      {
        key: 1,
        inFlight: 1,
        limits: { requests: { ...limit, remaining: 59, resetAt: 60_007 } },
        balance: 5,
      },
    ]);
    clock.advance(60_000);
    await open;
  });

  it('returns the time, and advances a manual clock', async () => {
    const { ask } = await controlled();
    expect((await ask('GET', '/clock')).body).toEqual({
      mode: 'hand',
      now: 0,
      wall: '2026-03-01T12:00:00.000Z',
    });
    expect((await ask('POST', '/clock', { advance: 1500 })).body).toMatchObject({ now: 1500 });
    expect(await ask('POST', '/clock', { advance: -1 })).toEqual({
      status: 400,
      body: { error: 'Expected {"advance": MILLISECONDS} with a number of at least 0.' },
    });
  });

  it('does not advance the machine’s clock', async () => {
    const mock = await startMock({}, realClock());
    try {
      const answer = await fetch(`${mock.controlUrl}/clock`, { method: 'POST' });
      expect([answer.status, await answer.json()]).toEqual([
        400,
        { error: 'This mock uses the machine’s clock, which cannot be advanced.' },
      ]);
    } finally {
      await mock.close();
    }
  });

  it('is not reachable on the public port', async () => {
    const { mock } = await controlled();
    const { origin } = new URL(mock.url);
    for (const path of ['/settings', '/truth', '/ledger', '/state', '/clock', '/counters']) {
      for (const base of [origin, mock.url]) {
        expect((await fetch(base + path, { headers: testKeyHeaders })).status).toBe(404);
      }
    }
  });
});

describe('the trace log', () => {
  it('is off by default', async () => {
    const { ask } = await controlled();
    expect(await ask('GET', '/truth')).toEqual({
      status: 400,
      body: {
        error: 'The mock keeps no trace log: start it with --truth FILE or with the setting truth.',
      },
    });
  });

  it('has the due and sent time of each token, and the charge and end of a request', async () => {
    const { ask, chat, clock, mock } = await controlled({
      truth: { keep: 1 },
      limits: { tokensPerMinute: null },
      prices: { 'weir/small': { input: 0, output: 2_000_000 } },
    });
    await (await fetch(`${mock.url}/models`, { headers: testKeyHeaders })).text();
    clock.advance(5);
    const headers = { ...testKeyHeaders, 'x-request-id': 'mine' };
    const asked = chat({ ...helloChat, stream: true, max_tokens: 3 }, { headers });
    await clock.whenWaiting();
    clock.advance(1000);
    await (await asked).text();
    const limit = { limit: 60, resetAt: 60_000 };
    expect((await ask('GET', '/truth')).body).toEqual({
      dropped: 1,
      problem: null,
      lines: [
        {
          requestId: 'mine',
          key: 0,
          kind: 'chat-stream',
          accepted: 5,
          admitted: true,
          limits: {
            before: { requests: { ...limit, remaining: 59 } },
            after: { requests: { ...limit, remaining: 58 } },
          },
          charges: [],
          read: 5,
          queued: 5,
          prefillEnd: 105,
          due: [105, 125, 145],
          sent: [105, 125, 145],
          written: [105, 125, 145],
          bytes: expect.any(Number),
          ended: expect.any(Number),
          end: 'completed.chat-stream',
          fault: null,
          status: 200,
          micros: 6,
        },
      ],
    });
  });

  it('has the times of queueing and prefill of batched chats', async () => {
    const { ask, chat, clock, waitForCounters } = await controlled({
      truth: {},
      // A prompt is read in 10 ms, one after another, and two requests fit into the batch.
      latency: {
        batch: 2,
        overhead: 10,
        perPromptToken: 0,
        step: 4,
        stepPerRequest: 0,
        stepPerThousandTokens: 0,
      },
    });
    const hangUp = new AbortController();
    const texts: Promise<string>[] = [];
    for (const id of ['a', 'b', 'c', 'gone']) {
      const headers = { ...testKeyHeaders, 'x-request-id': id };
      const { signal } = id === 'gone' ? hangUp : new AbortController();
      const answer = chat({ ...helloChat, stream: id === 'a', max_tokens: 3 }, { headers, signal });
      texts.push(answer.then((response) => response.text()));
      await waitForCounters({ 'tokens.input': 2 * texts.length });
      clock.advance(1);
    }
    hangUp.abort();
    await expect(texts.pop()).rejects.toThrow('aborted');
    await waitForCounters({ aborted: 1 });
    clock.advance(1000);
    await Promise.all(texts);
    const { lines } = (await ask('GET', '/truth')).body as { lines: RequestTraceLine[] };
    const times = lines.map(({ requestId, ...line }) => [requestId, line.queued, line.prefillEnd]);
    // The third waits until the first two have said two more tokens, in steps of 4 ms.
    expect(new Set(times)).toEqual(
      new Set([
        ['a', 0, 10],
        ['b', 1, 20],
        ['c', 2, 38],
        ['gone', 3, null],
      ]),
    );
  });

  it('counts the bytes of the answer, head and framing included', async () => {
    const { ask, mock } = await controlled({ truth: {} });
    const socket = createConnection(Number(new URL(mock.url).port), '127.0.0.1');
    socket.end(`GET /v1/models HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    let received = 0;
    socket.on('data', (bytes: Uint8Array) => (received += bytes.length));
    await once(socket, 'close');
    const { lines } = (await ask('GET', '/truth')).body as { lines: { bytes: number }[] };
    expect(lines).toMatchObject([{ bytes: received, status: 401, key: null, admitted: false }]);
  });

  it('needs a writable file', async () => {
    await expect(startMock({ truth: { file: '/no/such/folder' } }, realClock())).rejects.toThrow(
      /^The mock cannot write its trace log to \/no\/such\/folder: /,
    );
  });
});

it('chunks can carry the time at which they were written', async () => {
  const { chatAfterMinute } = await controlled({ sendStamps: true });
  const text = await (await chatAfterMinute({ ...helloChat, stream: true, max_tokens: 2 })).text();
  const stamps = [...text.matchAll(/^data: \{"x_weir_sent":(\d+),"id":/gm)].map(([, at]) => at);
  expect(stamps).toEqual(['100', '100', '120', '120']);
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
});
