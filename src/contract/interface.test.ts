import { describe, expect, it } from 'vitest';
import {
  maxUploadBytes,
  servedTranscriptSchema,
  transcriptionFieldsSchema,
  transcriptionResponseSchema,
  uploadExtensions,
} from './audio.ts';
import { detailBodySchema, documentedErrors, errorBodySchema } from './error-body.ts';
import { limitHeaders, readLimitHeaders } from './limit-headers.ts';
import { modelSchema, servedModelListSchema } from './models.ts';
import { chatCost, speechCost, transcriptionCost } from './prices.ts';
import { routes } from './routes.ts';

describe('prices', () => {
  it('of chat are exact for any number of tokens, and a half is rounded up', () => {
    const price = { input: 150_000, output: 600_000 };
    expect(chatCost({ input: 1_000_000, output: 1_000_000 }, price)).toBe(750_000);
    expect(chatCost({ input: 100, output: 20 }, price)).toBe(27);
    expect(chatCost({ input: 3, output: 0 }, { input: 500_000, output: 0 })).toBe(2);
    expect(chatCost({ input: 0, output: 1 }, { input: 9, output: 499_999 })).toBe(0);
    expect(chatCost({ input: 0, output: 1 }, { input: 9, output: 500_000 })).toBe(1);
    // No JavaScript number equals 2^53 + 1, but one equals the cost.
    const most = Number.MAX_SAFE_INTEGER;
    expect(chatCost({ input: most, output: 0 }, { input: 1_000_000, output: 7 })).toBe(most);
  });

  it('of speech are for characters, and of transcriptions for seconds', () => {
    // 0.000015 a character, 0.0001 a second.
    expect([speechCost(0), speechCost(1000)]).toEqual([0, 15_000]);
    expect([transcriptionCost(60), transcriptionCost(0.014), transcriptionCost(0.015)]).toEqual([
      6000, 1, 2,
    ]);
  });
});

describe('the headers of limits', () => {
  const names = {
    'x-ratelimit-api_key-limit-requests': '60',
    'x-ratelimit-api_key-remaining-requests': '-1',
    'x-ratelimit-api_key-limit-tokens': ' 2000000 ',
    'x-ratelimit-api_key-remaining-tokens': '0',
  };

  it('are four whole numbers', () => {
    expect(Object.values(limitHeaders)).toEqual(Object.keys(names));
    expect(readLimitHeaders(names)).toEqual({
      limitRequests: 60,
      remainingRequests: -1,
      limitTokens: 2_000_000,
      remainingTokens: 0,
    });
  });

  it('are unknown where one is absent or no number, and are none if all are absent', () => {
    const none = {
      limitRequests: null,
      remainingRequests: null,
      limitTokens: null,
      remainingTokens: null,
    };
    expect(readLimitHeaders({})).toBeNull();
    expect(readLimitHeaders({ 'retry-after': '5' })).toBeNull();
    const of = (text: string) => readLimitHeaders({ [limitHeaders.limitTokens]: text });
    for (const text of ['', 'x', '1.5', '1e3', '60, 60', '0x10', '9'.repeat(16)])
      expect(of(text)).toEqual(none);
    expect(of('9'.repeat(15))).toEqual({ ...none, limitTokens: 999_999_999_999_999 });
  });
});

describe('a list of models', () => {
  const model = { id: 'm', object: 'model', created: 5, owned_by: 'o' };

  it('has all fields by the interface', () => {
    const isModel = (fields: object): boolean => modelSchema.safeParse(fields).success;
    expect(isModel(model)).toBe(true);
    for (const wrong of [{ id: 5 }, { object: 'x' }, { created: 1.5 }, { owned_by: null }])
      expect(isModel({ ...model, ...wrong })).toBe(false);
  });

  it('is read in every form in which servers send it', () => {
    const served = (body: unknown) => servedModelListSchema.safeParse(body).data?.data;
    expect(served({ data: [{ id: 'a' }] })).toEqual([{ id: 'a' }]);
    expect(served([{ id: 'a' }])).toEqual([{ id: 'a' }]);
    expect(served({ data: null })).toEqual([]);
    for (const wrong of [{}, { data: 'x' }, { data: [{ name: 'a' }] }, null, 'x'])
      expect(served(wrong)).toBeUndefined();
  });
});

describe('the body of an error', () => {
  const takes = (error: unknown): boolean => errorBodySchema.safeParse({ error }).success;

  it('may lack any of its texts', () => {
    expect(takes({ message: 'm', type: 't', code: 'c', param: {} })).toBe(true);
    expect([takes({}), takes({ message: null, code: null })]).toEqual([true, true]);
    for (const wrong of ['text', null, { message: 5 }, { type: {} }, { code: {} }])
      expect(takes(wrong)).toBe(false);
  });

  it('of the web framework is a text or a list', () => {
    const detail = (body: unknown): boolean => detailBodySchema.safeParse(body).success;
    expect([detail({ detail: 'x' }), detail({ detail: [{}] })]).toEqual([true, true]);
    expect([detail({ detail: {} }), detail({})]).toEqual([false, false]);
  });

  it('has a documented type for each documented status', () => {
    expect(Object.entries(documentedErrors).map(([status, { code }]) => [status, code])).toEqual([
      ['401', 'invalid_api_key'],
      ['402', 'insufficient_credits'],
      ['429', 'rate_limit_exceeded'],
    ]);
  });
});

describe('speech and transcriptions', () => {
  it('have uploads up to 25 MiB of these kinds', () => {
    expect(maxUploadBytes).toBe(25 * 1024 * 1024);
    expect(uploadExtensions.toSorted()).toEqual([
      'm4a',
      'mp3',
      'mp4',
      'mpeg',
      'mpga',
      'ogg',
      'wav',
      'webm',
    ]);
    const fields = (more: object): boolean =>
      transcriptionFieldsSchema.safeParse({ model: 'm', ...more }).success;
    const granularities = (values: unknown): boolean =>
      fields({ 'timestamp_granularities[]': values });
    expect([granularities(['word', 'segment']), granularities([])]).toEqual([true, true]);
    expect([granularities(['line']), granularities('word')]).toEqual([false, false]);
    for (const format of ['json', 'text', 'srt', 'vtt', 'verbose_json'])
      expect(fields({ response_format: format })).toBe(true);
    expect(fields({ response_format: 'xml' })).toBe(false);
  });

  it('have a text, and segments with their times by the interface', () => {
    const takes = (body: object): readonly boolean[] => [
      transcriptionResponseSchema.safeParse(body).success,
      servedTranscriptSchema.safeParse(body).success,
    ];
    const segment = { start: 0, end: 1.5, text: 'x' };
    expect(takes({ text: '' })).toEqual([true, true]);
    expect(
      takes({ text: 'x', language: null, duration: 2, segments: [segment], words: [5] }),
    ).toEqual([true, true]);
    expect(takes({})).toEqual([false, false]);
    expect(takes({ text: 'x', segments: [{ ...segment, end: '1' }] })).toEqual([false, true]);
    expect(takes({ text: 'x', duration: '2' })).toEqual([false, true]);
  });
});

it('the four routes are those of the interface', () => {
  expect(Object.values(routes).map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /chat/completions',
    'POST /audio/speech',
    'POST /audio/transcriptions',
    'GET /models',
  ]);
});
