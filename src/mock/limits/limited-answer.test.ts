import { describe, expect, it } from 'vitest';
import { helloChat, testKeyHeaders, startManualMock } from '../gateway/manual-mock.fixture.ts';

const listModels = '/models';
/** `answered` lets a minute pass; these limits do not mind. */
const anHour = 3_600_000;
const limited = async (
  limits: NonNullable<Parameters<typeof startManualMock>[0]>['limits'],
  wait = 0,
): Promise<Response> => {
  const { clock, get } = await startManualMock({ limits: { requestsPerMinute: 1, ...limits } });
  await get(listModels);
  clock.advance(wait);
  return get(listModels);
};

describe('a 429 has', () => {
  it('the documented body and the remaining time', async () => {
    const response = await limited({}, 20_000);
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('40');
    expect(await response.json()).toEqual({
      error: {
        message: 'Rate limit reached: 1 requests per 60 s for this key. Try again in 40 s.',
        type: 'rate_limit_error',
        code: 'rate_limit_exceeded',
      },
    });
  });

  it.each([
    [{ body: 'key' }, '12:01:00'],
    [{ body: 'key', bugs: ['resetFromNow'] }, '12:01:20'],
    [{ body: 'key', bugs: ['localTimeAsUtc'] }, '14:01:00'],
  ] as const)('with %j that the limit resets at %s', async (limits, time) => {
    const response = await limited(
      { ...limits, bugs: [...('bugs' in limits ? limits.bugs : [])] },
      20_000,
    );
    const { error } = (await response.json()) as { error: Record<string, string> };
    expect(error).toMatchObject({ type: 'None', param: 'None', code: '429' });
    expect(error['message']).toMatch(
      new RegExp(
        `^Rate limit exceeded for api_key: [0-9a-f]{12}\\. Limit type: requests\\. Current limit: 1, Remaining: 0\\. Limit resets at: 2026-03-01 ${time} UTC$`,
      ),
    );
  });

  it.each([
    [59_999, '1'],
    [59_001, '1'],
    [59_000, '1'],
    [58_999, '2'],
  ])('whole seconds, rounded up, %i ms after the first request: %s', async (wait, seconds) => {
    expect((await limited({}, wait)).headers.get('retry-after')).toBe(seconds);
  });

  it('the time until one more request fits, which in a bucket is long before it is full', async () => {
    const { get } = await startManualMock({
      limits: { algorithm: 'token-bucket', requestsPerMinute: 6, body: 'documented' },
    });
    for (let i = 0; i < 6; i += 1) await get(listModels);
    const response = await get(listModels);
    expect(response.headers.get('retry-after')).toBe('10');
    expect(await response.text()).toContain('Try again in 10 s.');
  });

  it('only a detail, if the settings choose that form', async () => {
    expect(await (await limited({ body: 'detail' })).json()).toEqual({
      detail: 'Rate limit reached: 1 requests per 60 s for this key. Try again in 60 s.',
    });
  });

  it.each([
    ['constant', '60'],
    ['wrong', '20'],
    ['none', null],
  ] as const)('when Retry-After is %s, %s', async (retryAfter, expected) => {
    const response = await limited({ retryAfter }, 20_000);
    expect(response.headers.get('retry-after')).toBe(expected);
  });
});

describe('limit headers', () => {
  const bears = ({ headers }: Response): boolean => headers.has('x-ratelimit-api_key-limit-tokens');

  it('are on every response after the check of the key by default', async () => {
    const { get, chatAfterMinute } = await startManualMock({
      limits: { requestsPerMinute: 4, window: anHour },
    });
    const responses = [
      await get(listModels),
      await chatAfterMinute(helloChat),
      await chatAfterMinute({ ...helloChat, stream: true }),
      await chatAfterMinute({ ...helloChat, temperature: 9 }),
      await get(listModels),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 400, 429]);
    expect(responses.map(bears)).toEqual([true, true, true, true, true]);
  });

  it('are sent like LiteLLM’s under its profile, which does not count the model list', async () => {
    const { get, chatAfterMinute, speak } = await startManualMock({
      limits: { profile: 'litellm', requestsPerMinute: 4, window: anHour },
    });
    const spoken = { model: 'weir-tts', voice: 'Emily.wav', input: 'Good morning.' };
    const responses = [
      await get(listModels),
      await chatAfterMinute(helloChat),
      await chatAfterMinute({ ...helloChat, stream: true }),
      await chatAfterMinute({ ...helloChat, temperature: 9 }),
      await speak({ ...spoken, voice: 'nobody' }),
    ];
    expect(responses.map(bears)).toEqual([false, true, true, true, true]);
    const refusal = await speak(spoken);
    expect([refusal.status, bears(refusal), refusal.headers.get('retry-after')]).toEqual([
      429,
      false,
      '3600',
    ]);
    expect((await get(listModels)).status).toBe(200);
  });

  it('have a third form on speech, only with the bug of that name', async () => {
    const { get, speak } = await startManualMock({
      limits: { requestsPerMinute: 1, bugs: ['detailOnSpeech'] },
    });
    await get(listModels);
    expect(Object.keys((await (await speak({})).json()) as object)).toEqual(['detail']);
    expect(Object.keys((await (await get(listModels)).json()) as object)).toEqual(['error']);
  });
});

describe('requests in flight', () => {
  it('are capped, and a client that disconnects frees its place at once', async () => {
    const { chat, waitForCounters, clock } = await startManualMock({
      limits: { algorithm: 'in-flight', inFlight: 2 },
    });
    const hangUp = new AbortController();
    const open = [
      chat(helloChat, { signal: hangUp.signal, headers: testKeyHeaders }),
      chat(helloChat),
    ];
    open[0]!.catch(() => undefined);
    await waitForCounters({ 'admitted.chat': 2 });
    const third = await chat(helloChat);
    expect(third.status).toBe(429);
    expect(await third.text()).toContain('2 requests in flight');
    hangUp.abort();
    await waitForCounters({ aborted: 1 });
    const fourth = chat(helloChat);
    await waitForCounters({ 'admitted.chat': 3 });
    clock.advance(60_000);
    expect((await fourth).status).toBe(200);
    await Promise.allSettled(open);
  });
});

it('holds a queued request until its turn and then answers it', async () => {
  const { get, clock, waitForCounters } = await startManualMock({
    limits: { algorithm: 'leaky-queue', requestsPerMinute: 6 },
  });
  const responses = [get(listModels), get(listModels)];
  await waitForCounters({ 'admitted.models': 2 });
  await clock.whenWaiting();
  await waitForCounters({ completed: 1 });
  clock.advance(9999);
  await waitForCounters({ completed: 1 });
  clock.advance(1);
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([200, 200]);
});

it('reserves tokens before a chat is answered if the settings say so', async () => {
  const { chat } = await startManualMock({
    limits: { accounting: 'reserve', tokensPerMinute: 50 },
  });
  const response = await chat({ ...helloChat, max_tokens: 100 });
  expect(response.status).toBe(429);
  expect(await response.text()).toContain('50 tokens per 60 s');
  // The request counts nothing, and the headers know that.
  expect(response.headers.get('x-ratelimit-api_key-remaining-requests')).toBe('60');
});
