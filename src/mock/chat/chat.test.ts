import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import {
  parseEvents,
  helloChat,
  testKeyHeaders,
  startManualMock,
} from '../gateway/manual-mock.fixture.ts';
import { chatResponseSchema, chatChunkSchema } from '../../contract/reference-answers.fixture.ts';

const contentOf = (events: readonly unknown[]): readonly string[] =>
  events.flatMap((event) => {
    const chunk = chatChunkSchema.safeParse(event);
    const content = chunk.data?.choices?.[0]?.delta?.content;
    return typeof content === 'string' && content !== '' ? [content] : [];
  });

const streamed = { ...helloChat, stream: true };

describe('a chat that is not streamed', () => {
  it('is answered when the last token of a stream would be due', async () => {
    const { clock, chat, counters } = await startManualMock();
    const response = chat({ ...helloChat, max_tokens: 4 });
    await clock.whenWaiting();
    clock.advance(159.9);
    expect(await counters()).toMatchObject({ inFlight: 1, completed: 0 });
    clock.advance(0.1);
    const answer = chatResponseSchema.parse(await (await response).json());
    expect(answer).toMatchInlineSnapshot(`
      {
        "choices": [
          {
            "finish_reason": "length",
            "index": 0,
            "message": {
              "content": " work how built after",
              "role": "assistant",
            },
          },
        ],
        "created": 1767225600,
        "id": "chatcmpl-1aeb64c65584509311136d60",
        "model": "weir/small",
        "object": "chat.completion",
        "usage": {
          "completion_tokens": 4,
          "prompt_tokens": 2,
          "total_tokens": 6,
        },
      }
    `);
    expect(await counters()).toMatchObject({ inFlight: 0, 'completed.chat': 1 });
  });

  it('may follow a message that only calls a tool', async () => {
    const { chatAfterMinute } = await startManualMock();
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
    const messages = [
      { role: 'user', content: 'Hello.' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: '5' },
    ];
    const response = await chatAfterMinute({ ...helloChat, messages, max_tokens: 4 });
    expect(response.status).toBe(200);
  });

  it('ends by itself without max_tokens', async () => {
    const { chatAfterMinute } = await startManualMock({ outputTokens: { min: 5, max: 5 } });
    const answer = chatResponseSchema.parse(await (await chatAfterMinute(helloChat)).json());
    expect(answer.choices[0]?.finish_reason).toBe('stop');
    expect(answer.usage?.completion_tokens).toBe(5);
  });

  it('never exceeds the context window', async () => {
    const { chatAfterMinute } = await startManualMock({ contextTokens: 5 });
    const answer = chatResponseSchema.parse(await (await chatAfterMinute(helloChat)).json());
    expect(answer.usage).toEqual({ prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 });
  });
});

describe('a streamed chat', () => {
  it('sends one token per event when it is due', async () => {
    const { clock, chat, counters } = await startManualMock();
    const response = await chat({ ...streamed, max_tokens: 3 });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    const sent = async () => (await counters())['tokens.output'];
    clock.advance(99);
    expect(await sent()).toBe(0);
    clock.advance(1);
    const first = parseEvents((await reader.read()).value ?? '');
    expect(first).toHaveLength(2);
    expect(first[0]).toMatchObject({ choices: [{ delta: { role: 'assistant', content: '' } }] });
    expect(contentOf(first)).toHaveLength(1);
    clock.advance(19);
    expect(await sent()).toBe(1);
    clock.advance(1);
    expect(contentOf(parseEvents((await reader.read()).value ?? ''))).toHaveLength(1);
    clock.advance(20);
    const last = parseEvents((await reader.read()).value ?? '');
    expect(contentOf(last)).toHaveLength(1);
    expect(last.at(-2)).toMatchObject({ choices: [{ delta: {}, finish_reason: 'length' }] });
    expect(last.at(-1)).toBe('[DONE]');
    expect((await reader.read()).done).toBe(true);
  });

  it('has the same text as the non-streamed response', async () => {
    const { chatAfterMinute } = await startManualMock({ limits: { requestsPerMinute: null } });
    const named = { ...testKeyHeaders, 'x-request-id': 'same' };
    const whole = chatResponseSchema.parse(await (await chatAfterMinute(helloChat, named)).json());
    const events = parseEvents(await (await chatAfterMinute(streamed, named)).text());
    expect(contentOf(events).join('')).toBe(whole.choices[0]?.message.content);
  });

  it('sends its usage last, and only if requested', async () => {
    const { chatAfterMinute } = await startManualMock();
    const asking = { ...streamed, max_tokens: 2, stream_options: { include_usage: true } };
    const events = parseEvents(await (await chatAfterMinute(asking)).text());
    expect(events).toMatchInlineSnapshot(`
      [
        {
          "choices": [
            {
              "delta": {
                "content": "",
                "role": "assistant",
              },
              "finish_reason": null,
              "index": 0,
            },
          ],
          "created": 1767225600,
          "id": "chatcmpl-05beeb2b5a0553c4fffbdbdd",
          "model": "weir/small",
          "object": "chat.completion.chunk",
          "usage": null,
        },
        {
          "choices": [
            {
              "delta": {
                "content": " may",
              },
              "finish_reason": null,
              "index": 0,
            },
          ],
          "created": 1767225600,
          "id": "chatcmpl-05beeb2b5a0553c4fffbdbdd",
          "model": "weir/small",
          "object": "chat.completion.chunk",
          "usage": null,
        },
        {
          "choices": [
            {
              "delta": {
                "content": " main",
              },
              "finish_reason": null,
              "index": 0,
            },
          ],
          "created": 1767225600,
          "id": "chatcmpl-05beeb2b5a0553c4fffbdbdd",
          "model": "weir/small",
          "object": "chat.completion.chunk",
          "usage": null,
        },
        {
          "choices": [
            {
              "delta": {},
              "finish_reason": "length",
              "index": 0,
            },
          ],
          "created": 1767225600,
          "id": "chatcmpl-05beeb2b5a0553c4fffbdbdd",
          "model": "weir/small",
          "object": "chat.completion.chunk",
          "usage": null,
        },
        {
          "choices": [],
          "created": 1767225600,
          "id": "chatcmpl-05beeb2b5a0553c4fffbdbdd",
          "model": "weir/small",
          "object": "chat.completion.chunk",
          "usage": {
            "completion_tokens": 2,
            "prompt_tokens": 2,
            "total_tokens": 4,
          },
        },
        "[DONE]",
      ]
    `);
    const plain = await (await chatAfterMinute({ ...streamed, max_tokens: 2 })).text();
    expect(plain).not.toContain('usage');
  });

  it('is complete even if a stop sequence leaves no token', async () => {
    const { chatAfterMinute } = await startManualMock();
    const events = parseEvents(await (await chatAfterMinute({ ...streamed, stop: ' ' })).text());
    expect(contentOf(events)).toEqual([]);
    expect(events.at(-2)).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
  });

  it('frees its place when the client disconnects, and charges what was sent', async () => {
    const { clock, get, hangUpAfter, waitForCounters } = await startManualMock();
    await hangUpAfter(120, { ...streamed, max_tokens: 50 });
    await waitForCounters({ aborted: 1 });
    expect(clock.waiting).toBe(0);
    await waitForCounters({ inFlight: 0, completed: 0, 'tokens.input': 2, 'tokens.output': 2 });
    const remaining = (await get('/models')).headers.get('x-ratelimit-api_key-remaining-tokens');
    expect(remaining).toBe('1999996');
  });

  it('keeps its place until its last token is due if the gateway holds what clients leave', async () => {
    const limits = { requestsPerMinute: null, inFlight: 1 };
    const mock = await startManualMock({ hangUps: 'hold', limits });
    await mock.hangUpAfter(120, { ...streamed, max_tokens: 50 });
    await mock.waitForCounters({ aborted: 1 });
    expect((await mock.chat(helloChat)).status).toBe(429);
    mock.clock.advance(60_000);
    expect((await mock.chatAfterMinute(helloChat)).status).toBe(200);
  });

  it('is sent at once without latency', async () => {
    const { chat, clock } = await startManualMock({ ttft: 0, gap: 0 });
    const events = parseEvents(await (await chat({ ...streamed, max_tokens: 100 })).text());
    expect(contentOf(events)).toHaveLength(100);
    expect(clock.waiting).toBe(0);
  });
});

describe('the content of a chat', () => {
  it('depends only on the seed and the request id, not on order, concurrency or key', async () => {
    const ids = ['a', 'b', 'c', 'd'];
    const answersOf = async (seed: number, order: readonly string[], apiKey: string) => {
      const { clock, chat } = await startManualMock({ seed });
      const asked = order.map((id) =>
        chat(helloChat, { headers: { authorization: `Bearer ${apiKey}`, 'x-request-id': id } }),
      );
      await clock.whenWaiting(order.length);
      clock.advance(10_000);
      const texts = await Promise.all(asked.map(async (response) => (await response).text()));
      return Object.fromEntries(order.map((id, index) => [id, texts[index]]));
    };
    const straight = await answersOf(1, ids, 'sk-weir-test');
    expect(await answersOf(1, ids.toReversed(), 'sk-weir-test-2')).toEqual(straight);
    expect(new Set(Object.values(straight)).size).toBe(4);
    expect(await answersOf(2, ids, 'sk-weir-test')).not.toEqual(straight);
  });

  it('without a request id depends on key and body', async () => {
    const { chatAfterMinute } = await startManualMock();
    const second = { authorization: 'Bearer sk-weir-test-2' };
    const text = async (body: unknown, headers = testKeyHeaders) =>
      (await chatAfterMinute(body, headers)).text();
    const first = await text(helloChat);
    expect(await text(helloChat)).toBe(first);
    expect(await text(helloChat, second)).not.toBe(first);
    expect(await text({ ...helloChat, temperature: 1 })).not.toBe(first);
  });
});

describe('a chat on a bare connection', () => {
  /** Sends raw requests at once on one connection and returns all that comes until the server closes it. */
  const exchangeRaw = async (url: string, requests: string): Promise<string> => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text;
    });
    socket.write(requests);
    await once(socket, 'close');
    return received;
  };
  const raw = (version: string, id: string, more: string): string => {
    const body = JSON.stringify({ ...streamed, max_tokens: 2 });
    return [
      `POST /v1/chat/completions HTTP/${version}`,
      'host: mock',
      'authorization: Bearer sk-weir-test',
      `x-request-id: ${id}`,
      `content-length: ${body.length}`,
      more,
      '',
      body,
    ].join('\r\n');
  };

  it('is streamed without chunks to a client with HTTP/1.0', async () => {
    const { clock, mock } = await startManualMock();
    const answer = exchangeRaw(mock.url, raw('1.0', 'old', 'connection: close'));
    await clock.whenWaiting();
    clock.advance(1000);
    const [head = '', ...body] = (await answer).split('\r\n\r\n');
    expect(head).not.toContain('chunked');
    expect(contentOf(parseEvents(body.join('\r\n\r\n')))).toHaveLength(2);
  });

  it('waits for the answers before it on the same connection', async () => {
    const { clock, mock } = await startManualMock();
    const pipeline = raw('1.1', 'one', 'x-n: 1') + raw('1.1', 'two', 'connection: close');
    const answer = exchangeRaw(mock.url, pipeline);
    await clock.whenWaiting(2);
    clock.advance(1000);
    const text = await answer;
    const [, one = '', two = ''] = text.split('HTTP/1.1 200 OK');
    expect([one, two].map((part) => /x-request-id: (\w+)/.exec(part)?.[1])).toEqual(['one', 'two']);
    expect([one, two].map((part) => part.split('"content":" ').length - 1)).toEqual([2, 2]);
    expect([one, two].map((part) => part.includes('data: [DONE]'))).toEqual([true, true]);
  });
});
