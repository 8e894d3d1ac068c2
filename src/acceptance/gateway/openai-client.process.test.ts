import { readFile } from 'node:fs/promises';
import OpenAI, {
  APIError,
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  RateLimitError,
  toFile,
} from 'openai';
import { parseBuffer } from 'music-metadata';
import { afterEach, describe, expect, it } from 'vitest';
import { maxUploadBytes } from '../../contract/audio.ts';
import { realClock } from '../../mock/clock/real-clock.ts';
import type { SettingsInput } from '../../mock/settings/settings.ts';
import { type Mock, startMock } from '../../mock/gateway/start.ts';
import { milliseconds } from '../../model/quantity.ts';

/** The official client; only base address and key are changed. */

const mocks: Mock[] = [];
afterEach(async () => {
  for (const mock of mocks.splice(0)) await mock.close();
});

const none = milliseconds(0);
const fast: SettingsInput = {
  ttft: none,
  gap: none,
  speech: { base: none, perCharacter: none },
  transcription: { base: none, perSecond: none },
};

const clientOf = async (settings: SettingsInput = {}, apiKey = 'sk-weir-test'): Promise<OpenAI> => {
  const mock = await startMock({ ...fast, ...settings }, realClock());
  mocks.push(mock);
  return new OpenAI({ baseURL: mock.url, apiKey, maxRetries: 0 });
};

const model = 'weir/small';
const messages = [{ role: 'user' as const, content: 'What is the weather in Paris?' }];
const weather = {
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'Tells the weather.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city', 'days'],
    },
  },
};

describe('the official client', () => {
  it('lists the models', async () => {
    const client = await clientOf();
    const ids: string[] = [];
    for await (const { id } of client.models.list()) ids.push(id);
    expect(ids).toEqual(['weir/small', 'weir/large', 'weir-tts', 'weir/whisper']);
  });

  it('chats', async () => {
    const client = await clientOf();
    const answer = await client.chat.completions.create({
      model,
      messages,
      max_completion_tokens: 12,
    });
    expect(answer.choices[0]?.finish_reason).toBe('length');
    expect(answer.choices[0]?.message.content?.trim().split(' ')).toHaveLength(12);
    expect(answer.usage).toMatchObject({
      prompt_tokens: 7,
      completion_tokens: 12,
      total_tokens: 19,
    });
  });

  it.each([true, false])('streams a chat, with usage: %s', async (usage) => {
    const client = await clientOf();
    const stream = await client.chat.completions.create({
      model,
      messages,
      max_completion_tokens: 5,
      stream: true,
      ...(usage ? { stream_options: { include_usage: true } } : {}),
    });
    let text = '';
    let completionTokens: number | undefined;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      completionTokens = chunk.usage?.completion_tokens ?? completionTokens;
    }
    expect(text.trim().split(' ')).toHaveLength(5);
    expect(completionTokens).toBe(usage ? 5 : undefined);
  });

  it('gets an object in JSON mode', async () => {
    const client = await clientOf();
    const answer = await client.chat.completions.create({
      model,
      messages,
      response_format: { type: 'json_object' },
    });
    expect(JSON.parse(answer.choices[0]?.message.content ?? '')).toHaveProperty('answer');
    expect(answer.choices[0]?.finish_reason).toBe('stop');
  });

  it('gets a tool call, sends its result, and gets text', async () => {
    const client = await clientOf();
    const first = await client.chat.completions.create({ model, messages, tools: [weather] });
    const [choice] = first.choices;
    expect(choice?.finish_reason).toBe('tool_calls');
    const call = choice?.message.tool_calls?.[0];
    if (choice === undefined || call?.type !== 'function') throw new Error('no call came');
    expect(call.function.name).toBe('weather');
    const given = JSON.parse(call.function.arguments) as Record<string, unknown>;
    expect([typeof given['city'], Number.isInteger(given['days'])]).toEqual(['string', true]);
    const second = await client.chat.completions.create({
      model,
      tools: [weather],
      messages: [
        ...messages,
        choice.message,
        { role: 'tool', tool_call_id: call.id, content: '{"sky":"clear"}' },
      ],
    });
    expect(second.choices[0]?.message.content).toMatch(/^( [a-z]+)+$/);
  });

  it('assembles a streamed tool call, the same as one that is not streamed', async () => {
    const client = await clientOf();
    const id = { headers: { 'x-request-id': 'the-same' } };
    const stream = client.chat.completions.stream({ model, messages, tools: [weather] }, id);
    let fragments = 0;
    stream.on('tool_calls.function.arguments.delta', () => {
      fragments += 1;
    });
    const streamed = await stream.finalChatCompletion();
    const whole = await client.chat.completions.create({ model, messages, tools: [weather] }, id);
    const callIn = (answer: OpenAI.ChatCompletion) => {
      const call = answer.choices[0]?.message.tool_calls?.[0];
      return call?.type === 'function' ? [call.id, call.function] : null;
    };
    expect(callIn(streamed)).not.toBeNull();
    expect(callIn(streamed)).toMatchObject(callIn(whole) ?? []);
    expect(streamed.choices[0]?.finish_reason).toBe('tool_calls');
    expect(fragments).toBeGreaterThan(3);
  });

  it.each([
    ['mp3', 'audio/mpeg', 0.03],
    ['wav', 'audio/wav', 0.001],
    ['opus', 'audio/ogg', 0.001],
  ] as const)('gets speech as %s of the expected length', async (format, type, slack) => {
    const client = await clientOf();
    const input = 'The keeper opens the gate at dawn, and the river runs.';
    const response = await client.audio.speech.create({
      model: 'weir-tts',
      voice: 'Emily.wav',
      input,
      response_format: format,
    });
    expect(response.headers.get('content-type')).toBe(type);
    const { format: read } = await parseBuffer(
      Buffer.from(await response.arrayBuffer()),
      undefined,
      {
        duration: true,
      },
    );
    expect(Math.abs((read.duration ?? 0) - input.length / 15)).toBeLessThan(slack);
  });
});

describe('the official client transcribes', () => {
  const text = 'The gate is open.';
  const prepare = async () => {
    const client = await clientOf();
    const file = await toFile(await readFile('fixtures/speech/gate.wav'), 'gate.wav');
    return { client, file, model: 'weir/whisper' };
  };

  it('as json', async () => {
    const { client, ...request } = await prepare();
    const answer = await client.audio.transcriptions.create(request);
    expect(answer.text).toBe(text);
  });

  it.each([
    ['text', /^The gate is open\.\s*$/],
    ['srt', /^1\n00:00:00,000 --> 00:00:01,\d{3}\nThe gate is open\./],
    ['vtt', /^WEBVTT\n\n00:00:00\.000 --> 00:00:01\.\d{3}\nThe gate is open\./],
  ] as const)('as %s', async (format, expected) => {
    const { client, ...request } = await prepare();
    const answer: unknown = await client.audio.transcriptions.create({
      ...request,
      response_format: format,
    });
    expect(answer).toMatch(expected);
  });

  it('as verbose_json, with the times of words and segments', async () => {
    const { client, ...request } = await prepare();
    const answer = await client.audio.transcriptions.create({
      ...request,
      response_format: 'verbose_json',
      timestamp_granularities: ['word', 'segment'],
    });
    expect(answer.text).toBe(text);
    expect(answer.words?.map(({ word }) => word.replace(/\W/g, ''))).toEqual([
      'The',
      'gate',
      'is',
      'open',
    ]);
    const { end } = answer.segments?.at(-1) ?? { end: 0 };
    expect(Math.abs(end - answer.duration)).toBeLessThan(0.01);
  });
});

describe('the official client throws its own error class for', () => {
  const errorOf = async (answer: Promise<unknown>): Promise<APIError> => {
    const error: unknown = await answer.then(
      () => new Error('it was answered'),
      (reason: unknown) => reason,
    );
    if (error instanceof APIError) return error;
    throw error;
  };

  it('400, a parameter out of range', async () => {
    const client = await clientOf();
    const error = await errorOf(
      client.chat.completions.create({ model, messages, temperature: 9 }),
    );
    expect(error).toBeInstanceOf(BadRequestError);
    expect([error.type, error.code]).toEqual(['invalid_request_error', 'invalid_value']);
    expect(error.message).toContain('temperature');
  });

  it('401, a key that does not exist', async () => {
    const client = await clientOf({}, 'sk-wrong');
    const error = await errorOf(client.models.list());
    expect(error).toBeInstanceOf(AuthenticationError);
    expect([error.type, error.code]).toEqual(['authentication_error', 'invalid_api_key']);
  });

  it('402, no credits left', async () => {
    const client = await clientOf({ credits: { balance: 0 } });
    const error = await errorOf(client.chat.completions.create({ model, messages }));
    expect([error.status, error.type, error.code]).toEqual([
      402,
      'payment_error',
      'insufficient_credits',
    ]);
  });

  it('404, a model that does not exist', async () => {
    const client = await clientOf();
    const error = await errorOf(client.chat.completions.create({ model: 'weir/none', messages }));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error.code).toBe('model_not_found');
  });

  it('413, a file of 25 MB and one byte', async () => {
    const client = await clientOf();
    const file = await toFile(new Uint8Array(maxUploadBytes + 1), 'long.wav');
    const answer = client.audio.transcriptions.create({ file, model: 'weir/whisper' });
    expect((await errorOf(answer)).status).toBe(413);
  });

  it.each(['documented', 'key'] as const)('429, with the %s body', async (body) => {
    const client = await clientOf({ limits: { requestsPerMinute: 1, body } });
    await client.chat.completions.create({ model, messages, max_completion_tokens: 1 });
    const error = await errorOf(client.chat.completions.create({ model, messages }));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error.code).toBe(body === 'documented' ? 'rate_limit_exceeded' : '429');
    expect(error.headers?.get('retry-after')).toBe('60');
  });
});
