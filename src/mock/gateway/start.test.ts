import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { helloChat, testKeyHeaders, startManualMock } from './manual-mock.fixture.ts';
import { manualMockClock } from '../clock/manual-mock-clock.fixture.ts';
import { type Mock, readyLine, startMock } from './start.ts';

const portOf = ({ url }: Mock): number => Number(new URL(url).port);

describe('the control interface', () => {
  it('returns every counter, and every received request has one end', async () => {
    const { clock, chat, get, counters } = await startManualMock({
      limits: { requestsPerMinute: 6 },
    });
    await get('/nowhere');
    await get('/chat/completions');
    await get('/models', {});
    await get('/models');
    await chat('{');
    await chat({ ...helloChat, top_p: 2 });
    await chat({ ...helloChat, model: 'weir/none' });
    const asked = [false, true].map((stream) => chat({ ...helloChat, max_tokens: 3, stream }));
    await clock.whenWaiting(2);
    await chat(helloChat);
    const during = await counters();
    clock.advance(1000);
    for (const answer of asked) await (await answer).text();
    const after = await counters();
    expect(after).toMatchInlineSnapshot(`
      {
        "aborted": 0,
        "admitted": 6,
        "admitted.chat": 5,
        "admitted.models": 1,
        "admitted.speech": 0,
        "admitted.transcription": 0,
        "audioMilliseconds": 0,
        "characters": 0,
        "completed": 3,
        "completed.chat": 1,
        "completed.chat-stream": 1,
        "completed.models": 1,
        "completed.speech": 0,
        "completed.transcription": 0,
        "cost.micros": 0,
        "cut": 0,
        "faulted": 0,
        "inFlight": 0,
        "limited": 1,
        "limited.in-flight": 0,
        "limited.requests": 1,
        "limited.tokens": 0,
        "preflights": 0,
        "received": 10,
        "refused": 6,
        "refused.context-exceeded": 0,
        "refused.empty-file": 0,
        "refused.invalid-parameter": 1,
        "refused.malformed-form": 0,
        "refused.no-credits": 0,
        "refused.not-found": 1,
        "refused.not-json": 1,
        "refused.too-large": 0,
        "refused.truncated-audio": 0,
        "refused.unauthorized": 1,
        "refused.undecodable-audio": 0,
        "refused.unknown-model": 1,
        "refused.unsupported-format": 0,
        "refused.unsupported-parameter": 0,
        "refused.unsupported-voice": 0,
        "refused.wrong-method": 1,
        "tokens.input": 4,
        "tokens.output": 6,
      }
    `);
    for (const now of [during, after]) {
      const { received, completed, limited, refused, aborted, cut, inFlight } = now;
      expect(received).toBe(completed! + limited! + refused! + aborted! + cut! + inFlight!);
    }
    expect([during['inFlight'], after['inFlight']]).toEqual([2, 0]);
  });

  it('resets counters and limits; requests in flight belong to the previous count', async () => {
    const { clock, mock, chat, get, counters } = await startManualMock({
      limits: { requestsPerMinute: 1 },
    });
    const early = chat(helloChat);
    await clock.whenWaiting();
    expect((await get('/models')).status).toBe(429);
    await fetch(`${mock.controlUrl}/reset`, { method: 'POST' });
    clock.advance(10_000);
    expect((await early).status).toBe(200);
    const counts = Object.entries(await counters());
    expect(counts.length).toBeGreaterThan(20);
    expect(counts.filter(([, count]) => count !== 0)).toEqual([]);
    const next = await get('/models');
    expect(next.status).toBe(200);
    expect(next.headers.get('x-ratelimit-api_key-remaining-tokens')).toBe('2000000');
  });

  it('is not reachable on the public port, nor the public interface on the control port', async () => {
    const { mock, get } = await startManualMock();
    expect((await get('/counters')).status).toBe(404);
    expect((await fetch(new URL('/counters', mock.url))).status).toBe(404);
    expect((await fetch(`${mock.controlUrl}/v1/models`)).status).toBe(404);
  });

  it('reports its health, and lists its commands in the answer to an unknown one', async () => {
    const { mock } = await startManualMock();
    expect(await (await fetch(`${mock.controlUrl}/health`)).json()).toEqual({ status: 'ok' });
    expect(await (await fetch(`${mock.controlUrl}/toString`)).json()).toMatchInlineSnapshot(`
      {
        "error": "Expected one of: GET /health, GET /counters, POST /reset, GET /settings, PATCH /settings, POST /settings, GET /state, GET /ledger, GET /truth, GET /clock, POST /clock; got GET /toString.",
      }
    `);
  });
});

describe('closing', () => {
  it('cuts streams, answers waiting requests with 500 and refuses new connections', async () => {
    const { clock, mock, chat, get } = await startManualMock();
    const stream = await chat({ ...helloChat, stream: true, max_tokens: 9 });
    const waiting = chat(helloChat);
    await clock.whenWaiting(2);
    clock.advance(100);
    await mock.close();
    const text = await stream.text();
    expect(text).toContain('"content":" ');
    expect(text).not.toContain('[DONE]');
    const answer = await waiting;
    expect([answer.status, await answer.json()]).toMatchInlineSnapshot(`
      [
        500,
        {
          "error": {
            "code": "stopping",
            "message": "The mock is stopping; try again later.",
            "type": "server_error",
          },
        },
      ]
    `);
    expect(clock.waiting).toBe(0);
    await expect(get('/models')).rejects.toThrow('fetch failed');
  });

  it('writes answers of the same turn of the event loop', async () => {
    const answered = Promise.withResolvers<void>();
    const atEnd: (() => void)[] = [];
    const atEndOfTurn = (run: () => void): void => {
      atEnd.push(run);
      answered.resolve();
    };
    const mock = await startMock({}, { ...manualMockClock(0), atEndOfTurn });
    const asked = fetch(`${mock.url}/models`);
    await answered.promise;
    const closed = mock.close();
    for (const run of atEnd) run();
    await closed;
    expect((await asked).status).toBe(401);
  });

  it('writes the trace of an answer that its client has not read yet', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'weir-truth-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'truth.jsonl');
    const { clock, mock, waitForCounters } = await startManualMock({ truth: { file } });
    const body = JSON.stringify({ ...helloChat, stream: true, max_tokens: 50_000 });
    const client = connect({ port: portOf(mock), host: '127.0.0.1' }).pause();
    client.on('error', () => undefined);
    client.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: ${testKeyHeaders.authorization}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await clock.whenWaiting();
    clock.advance(2_000_000);
    await waitForCounters({ 'completed.chat-stream': 1 });
    await mock.close();
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      end: 'completed.chat-stream',
    });
    client.destroy();
  });

  it('can be called twice', async () => {
    const mock = await startMock({}, manualMockClock(0));
    await Promise.all([mock.close(), mock.close()]);
    await expect(mock.close()).resolves.toBeUndefined();
  });
});

describe('starting', () => {
  it('prints its addresses in one line of JSON', async () => {
    const { mock } = await startManualMock();
    expect(mock.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
    expect(mock.controlUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(JSON.parse(readyLine(mock))).toEqual({ url: mock.url, control: mock.controlUrl });
  });

  it.each(['port', 'controlPort'])('fails with a message if its %s is in use', async (name) => {
    const { mock } = await startManualMock();
    const taken = portOf(mock);
    await expect(startMock({ [name]: taken }, manualMockClock(0))).rejects.toThrow(
      `The mock cannot listen on 127.0.0.1 port ${taken}: the port is in use; choose another port, or 0 for a free one.`,
    );
  });

  it('releases its public port if its control port is in use', async () => {
    const { mock } = await startManualMock();
    const earlier = await startMock({}, manualMockClock(0));
    await earlier.close();
    const port = portOf(earlier);
    const halfTaken = { port, controlPort: portOf(mock) };
    await expect(startMock(halfTaken, manualMockClock(0))).rejects.toThrow('cannot listen');
    const later = await startMock({ port }, manualMockClock(0));
    expect(portOf(later)).toBe(port);
    await later.close();
  });

  it('refuses invalid settings', async () => {
    await expect(startMock({ ttft: -1 }, manualMockClock(0))).rejects.toThrow('ttft');
  });
});
