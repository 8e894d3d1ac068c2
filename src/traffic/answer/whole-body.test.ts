import type { Outcome } from '../../model/observation/outcome.ts';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import { emptyTargetMemory } from '../traffic-handler.ts';
import {
  contextWith,
  everySplit,
  headAt,
  readAt,
  readerFor,
  replay,
  withoutTimes,
} from '../kinds/replay.fixture.ts';
import { matching } from '../kinds/stream-bodies.fixture.ts';

const json = { 'content-type': 'application/json; charset=utf-8' };

/** Returns the outcome, which is the same in every cut apart from the first byte's instant. */
const read = (
  kind: TrafficKind,
  body: string | object,
  headers: Readonly<Record<string, string>> = json,
): Outcome => {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const whole = replay(kind, [bytes], { headers });
  for (const reads of everySplit(bytes)) {
    expect(withoutTimes(replay(kind, reads, { headers }))).toEqual(withoutTimes(whole));
  }
  return whole;
};

const completion = (message: object, rest: object = {}): object => ({
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
  ...rest,
});

describe('a whole chat completion', () => {
  it('without a finish reason has the same note as a stream', () => {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'hello' } }];
    expect(read('chat', completion({}, { choices }))).toMatchObject({
      kind: 'completed',
      answer: { finish: null, notes: ['no-finish'] },
    });
  });

  it('has the notes on its end, its content and its usage together', () => {
    const choices = [
      { index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'satisfied' },
      { index: 1, message: { role: 'assistant', content: '' } },
    ];
    const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 99 };
    expect(read('chat', completion({}, { choices, usage }))).toMatchObject({
      kind: 'completed',
      answer: {
        finish: 'satisfied',
        notes: ['finish-unknown', 'no-content', 'no-finish', 'usage-total'],
      },
    });
  });

  it.each([undefined, { prompt_tokens: 7, completion_tokens: 0, total_tokens: 7 }])(
    'with neither a token nor a finish reason fails, as a stream does: usage %j',
    (usage) => {
      const message = { role: 'assistant', content: '' };
      const choices = [{ index: 0, message, finish_reason: null }];
      expect(read('chat', completion({}, { choices, usage }))).toMatchObject({
        kind: 'malformed',
        issue: 'empty',
        detail: 'the chat completion has neither a token nor a finish reason',
      });
    },
  );

  it.each([
    { content: null, function_call: { name: 'f', arguments: '{}' } },
    { content: null, audio: { id: 'a', data: 'AAAA', transcript: 'hello' } },
    { content: '', thinking: 'hm' },
    { content: '', thinking_blocks: [{ type: 'thinking', thinking: 'hm' }] },
    { content: '', images: [{ type: 'image_url', image_url: { url: 'data:,' } }] },
  ])('without text, a count and a finish reason is no failure with %j', (message) => {
    const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: null }];
    const usage = { prompt_tokens: 7, completion_tokens: 0, total_tokens: 7 };
    expect(read('chat', completion({}, { choices, usage })).kind).toBe('completed');
  });

  it.each([
    [{ content: 'hi', images: [{ image_url: { url: 'https://cdn.example/x.png' } }] }, {}],
    [{ content: 'hi' }, { completion_tokens_details: { image_tokens: 1290 } }],
    [{ content: 'hi' }, { completion_tokens_details: { rejected_prediction_tokens: 1290 } }],
    [{ content: 'hi', annotations: [{ type: 'url_citation' }] }, {}],
    [{ content: 'hi', executed_tools: [{ type: 'search' }] }, {}],
    [{ content: 'hi' }, { server_tool_use: { web_search_requests: 1 } }],
    [{ content: 'hi' }, { num_sources_used: 4 }],
  ])('has no bound for its tokens if some are no text: %j, %j', (message, details) => {
    const usage = { prompt_tokens: 7, completion_tokens: 1291, total_tokens: 1298, ...details };
    const outcome = read('chat', completion(message, { usage }));
    expect(outcome).toMatchObject({ answer: { tokens: { output: 1291 } } });
    expect(JSON.stringify(outcome)).not.toContain('"most"');
  });

  it.each([
    [{ content: '' }, 0],
    [{ content: null }, 0],
    [{ content: null }, 3],
    [{ content: [] }, 0],
  ])('that ends with nothing completes with a note: %j, %j', (message, output) => {
    const usage = { prompt_tokens: 7, completion_tokens: output, total_tokens: 7 + output };
    expect(read('chat', completion(message, { usage }))).toMatchObject({
      kind: 'completed',
      answer: { finish: 'stop', notes: ['no-content'] },
    });
  });

  it.each([
    [{ content: ' ' }, 1],
    [{ content: null, refusal: 'no' }, 0],
    [{ content: null, tool_calls: [{ id: 'a', type: 'function', function: { name: 'f' } }] }, 0],
    [{ content: null, audio: { id: 'a', data: 'AAAA', transcript: 'hello' } }, 0],
    [{ content: '', reasoning: 'hm' }, 0],
    [{ content: '' }, 9],
  ])('that ends with something, or has thought, has no such note: %j', (message, reasoning) => {
    const details = { completion_tokens_details: { reasoning_tokens: reasoning } };
    const usage = { prompt_tokens: 7, completion_tokens: 9, total_tokens: 16, ...details };
    expect(read('chat', completion(message, { usage }))).toMatchObject({ answer: { notes: [] } });
  });

  it('whose usage counts none of its tokens has the same note as a stream', () => {
    const usage = { prompt_tokens: 7, completion_tokens: 0, total_tokens: 7 };
    expect(read('chat', completion({ content: 'hello' }, { usage }))).toMatchObject({
      answer: { tokens: { input: 7, output: 2, source: 'characters' }, notes: ['usage-zero'] },
    });
  });

  it('has the server’s token counts', () => {
    const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
    expect(read('chat', completion({ content: 'hello' }, { usage }))).toEqual({
      kind: 'completed',
      answer: {
        kind: 'chat',
        firstByte: readAt(0),
        tokens: { input: 7, output: 3, most: 21, source: 'usage' },
        finish: 'stop',
        notes: [],
        cost: null,
      },
    });
  });

  it.each([
    [{ content: 'hello' }, 2],
    [{ content: '' }, 0],
    [{ content: null, reasoning: 'hm', reasoning_content: 'hmm' }, 2],
    [{ content: null, tool_calls: [{ function: { name: 'f' } }] }, 7],
    [{ content: null, refusal: 'no' }, 1],
    [
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'hm, hm' }], signature: 'abc' },
          { type: 'text', text: 'yes' },
        ],
      },
      3,
    ],
  ])('counts characters / 4 of %j if the server reports no usage', (message, output) => {
    for (const rest of [{}, { usage: null }]) {
      expect(read('chat', completion(message, rest))).toMatchObject({
        answer: { tokens: { input: null, output, source: 'characters' } },
      });
    }
  });

  it('ignores a usage of 0 tokens next to text', () => {
    const usage = { prompt_tokens: 7, completion_tokens: 0 };
    expect(read('chat', completion({ content: 'hello' }, { usage }))).toMatchObject({
      answer: { tokens: { input: 7, output: 2, source: 'characters' } },
    });
    expect(read('chat', completion({ content: '' }, { usage }))).toMatchObject({
      answer: { tokens: { input: 7, output: 0, source: 'usage' } },
    });
  });

  it.each([
    [
      'without choices',
      { ...completion({}), choices: [] },
      /^the body is not a chat completion: choices: /,
    ],
    ['whose content is not text', completion({ content: 7 }), /choices\.0\.message\.content: /],
    ['that is a list', [], /^the body is not a chat completion: the body: /],
  ])('has a wrong shape %s', (_, body, detail) => {
    expect(read('chat', body)).toEqual({
      kind: 'malformed',
      issue: 'shape',
      detail: matching(detail),
      partial: null,
    });
  });
});

describe('a whole chat that the server reports as failed', () => {
  const at = (choice: object): object => ({
    choices: [{ message: { content: '' }, finish_reason: 'stop', ...choice }],
  });

  it.each<readonly [object, RegExp]>([
    [{ error: { message: 'no luck' } }, /^a JSON error .* a chat completion: no luck$/],
    [at({ error: { code: 502, message: 'no luck' } }), /: no luck$/],
    [at({ message: { content: '', error: 'no luck' } }), /: no luck$/],
    [{ ...at({}), base_resp: { status_code: 1002, status_msg: 'no luck' } }, /: no luck$/],
    ...['error', 'abort', 'ABORT', 'insufficient_system_resource', 'network_error'].map(
      (finish) => [at({ finish_reason: finish }), new RegExp(`finish_reason "${finish}"`)] as const,
    ),
  ])('is a stream error: %j', (body, detail) => {
    expect(read('chat', body)).toMatchObject({
      kind: 'malformed',
      issue: 'stream-error',
      detail: matching(detail),
    });
  });

  it.each([
    { finish_reason: undefined, finishReason: 'abort' },
    { finish_reason: null, message: { content: '', finish_reason: 'abort' } },
    { finish_reason: { type: 'abort', message: '' } },
  ])('is one wherever its finish reason stands: %j', (choice) => {
    expect(read('chat', at(choice))).toMatchObject({ kind: 'malformed', issue: 'stream-error' });
  });

  it('has secrets masked that are in its finish reason', () => {
    const secret = `sk-${'s'.repeat(80)}`;
    const redact = (said: string): string => said.replaceAll(secret, '[redacted]');
    for (const fails of [[], [secret]]) {
      const body = Buffer.from(JSON.stringify(at({ finish_reason: secret })));
      const outcome = replay('chat', [body], { headers: json }, contextWith({ redact, fails }));
      expect(outcome.kind).toBe(fails.length === 0 ? 'completed' : 'malformed');
      expect(JSON.stringify(outcome)).toContain('[redacted]');
      expect(JSON.stringify(outcome)).not.toContain('sk-');
    }
  });

  it.each(['length', 'content_filter', 'something-new'])('completes with %s', (finish) => {
    expect(read('chat', at({ finish_reason: finish }))).toMatchObject({ kind: 'completed' });
  });

  it.each([
    [{}, null],
    [{ prompt_tokens: 7, total_tokens: 40 }, 7],
    [{ prompt_tokens: null, completion_tokens: 'x' }, null],
  ])('is complete with a note when its usage is %j', (usage, input) => {
    expect(read('chat', completion({ content: 'x' }, { usage }))).toMatchObject({
      kind: 'completed',
      answer: { tokens: { input, source: 'characters' }, notes: ['usage-unreadable'] },
    });
  });
});

describe('a model list', () => {
  const model = { id: 'a/b', object: 'model', created: 1, owned_by: 'a' };

  it('has a number of models', () => {
    expect(read('models', { object: 'list', data: [model, model] })).toEqual({
      kind: 'completed',
      answer: { kind: 'models', firstByte: readAt(0), models: 2, notes: [] },
    });
  });

  it.each([
    ['LM Studio', { object: 'list', data: [{ id: 'a', object: 'model', owned_by: 'me' }] }, 1],
    ['OpenRouter', { data: [{ id: 'a/b', name: 'A: B', created: 1 }] }, 1],
    ['Together', [{ id: 'a/b', object: 'model', created: 1, type: 'chat' }], 1],
    ['Anthropic', { data: [{ type: 'model', id: 'a', created_at: '2026-01-01' }] }, 1],
    ['Azure', { object: 'list', data: [{ id: 'a', object: 'model', created_at: 1 }] }, 1],
    ['llama.cpp', { models: [{ name: 'a' }], object: 'list', data: [model] }, 1],
    ['a server without a model', { object: 'list', data: null }, 0],
  ])('may be that of %s', (_, body, models) => {
    expect(read('models', body)).toMatchObject({ kind: 'completed', answer: { models } });
  });

  it.each([
    [{ object: 'list', data: [model, { ...model, id: 5 }] }, /list: data\.1\.id: /],
    [{ object: 'list' }, /list: data: /],
    [['a', 'b'], /list: data\.0: /],
  ])('has a wrong shape if it is %j', (body, detail) => {
    expect(read('models', body)).toMatchObject({ issue: 'shape', detail: matching(detail) });
  });

  it.each([
    [{ list: [], next: null }, '; the body has the fields list, next'],
    [{ message: 'no luck', list: [] }, '; the server also wrote: no luck'],
    [{ data: [{ id: 5 }] }, ''],
    [{}, ''],
    [7, ''],
  ])('of a wrong shape names the fields of another document, if it has any: %j', (body, end) => {
    const { detail } = read('models', body as object) as { readonly detail: string };
    expect(detail.replace(/^the body is not a model list: [^;]*/, '')).toBe(end);
  });

  it('names three errors and counts the others', () => {
    expect(read('models', { object: 'list', data: [{}, {}, {}, {}, {}] })).toMatchObject({
      detail: matching(/; and 2 more$/),
    });
  });
});

describe.each(['chat', 'models'] as const)('the body of %s', (kind) => {
  const good =
    kind === 'chat' ? completion({ content: 'é' }) : { object: 'list', data: [] as string[] };

  it.each([
    ['not-json', '{"object":', json, /labelled JSON but cannot be parsed/],
    [
      'content-type',
      'hello',
      { 'content-type': 'text/plain' },
      /not JSON and not labelled as JSON/,
    ],
    [
      'content-type',
      'data: {"choices":[]}\n\ndata: [DONE]\n\n',
      { 'content-type': 'text/event-stream' },
      /the server streams although it was not asked to/,
    ],
    ['content-type', 'data: {}\n\n', json, /the server streams although/],
    ['content-type', 'data: hello\n\n', {}, /not JSON and not labelled as JSON/],
    [
      'content-type',
      '<html><title>Log in</title>',
      json,
      /an HTML page was returned instead of .*: Log in$/,
    ],
    ['empty', ' \n', json, /blank/],
  ])('is malformed as %s: %s', (issue, body, headers, detail) => {
    expect(read(kind, body, headers as Record<string, string>)).toMatchObject({
      kind: 'malformed',
      issue,
      detail: matching(detail),
    });
  });

  it('is read with a byte order mark, and with a JSON content type of a vendor', () => {
    expect(read(kind, `\ufeff${JSON.stringify(good)}`)).toMatchObject({ kind: 'completed' });
    const vendor = { 'content-type': 'application/vnd.gateway+json' };
    const context = contextWith();
    replay(kind, [Buffer.from(JSON.stringify(good))], { headers: vendor }, context);
    expect(context.targetMemory.notes.size).toBe(0);
  });

  it('is read without a JSON content type, with a note', () => {
    const context = contextWith({ targetMemory: emptyTargetMemory() });
    const body = Buffer.from(JSON.stringify(good));
    expect(replay(kind, [body], { headers: {} }, context)).toMatchObject({ kind: 'completed' });
    expect([...context.targetMemory.notes]).toEqual([matching(/did not label/)]);
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)('is read in %s though identity was requested, with a note', (encoding, compress) => {
    const context = contextWith({ targetMemory: emptyTargetMemory() });
    const headers = { ...json, 'content-encoding': encoding };
    const body = compress(JSON.stringify(good));
    expect(replay(kind, [body], { headers }, context)).toMatchObject({ kind: 'completed' });
    expect([...context.targetMemory.notes]).toEqual([matching(/compressed/)]);
    expect(replay(kind, [Buffer.from('no')], { headers }, context)).toMatchObject({
      issue: 'content-type',
    });
  });

  it('is not decompressed beyond the byte limit', () => {
    const context = contextWith({ caps: { bytes: 1000, events: 1 } });
    const headers = { ...json, 'content-encoding': 'gzip' };
    const bomb = gzipSync(JSON.stringify(good).padEnd(1001));
    expect(replay(kind, [bomb], { headers }, context)).toMatchObject({ issue: 'content-type' });
  });

  it('counts as answering from its first byte on', () => {
    const reader = readerFor(kind, contextWith());
    reader.onHeaders(headAt, 200, json);
    expect(reader.isAnswering).toBe(false);
    reader.onChunk(readAt(0), Buffer.from('{'));
    expect(reader.isAnswering).toBe(true);
    expect(reader.isComplete).toBe(false);
  });

  it('is broken by a reset', () => {
    const failure = { cause: 'reset', detail: 'reset' } as const;
    expect(replay(kind, [Buffer.from('{')], { failure })).toEqual({
      kind: 'broken',
      ...failure,
      partial: null,
    });
  });
});
