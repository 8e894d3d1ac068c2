import { describe, expect, it } from 'vitest';
import { readLimitHeaders } from '../../contract/limit-headers.ts';
import { helloChat, testKeyHeaders, startManualMock } from './manual-mock.fixture.ts';
import { maxBodyBytes } from '../http/request-body.ts';
import { modelListSchema } from '../../contract/reference-answers.fixture.ts';

const quotaOf = (response: Response) => readLimitHeaders(Object.fromEntries(response.headers));

/** Status and error code of an answer, and whether it has limit headers. */
const verdict = async (response: Response) => ({
  status: response.status,
  code: ((await response.json()) as { error: { code: string } }).error.code,
  reportedLimits: quotaOf(response) !== null,
});

describe('the gateway', () => {
  it('checks path, method, key, limits and parameters in this order', async () => {
    const { mock, get, chat } = await startManualMock({ limits: { requestsPerMinute: 1 } });
    const wrongKey = { headers: { authorization: 'Bearer sk-wrong' } };
    const root = mock.url.slice(0, -'/v1'.length);
    expect(await verdict(await fetch(`${root}/chat/completions`, wrongKey))).toEqual({
      status: 404,
      code: 'not_found',
      reportedLimits: false,
    });
    expect(await verdict(await fetch(`${mock.url}/chat/completions`, wrongKey))).toEqual({
      status: 405,
      code: 'method_not_allowed',
      reportedLimits: false,
    });
    expect(await verdict(await chat('not json', wrongKey))).toEqual({
      status: 401,
      code: 'invalid_api_key',
      reportedLimits: false,
    });
    expect(await verdict(await chat('not json'))).toEqual({
      status: 400,
      code: 'invalid_json',
      reportedLimits: true,
    });
    expect(await verdict(await chat('not json'))).toEqual({
      status: 429,
      code: 'rate_limit_exceeded',
      reportedLimits: true,
    });
    expect((await get('/models?x=1', { authorization: 'Bearer sk-weir-test-2' })).status).toBe(200);
  });

  it('shows metrics at its root unless they are off, and counts no such request', async () => {
    const metricsOf = async (settings: { readonly metrics?: boolean }) => {
      const { mock, counters } = await startManualMock(settings);
      const path = `${mock.url.slice(0, -'/v1'.length)}/metrics`;
      const got = await fetch(`${path}?x`);
      const { status } = await fetch(path, { method: 'POST' });
      const counted = Object.values(await counters()).reduce((sum, count) => sum + count, 0);
      return { got: [got.status, (await got.text()).startsWith('# HELP vllm:'), status], counted };
    };
    const [shown, hidden] = [await metricsOf({}), await metricsOf({ metrics: false })];
    expect(shown.got).toEqual([200, true, 404]);
    expect(hidden.got).toEqual([404, false, 404]);
    expect(shown.counted).toBeGreaterThan(0);
    expect(hidden.counted).toBe(2 * shown.counted);
  });

  it('knows a model by an id whose escapes are right or wrong', async () => {
    const { get } = await startManualMock();
    expect((await get('/models/weir%2Fsmall')).status).toBe(200);
    expect((await get('/models/weir/small')).status).toBe(200);
    const wrong = await get('/models/weir%zz');
    expect([wrong.status, await wrong.text()]).toEqual([404, expect.stringContaining('weir%zz')]);
  });

  it('names the method that a path expects', async () => {
    const { get } = await startManualMock();
    expect((await get('/chat/completions')).headers.get('allow')).toBe('POST');
  });

  it('distinguishes a missing key from a wrong one and accepts the scheme in any case', async () => {
    const { get } = await startManualMock();
    const message = async (headers: Record<string, string>) =>
      (await get('/models', headers)).text();
    expect(await message({})).toMatchInlineSnapshot(
      `"{"error":{"message":"The API key is missing; send it as \\"Authorization: Bearer <API_KEY>\\".","type":"authentication_error","code":"invalid_api_key"}}"`,
    );
    expect(await message({ authorization: 'Bearer nope' })).toMatchInlineSnapshot(
      `"{"error":{"message":"The API key is not valid.","type":"authentication_error","code":"invalid_api_key"}}"`,
    );
    expect((await get('/models', { authorization: 'bearer sk-weir-test' })).status).toBe(200);
  });

  it('may expect the key alone in another header', async () => {
    const { get } = await startManualMock({ keyHeader: 'Api-Key' });
    expect((await get('/models', { 'api-key': 'sk-weir-test' })).status).toBe(200);
    expect((await get('/models', { 'api-key': 'Bearer sk-weir-test' })).status).toBe(401);
    const missing = await get('/models', testKeyHeaders);
    expect(await missing.text()).toContain(
      'The API key is missing; send it as \\"api-key: <API_KEY>\\".',
    );
  });

  it('lists its models by the contract', async () => {
    const { get } = await startManualMock({
      models: ['acme/one', 'acme/two'],
      transcription: { model: 'other/whisper' },
    });
    const { data } = modelListSchema.parse(await (await get('/models')).json());
    expect(data.map(({ id, owned_by }) => [id, owned_by])).toEqual([
      ['acme/one', 'acme'],
      ['acme/two', 'acme'],
      ['weir-tts', 'weir'],
      ['other/whisper', 'other'],
    ]);
  });

  it('returns the client’s request id on every answer and adds one if there is none', async () => {
    const { get } = await startManualMock();
    const named = { 'x-request-id': 'run-7' };
    for (const [path, headers] of [
      ['/nowhere', named],
      ['/models', named],
      ['/models', { ...testKeyHeaders, ...named }],
    ] as const) {
      expect((await get(path, headers)).headers.get('x-request-id')).toBe('run-7');
    }
    expect((await get('/models')).headers.get('x-request-id')).toBe('mock-4');
  });

  it('dates its answers with its own clock', async () => {
    const { clock, get } = await startManualMock();
    clock.advance(90_000);
    expect((await get('/models')).headers.get('date')).toBe('Sun, 01 Mar 2026 12:01:30 GMT');
  });
});

describe('the limits of the gateway', () => {
  it('refuse with the documented body and the remaining time, and admit again after it', async () => {
    const { clock, get } = await startManualMock({ limits: { requestsPerMinute: 2 } });
    expect(quotaOf(await get('/models'))?.remainingRequests).toBe(1);
    clock.advance(17_600);
    expect(quotaOf(await get('/models'))?.remainingRequests).toBe(0);
    const refused = await get('/models');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('43');
    expect(quotaOf(refused)).toEqual({
      limitRequests: 2,
      remainingRequests: 0,
      limitTokens: 2_000_000,
      remainingTokens: 2_000_000,
    });
    expect(await refused.json()).toMatchInlineSnapshot(`
      {
        "error": {
          "code": "rate_limit_exceeded",
          "message": "Rate limit reached: 2 requests per 60 s for this key. Try again in 43 s.",
          "type": "rate_limit_error",
        },
      }
    `);
    clock.advance(42_399);
    expect((await get('/models')).status).toBe(429);
    clock.advance(1);
    expect((await get('/models')).status).toBe(200);
  });

  it('are separate for each key', async () => {
    const { get } = await startManualMock({ limits: { requestsPerMinute: 1 } });
    const second = { authorization: 'Bearer sk-weir-test-2' };
    const statuses = [];
    for (const headers of [testKeyHeaders, testKeyHeaders, second, second]) {
      statuses.push((await get('/models', headers)).status);
    }
    expect(statuses).toEqual([200, 429, 200, 429]);
  });

  it('charge tokens when an answer has ended', async () => {
    const { clock, chat, get } = await startManualMock({ limits: { tokensPerMinute: 10 } });
    const asked = [9, 9].map((max_tokens) => chat({ ...helloChat, max_tokens }));
    await clock.whenWaiting(2);
    expect(quotaOf(await get('/models'))?.remainingTokens).toBe(10);
    clock.advance(1000);
    const answers = await Promise.all(asked);
    expect(answers.map((answer) => [answer.status, quotaOf(answer)?.remainingTokens])).toEqual([
      [200, 10],
      [200, 10],
    ]);
    const refused = await get('/models');
    expect(refused.status).toBe(429);
    expect(quotaOf(refused)?.remainingTokens).toBe(0);
    expect(await refused.text()).toContain('10 tokens per 60 s');
  });

  it('admit exactly their number of a hundred concurrent requests, each with a different remaining count', async () => {
    const { get, counters } = await startManualMock({ limits: { requestsPerMinute: 60 } });
    const answers = await Promise.all(Array.from({ length: 100 }, () => get('/models')));
    const admitted = answers.filter(({ status }) => status === 200);
    const left = admitted.map((answer) => quotaOf(answer)?.remainingRequests ?? -1);
    expect(left.toSorted((a, b) => b - a)).toEqual(Array.from({ length: 60 }, (_, n) => 59 - n));
    expect(await counters()).toMatchObject({
      received: 100,
      'completed.models': 60,
      'limited.requests': 40,
    });
  });
});

describe('the parameters of a chat', () => {
  it.each([
    [{ messages: helloChat.messages }, 'model'],
    [{ ...helloChat, messages: [] }, 'messages'],
    [{ ...helloChat, messages: [{ role: 'critic', content: 'x' }] }, 'messages[0].role'],
    [{ ...helloChat, messages: [{ role: 'assistant' }] }, 'messages[0].content'],
    [{ ...helloChat, response_format: { type: 'xml' } }, 'response_format.type'],
    [{ ...helloChat, tool_choice: { type: 'function', function: { name: 'f' } } }, 'tool_choice'],
    [{ ...helloChat, max_tokens: 0 }, 'max_tokens'],
    [{ ...helloChat, temperature: 2.1 }, 'temperature'],
    [{ ...helloChat, top_p: -0.1 }, 'top_p'],
    [{ ...helloChat, stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop'],
    [{ ...helloChat, presence_penalty: -3 }, 'presence_penalty'],
    [{ ...helloChat, stream: 'yes' }, 'stream'],
    [{ ...helloChat, n: 0 }, 'n'],
    [{ ...helloChat, logprobs: 9 }, 'logprobs'],
    [{ ...helloChat, logprobs: true, top_logprobs: 21 }, 'top_logprobs'],
    [{ ...helloChat, messages: [{ role: 'user', content: [] }] }, 'messages[0].content'],
    [{ ...helloChat, messages: [{ role: 'user', content: 5 }] }, 'messages[0].content'],
    [[], 'request body'],
  ])('are refused with their name: %j', async (body, parameter) => {
    const { chat } = await startManualMock();
    const answer = await chat(body);
    expect(answer.status).toBe(400);
    expect(quotaOf(answer)?.remainingRequests).toBe(59);
    const { error } = (await answer.json()) as { error: Record<string, string> };
    expect(error).toMatchObject({ type: 'invalid_request_error', code: 'invalid_value' });
    expect(error['message']).toContain(`Invalid ${parameter}: `);
  });

  it.each([{ ignore_eos: true }, { seed: 'x' }, { user: null }])(
    'may contain fields that the interface does not name, which are ignored: %j',
    async (more) => {
      const { chatAfterMinute } = await startManualMock();
      const answer = await chatAfterMinute({ ...helloChat, ...more });
      const { choices } = (await answer.json()) as { choices: unknown[] };
      expect([answer.status, choices.length]).toEqual([200, 1]);
    },
  );

  it('are refused with all errors at once', async () => {
    const { chat } = await startManualMock();
    const answer = await chat({ ...helloChat, temperature: 3, stop: [1], max_tokens: 1.5 });
    expect(await answer.json()).toMatchInlineSnapshot(`
      {
        "error": {
          "code": "invalid_value",
          "message": "Invalid max_tokens: expected int, received number. Invalid temperature: Too big: expected number to be <=2. Invalid stop: expected string, received array; or expected string, received number.",
          "type": "invalid_request_error",
        },
      }
    `);
  });

  it('are refused if the model is unknown or its context too small', async () => {
    const { chat } = await startManualMock({ contextTokens: 10 });
    const unknown = await chat({ ...helloChat, model: 'weir/none' });
    expect([unknown.status, await unknown.json()]).toMatchInlineSnapshot(`
      [
        404,
        {
          "error": {
            "code": "model_not_found",
            "message": "The model "weir/none" does not exist; GET /models lists all models.",
            "type": "invalid_request_error",
          },
        },
      ]
    `);
    const large = await chat({ ...helloChat, max_tokens: 9 });
    expect([large.status, await large.json()]).toMatchInlineSnapshot(`
      [
        400,
        {
          "error": {
            "code": "context_length_exceeded",
            "message": "The context window has 10 tokens; the messages have 2 and max_tokens is 9.",
            "type": "invalid_request_error",
          },
        },
      ]
    `);
  });

  it('are refused if they are not UTF-8', async () => {
    const { chat } = await startManualMock();
    const bytes = Buffer.from(JSON.stringify(helloChat).replace('hello', 'h\u00e9llo'), 'latin1');
    expect(await verdict(await chat(bytes))).toMatchObject({ status: 400, code: 'invalid_json' });
  });

  it('may be as long as the largest context windows', async () => {
    const { chatAfterMinute } = await startManualMock({ contextTokens: 1_050_000 });
    const content = 'world '.repeat(1_000_000);
    const answer = await chatAfterMinute({ ...helloChat, messages: [{ role: 'user', content }] });
    expect(await answer.json()).toMatchObject({ usage: { prompt_tokens: 1_000_000 } });
  });

  const oversized = new Uint8Array(maxBodyBytes + 1);
  it.each([
    ['by its declared length', (): RequestInit => ({ body: oversized })],
    ['as it comes', (): RequestInit => ({ body: new Blob([oversized]).stream(), duplex: 'half' })],
  ])(
    'are refused if they are too large, detected %s, and the connection stays open',
    async (_, sent) => {
      const { chat, get } = await startManualMock();
      const answer = await chat(null, sent());
      expect(await verdict(answer)).toEqual({
        status: 413,
        code: 'request_too_large',
        reportedLimits: true,
      });
      expect((await get('/models')).status).toBe(200);
    },
  );
});
