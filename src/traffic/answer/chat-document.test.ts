import { describe, expect, it } from 'vitest';
import { contextWith, replay } from '../kinds/replay.fixture.ts';

/** Chats that come in a wrapper or whose choices are no list. `whole` and `streamed` read one through its reader. */

type Fields = Readonly<Record<string, unknown>>;

const message = { role: 'assistant', content: 'Yes.' };
const choice = { index: 0, message, finish_reason: 'stop' };
const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
const completion = { id: 'c', object: 'chat.completion', choices: [choice], usage };

const whole = (document: unknown) =>
  replay('chat', [Buffer.from(JSON.stringify(document))], {
    headers: { 'content-type': 'application/json' },
  });

const streamOf = (events: readonly unknown[]): Buffer =>
  Buffer.from(
    [...events, '[DONE]']
      .map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
      .join(''),
  );

const streamed = (...events: readonly unknown[]) =>
  replay('chat-stream', [streamOf(events)], {}, contextWith({ streams: 'standard' }));

const chunk = (delta: unknown, finish_reason: string | null = null): Fields => ({
  id: 'c',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason }],
});

const good = { kind: 'completed', answer: { tokens: { input: 7, output: 3 }, finish: 'stop' } };

describe('whole chats in other forms are read', () => {
  const forms: readonly (readonly [name: string, document: unknown])[] = [
    ['Cloudflare: result', { result: completion, success: true, errors: [], messages: [] }],
    ['LiteLLM’s queue: result and status', { status: 'finished', result: completion }],
    ['Cline: data and success', { success: true, data: completion }],
    ['a code of success beside data', { code: 0, msg: 'success', data: completion }],
    ['a code of 200 as a text', { code: '200', message: 'OK', data: completion }],
    [
      'SenseNova: messages that are texts, and a status object',
      {
        data: { choices: [{ index: 0, message: 'Yes.', finish_reason: 'stop' }], usage },
        status: { code: 0, message: 'ok' },
      },
    ],
    ['usage beside data', { success: true, data: { ...completion, usage: undefined }, usage }],
    ['PHP: choices as a map', { ...completion, choices: { 0: choice } }],
    ['PHP: a map that begins at 1', { ...completion, choices: { 1: choice } }],
    ['one choice without a list', { ...completion, choices: choice }],
    ['a map in a wrapper', { success: true, data: { ...completion, choices: { 0: choice } } }],
    [
      'a finish reason at the top',
      { ...completion, choices: [{ index: 0, message }], finish_reason: 'stop' },
    ],
  ];

  it.each(forms)('%s', (_, document) => {
    expect(whole(document)).toMatchObject(good);
  });
});

describe('a failure in another form stays a failure', () => {
  const error = { message: 'engine full', code: 500 };
  const failures: readonly (readonly [name: string, document: unknown, detail: RegExp])[] = [
    ['success: false', { success: false, result: completion }, /itself says that it failed/],
    [
      'a sentence and success: false',
      { success: false, message: 'no credit', data: completion },
      /no credit/,
    ],
    [
      'errors beside result',
      {
        result: completion,
        success: true,
        errors: [{ code: 7009, message: 'Upstream service unavailable' }],
      },
      /Upstream service/,
    ],
    ['a failing code', { code: 50001, data: completion }, /choices/],
    [
      'a failing code and a sentence',
      { code: 50001, msg: 'overloaded', data: completion },
      /overloaded/,
    ],
    ['a failing status', { status: 'error', data: completion }, /itself says that it failed/],
    ['a status that is not the end', { status: 'processing', result: completion }, /choices/],
    [
      'a status object with a code',
      { data: completion, status: { code: 13, message: 'internal' } },
      /internal/,
    ],
    [
      'an error in the wrapped chat',
      { success: true, data: { ...completion, error } },
      /engine full/,
    ],
    [
      'an error in a wrapped choice',
      { success: true, data: { choices: [{ ...choice, error }] } },
      /engine full/,
    ],
    [
      'an error in a choice of a map',
      { ...completion, choices: { 0: { ...choice, error } } },
      /engine full/,
    ],
    [
      'a wrapped abort',
      { success: true, data: { choices: [{ ...choice, finish_reason: 'abort' }] } },
      /abort/,
    ],
    [
      'an abort at the top',
      { ...completion, choices: [{ index: 0, message }], finish_reason: 'abort' },
      /abort/,
    ],
    ['an empty list in a wrapper', { success: true, data: { choices: [] } }, /choices/],
    ['an empty map', { choices: {} }, /choices/],
    ['a map of texts', { choices: { 0: 'x' } }, /choices/],
    ['null in a wrapper', { result: null, success: true, errors: [], messages: [] }, /choices/],
  ];

  it.each(failures)('%s', (_, document, detail) => {
    const outcome = whole(document);
    expect(outcome).toMatchObject({
      kind: 'malformed',
      issue: expect.stringMatching(/shape|stream-error/),
    });
    expect(JSON.stringify(outcome)).toMatch(detail);
  });
});

describe('streams in other forms are read', () => {
  const last = { choices: [], usage };
  const forms: readonly (readonly [name: string, events: readonly unknown[]])[] = [
    [
      'Cline: each chunk in data',
      [chunk({ content: 'Yes' }), chunk({}, 'stop'), last].map((data) => ({ success: true, data })),
    ],
    [
      'SenseNova: deltas that are texts',
      [
        {
          data: { choices: [{ index: 0, delta: 'Yes', finish_reason: '' }] },
          status: { code: 0, message: 'ok' },
        },
        {
          data: { choices: [{ index: 0, delta: '', finish_reason: 'stop' }], usage },
          status: { code: 0, message: 'ok' },
        },
      ],
    ],
    [
      'a finish reason at the top',
      [chunk({ content: 'Yes' }), { ...chunk({}), finish_reason: 'stop' }, last],
    ],
    ['a finish reason alone', [chunk({ content: 'Yes' }), { finish_reason: 'stop' }, last]],
    [
      'a finish reason beside an empty list',
      [chunk({ content: 'Yes' }), { ...last, finish_reason: 'stop' }],
    ],
    [
      'choices as a map',
      [
        { choices: { 0: { delta: { content: 'Yes' } } } },
        { choices: { 0: { delta: {}, finish_reason: 'stop' } } },
        last,
      ],
    ],
  ];

  it.each(forms)('%s', (_, events) => {
    expect(streamed(...events)).toMatchObject({
      ...good,
      answer: { ...good.answer, firstToken: expect.any(Number) },
    });
  });

  it('texts in SenseNova’s deltas are visible, and its reasoning beside them is not', () => {
    const event = (delta: string, reasoning_content: string) => ({
      data: { choices: [{ index: 0, delta, reasoning_content, finish_reason: '' }] },
    });
    expect(streamed(event('', 'Hm'), chunk({}, 'stop'))).toMatchObject({
      answer: { firstToken: expect.any(Number), firstVisible: null },
    });
    expect(streamed(event('Yes', ''), chunk({}, 'stop'))).toMatchObject({
      answer: { firstVisible: expect.any(Number) },
    });
  });

  it('a finish reason at the top ends all choices that were seen', () => {
    const two = { choices: [0, 1].map((index) => ({ index, delta: { content: 'Yes' } })) };
    const outcome = streamed(two, { finish_reason: 'length' });
    expect(outcome).toMatchObject({ kind: 'completed', answer: { finish: 'length', notes: [] } });
  });

  it.each([
    ['a finish reason at the top without any choice', [{ finish_reason: 'stop' }]],
    ['an abort at the top', [chunk({ content: 'Yes' }), { finish_reason: 'abort' }]],
    [
      'a chunk whose wrapper says failure',
      [{ success: false, data: chunk({ content: 'Yes' }, 'stop') }],
    ],
    [
      'an error in a wrapped choice',
      [
        { success: true, data: { choices: [{ delta: {}, error: 'engine full' }] } },
        chunk({}, 'stop'),
      ],
    ],
    ['no finish reason at all', [{ success: true, data: chunk({ content: 'Yes' }) }]],
  ] as const)('%s is malformed', (_, events) => {
    expect(streamed(...events)).toMatchObject({ kind: 'malformed' });
  });
});

it.each([
  [
    'chat',
    { id: 'msg', type: 'message', content: [], stop_reason: 'end_turn' },
    /has the fields id, type, content, stop_reason/,
  ],
  ['chat-stream', { type: 'message_start', message: {} }, /but the fields type, message/],
] as const)('an answer of another API as %s is named by its fields', (kind, document, detail) => {
  const outcome = kind === 'chat' ? whole(document) : streamed(document);
  expect(JSON.stringify(outcome)).toMatch(detail);
});
