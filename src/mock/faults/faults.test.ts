import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type FaultName, faultNames } from '../../model/gateway/mock-faults.ts';
import { helloChat, testKeyHeaders, startManualMock } from '../gateway/manual-mock.fixture.ts';
import type { SettingsInput } from '../settings/settings.ts';

type Bench = Awaited<ReturnType<typeof startManualMock>>;

const opened = (settings: SettingsInput = {}): Promise<Bench> =>
  startManualMock({ ttft: 0, gap: 0, limits: { requestsPerMinute: null }, ...settings });

/** What came on a bare socket until the gateway closed it, or until `enough` had come and the client left. */
const ask = async (
  { clock, mock }: Bench,
  fault: FaultName,
  stream: boolean,
  enough: RegExp | null,
) => {
  const { hostname, port } = new URL(mock.url);
  const socket = connect(Number(port), hostname);
  const body = JSON.stringify({
    ...helloChat,
    max_tokens: 4,
    stream,
    stream_options: { include_usage: true },
  });
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: ${testKeyHeaders.authorization}\r\n` +
      `x-weir-fault: ${fault}\r\ncontent-length: ${body.length}\r\n` +
      `${enough === null ? 'connection: close\r\n' : ''}\r\n${body}`,
  );
  let text = '';
  let end = 'left';
  const closed = new Promise<void>((resolve) => {
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
      if (enough?.test(text) === true) socket.destroy();
    });
    socket.on('end', () => (end = 'fin'));
    socket.on('error', () => (end = 'reset'));
    socket.on('close', () => resolve());
  });
  while (!socket.closed) {
    await Promise.race([closed, clock.whenWaiting()]);
    // Sockets get their turn before the time moves on.
    await fetch(`${mock.controlUrl}/health`);
    clock.advance(1000);
  }
  return { text, end };
};

const streamed: Partial<Record<FaultName, readonly [RegExp, 'fin' | 'reset' | 'left']>> = {
  'key-revoked': [/^HTTP\/1.1 401 .*invalid_api_key/s, 'fin'],
  'empty-balance': [/^HTTP\/1.1 402 .*insufficient_credits/s, 'fin'],
  'status-500': [/^HTTP\/1.1 500 .*server_error/s, 'fin'],
  'status-503': [/^HTTP\/1.1 503 .*retry-after: 1\r.*overloaded/s, 'fin'],
  'html-502': [/^HTTP\/1.1 502 .*text\/html.*<h1>502 Bad Gateway/s, 'fin'],
  'json-error-200': [/^HTTP\/1.1 200 .*application\/json.*\{"error"/s, 'fin'],
  'html-200': [/^HTTP\/1.1 200 .*text\/html.*<html>/s, 'fin'],
  'stream-status-500': [/^HTTP\/1.1 500 .*text\/event-stream.*data: \{"error"/s, 'fin'],
  'reset-before-head': [/^$/, 'reset'],
  'fin-before-head': [/^$/, 'fin'],
  'slow-head': [/^HTTP\/1.1 200 .*\[DONE\]/s, 'fin'],
  dribble: [/^HTTP\/1.1 200 .*\[DONE\]/s, 'fin'],
  'reset-mid-body': [/\r\n\r\n.{20}$/s, 'reset'],
  'fin-mid-body': [/\r\n\r\n.{20}$/s, 'fin'],
  'stall-mid-body': [/\r\n\r\n.{20}$/s, 'left'],
  'wrong-content-type': [/content-type: text\/plain\r.*\[DONE\]/s, 'fin'],
  'role-first': [/\r\n\r\n[^{]*\{"choices":\[\{"index":0,"delta":\{"role":"assistant"\}/, 'fin'],
  'usage-null-choices': [/"choices":null,"usage":\{"prompt_tokens":2,"completion_tokens":4/, 'fin'],
  'usage-no-choices': [/"model":"weir\/small","usage":\{"prompt_tokens":2/, 'fin'],
  'usage-every-chunk': [
    /"completion_tokens":1,.*"completion_tokens":4,.*"prompt_tokens":2/s,
    'fin',
  ],
  comments: [/: ping\n\n: PROCESSING\ndata: /, 'fin'],
  'no-space': [/\ndata:\{.*data:\[DONE\]/s, 'fin'],
  crlf: [/\}\r\n\r\ndata: \{.*\[DONE\]\r\n\r\n/s, 'fin'],
  cr: [/\}\r\rdata: \{.*\[DONE\]\r\r/s, 'fin'],
  bom: [/\xef\xbb\xbfdata: /, 'fin'],
  'odd-chunks': [/\r\n1\r\n.\r\n2\r\n..\r\n3\r\n...\r\n5\r\n.*\xf0/s, 'fin'],
  'multi-line': [/event: message\nid: 1\nretry: 3000\ndata: \{\ndata: "id"/, 'fin'],
  reasoning: [
    /"content":null,"reasoning":" \w+".*"reasoning_content":" \w+"|"content":null,"reasoning_content":" \w+".*"reasoning":" \w+"/s,
    'fin',
  ],
  'null-fields': [
    /"tool_calls":null,"function_call":null,"reasoning_content":null,"content":" /,
    'fin',
  ],
  'several-tokens': [/"delta":\{"content":"(?: \w+){4}"\}/, 'fin'],
  'gzip-stream': [/content-encoding: gzip\r.*\r\n\r\n[0-9a-f]+\r\n\x1f\x8b/s, 'fin'],
  'broken-event': [/data: \{"id":"chatcmpl-\w+\n\n/, 'fin'],
  'error-object': [/ \w+"\}.* \w+"\}.*data: \{"error":.*\r\n0\r\n\r\n$/s, 'fin'],
  'error-event': [/event: error\ndata: \{"error":.*\r\n0\r\n\r\n$/s, 'fin'],
  'finish-error': [/"finish_reason":"error".*\[DONE\]/s, 'fin'],
  'no-done': [/"finish_reason":"length"(?!.*\[DONE\]).*\r\n0\r\n\r\n$/s, 'fin'],
  truncated: [/^(?!.*"length").*"content":" \w+"\}.*\r\n0\r\n\r\n$/s, 'fin'],
  'fin-without-done': [/"finish_reason":"length"(?!.*\[DONE\])(?!.*\r\n0\r\n\r\n$)/s, 'fin'],
  'data-after-done': [/\[DONE\]\n\ndata: \{"choices"/, 'fin'],
  'open-after-done': [/\[DONE\]\n\n\r\n$/, 'left'],
  'reset-mid-stream': [/^/, 'reset'],
  'fin-mid-stream': [/^(?!.*"length").*"content":" \w+"\}.*\}\n\n\r\n$/s, 'fin'],
  'reset-mid-event': [/data: \{"id":"chatcmpl[^\n]*\r\n$/, 'reset'],
  'stall-mid-stream': [/"content":" \w+"[^]*"content":" \w+"[^]*\n\n\r\n$/, 'left'],
  'pause-mid-stream': [/"content":" \w+"[^]*\[DONE\]/, 'fin'],
  'endless-stream': [/" on"[^]{20000}/, 'left'],
  'endless-line': [/"content":"\r\n[0-9a-f]+\r\non on [^]{60000}/, 'left'],
  'huge-event': [/x{1000}[^]*\[DONE\]/, 'fin'],
};

const whole: Partial<Record<FaultName, readonly [RegExp, 'fin' | 'reset' | 'left']>> = {
  'length-too-long': [/"usage":\{[^}]*\}\}$/, 'fin'],
  'length-too-short': [/"usage":\{/, 'fin'],
  'gzip-body': [/content-encoding: gzip\r.*\r\n\r\n\x1f\x8b/s, 'fin'],
  'wrong-content-type': [/content-type: text\/plain\r/, 'fin'],
  'reset-mid-body': [/\r\n\r\n.{20}$/s, 'reset'],
  'slow-head': [/^HTTP\/1.1 200 /, 'fin'],
};

const rows = [
  ...Object.entries(streamed).map(([name, row]) => [name, 'stream', ...row] as const),
  ...Object.entries(whole).map(([name, row]) => [name, 'whole answer', ...row] as const),
];

describe('each fault is visible on the wire and counted under its name only', () => {
  it.each(rows)('%s, in a %s', async (name, form, promised, end) => {
    const bench = await opened();
    const fault = name as FaultName;
    const shown = await ask(bench, fault, form === 'stream', end === 'left' ? promised : null);
    expect(shown.end).toBe(end);
    expect(shown.text).toMatch(promised);
    await bench.waitForCounters({ received: 1, faulted: 1, [`faulted.${name}`]: 1, inFlight: 0 });
  });

  it.each(['truncated', 'fin-mid-stream'] as const)('%s ends after two tokens', async (fault) => {
    const { text } = await ask(await opened(), fault, true, null);
    expect(text.match(/"content":" \w+"\}/g)).toHaveLength(2);
  });

  it('pause-mid-stream sends the rest of the stream after its pause', async () => {
    const bench = await opened({ gap: 400 });
    const { text, end } = await ask(bench, 'pause-mid-stream', true, null);
    expect(end).toBe('fin');
    expect(text.match(/"content":" \w+"\}/g)).toHaveLength(4);
    expect(text).toContain('[DONE]');
  });

  it('slow-head sends nothing before its delay', async () => {
    const { chat, clock, mock } = await opened();
    const headers = { ...testKeyHeaders, 'x-weir-fault': 'slow-head' };
    let isAnswered = false;
    const answer = chat(helloChat, { headers }).then((each) => {
      isAnswered = true;
      return each.status;
    });
    await clock.whenWaiting();
    clock.advance(999);
    await fetch(`${mock.controlUrl}/health`);
    expect(isAnswered).toBe(false);
    clock.advance(1);
    expect(await answer).toBe(200);
  });

  it('covers every fault', () => {
    const named = new Set([...Object.keys(streamed), ...Object.keys(whole), 'no-answer']);
    expect(faultNames.filter((name) => !named.has(name))).toEqual([]);
  });

  it('no-answer waits until its client disconnects', async () => {
    const { chat, waitForCounters } = await opened();
    const hangUp = new AbortController();
    const headers = { ...testKeyHeaders, 'x-weir-fault': 'no-answer' };
    const answer = chat(helloChat, { headers, signal: hangUp.signal });
    await waitForCounters({ received: 1, inFlight: 1 });
    hangUp.abort();
    await expect(answer).rejects.toThrow('aborted');
    await waitForCounters({ 'faulted.no-answer': 1, inFlight: 0 });
  });

  it('a stream in gzip has the content of the stream', async () => {
    const { chat } = await opened();
    const headers = { ...testKeyHeaders, 'x-weir-fault': 'gzip-stream' };
    const text = await (
      await chat({ ...helloChat, max_tokens: 2, stream: true }, { headers })
    ).text();
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  });
});

it('an answer in gzip has the content of the answer, in one or many pieces, and its own length', async () => {
  const { chat, chatAfterMinute, speak, afterMinute } = await startManualMock();
  const headers = { ...testKeyHeaders, 'x-weir-fault': 'gzip-body' };
  const plain = await (
    await chatAfterMinute(helloChat, { ...testKeyHeaders, 'x-request-id': 'a' })
  ).text();
  const zipped = await chatAfterMinute(helloChat, { ...headers, 'x-request-id': 'a' });
  expect(zipped.headers.get('content-encoding')).toBe('gzip');
  expect(Number(zipped.headers.get('content-length'))).toBeLessThan(plain.length);
  expect(await zipped.text()).toBe(plain);
  const refused = await chat({ ...helloChat, temperature: 9 }, { headers });
  expect([refused.status, Object.keys((await refused.json()) as object)]).toEqual([400, ['error']]);
  const asked = JSON.stringify({ model: 'weir-tts', voice: 'Emily.wav', input: 'x'.repeat(900) });
  const bytesOf = async (more: object) =>
    Buffer.from(
      await (
        await afterMinute(speak(asked, { headers: { ...testKeyHeaders, ...more } }))
      ).arrayBuffer(),
    );
  expect((await bytesOf(headers)).equals(await bytesOf({}))).toBe(true);
  const stream = await chatAfterMinute({ ...helloChat, stream: true }, headers);
  expect(stream.headers.get('content-encoding')).toBe(null);
  expect(await stream.text()).toContain('[DONE]');
});

it.each(['fin-mid-body', 'reset-mid-body', 'stall-mid-body'] as const)(
  'a %s after the end of the body leaves the answer complete, repeatedly on one connection',
  async (fault) => {
    const { get, chat } = await opened({ faults: [{ fault, every: 1, after: 1_000_000 }] });
    for (let n = 0; n < 3; n += 1) {
      expect(await (await get('/models')).json()).toMatchObject({ object: 'list' });
      expect(await (await chat({ ...helloChat, stream: true })).text()).toContain('[DONE]');
    }
  },
);

describe('a rule', () => {
  const statusesOf = async (settings: SettingsInput, count: number, path = '/models') => {
    const { get } = await opened(settings);
    const statuses: number[] = [];
    for (let n = 0; n < count; n += 1) {
      statuses.push((await get(path, { ...testKeyHeaders, 'x-request-id': `r${n}` })).status);
    }
    return statuses;
  };

  it.each([
    [{ nth: 3 }, [200, 200, 503, 200, 200, 200]],
    [{ nth: 2, for: 3 }, [200, 503, 503, 503, 200, 200]],
    [{ nth: 4, for: null }, [200, 200, 200, 503, 503, 503]],
    [{ every: 2 }, [200, 503, 200, 503, 200, 503]],
    [{ every: 3, for: 2 }, [200, 200, 503, 503, 200, 503]],
    [{ probability: 1 }, [503, 503, 503, 503, 503, 503]],
    [{ probability: 0 }, [200, 200, 200, 200, 200, 200]],
    [{ nth: 1, for: null, routes: ['chat' as const] }, [200, 200, 200, 200, 200, 200]],
  ])('with %j takes its requests', async (rule, expected) => {
    expect(await statusesOf({ faults: [{ fault: 'status-503', ...rule }] }, 6)).toEqual(expected);
  });

  it('draws by seed and request id in any order', async () => {
    const faults = [{ fault: 'status-503' as const, probability: 0.5 }];
    const first = await statusesOf({ faults }, 40);
    expect(await statusesOf({ faults }, 40)).toEqual(first);
    expect(await statusesOf({ faults, seed: 2 }, 40)).not.toEqual(first);
    expect(first.filter((status) => status === 503).length).toBeGreaterThan(8);
  });
});

it('a header with an unknown fault is refused with the list of faults, and ignored if the settings disable it', async () => {
  const headers = { ...testKeyHeaders, 'x-weir-fault': 'no-such' };
  const refused = await (await opened()).get('/models', headers);
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain('choose from key-revoked, empty-balance, ');
  expect((await (await opened({ faultHeader: false })).get('/models', headers)).status).toBe(200);
});
