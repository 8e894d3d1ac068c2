import { describe, expect, it } from 'vitest';
import type { Expectation } from '../../model/workload/expectation.ts';
import type { Outcome } from '../../model/observation/outcome.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import { emptyTargetMemory } from '../traffic-handler.ts';
import { prepareRequest } from '../kinds/prepare-request.ts';
import { contextWith, everySplit, withoutTimes } from '../kinds/replay.fixture.ts';
import {
  chatChunk,
  doneData,
  sseEvents,
  stopChunk,
  usageFields,
} from '../kinds/stream-bodies.fixture.ts';
import { prepareContextWith, sampleEntry } from '../sample-traffic.fixture.ts';
import { instant } from '../../model/quantity.ts';

const json = { 'content-type': 'application/json' };
const events = { 'content-type': 'text/event-stream' };

/** Returns the outcome of an answer, which is the same however its bytes are cut. */
const outcomeOf = (
  kind: TrafficKind,
  expectation: Expectation | undefined,
  { body, headers }: { readonly body: string; readonly headers: Record<string, string> },
): Outcome => {
  const entry = {
    ...sampleEntry(kind),
    ...(expectation === undefined ? {} : { expect: expectation }),
  };
  const targetMemory = emptyTargetMemory();
  const outcomes = [...everySplit(Buffer.from(body))].map((reads) => {
    const reader = prepareRequest(entry, prepareContextWith()).read(contextWith({ targetMemory }));
    reader.onHeaders(instant(1), 200, headers);
    for (const [index, read] of reads.entries()) {
      const bytes = Buffer.from(read);
      reader.onChunk(instant(2 + index), bytes);
      bytes.fill(0x22);
    }
    return reader.ended(instant(9));
  });
  expect(new Set(outcomes.map((each) => JSON.stringify(withoutTimes(each)))).size).toBe(1);
  expect(targetMemory.collectedBytes).toBe(0);
  return outcomes[0]!;
};

const message = (fields: object, finish = 'stop') => ({
  body: JSON.stringify({
    choices: [{ index: 0, message: { role: 'assistant', ...fields }, finish_reason: finish }],
    usage: usageFields(4),
  }),
  headers: json,
});

/** Returns a stream with the text in two pieces, an empty piece, and reasoning that does not count. */
const stream = (text: string, calls: readonly string[] = [], finish: object = stopChunk) => ({
  body: sseEvents(
    chatChunk({ role: 'assistant', content: '' }),
    chatChunk({ reasoning_content: 'not JSON at all' }),
    chatChunk({ content: text.slice(0, 3) }),
    chatChunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'x' }] }] }),
    chatChunk({ content: [{ type: 'text', text: text.slice(3) }] }),
    ...calls.map((part, n) =>
      chatChunk({
        tool_calls: [{ index: 0, ...(n === 0 ? { id: 'c' } : {}), function: { arguments: part } }],
      }),
    ),
    finish,
    doneData,
  ),
  headers: events,
});

const problemOf = (outcome: Outcome): string =>
  outcome.kind === 'malformed' ? `${outcome.issue}: ${outcome.detail}` : outcome.kind;

const person: Expectation = {
  schema: {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
    required: ['name'],
    additionalProperties: false,
  },
};

const cases: readonly (readonly [Expectation, text: string, result: string])[] = [
  [{ json: true }, '{"a": 1}', 'completed'],
  [{ json: true }, '12', 'completed'],
  [{ json: true }, '{"a": 1', 'its text is not JSON'],
  [{ json: true }, '', 'it has no text to be JSON'],
  [{ json: false }, 'no JSON', 'completed'],
  [person, '{"name": "a", "age": 3}', 'completed'],
  [
    person,
    '{"age": 3}',
    "its text does not obey the schema: it must have required property 'name'",
  ],
  [person, '{"name": "a", "age": -1}', 'its text does not obey the schema: /age must be >= 0'],
  [person, 'name: a', 'its text is not JSON'],
  [{ schema: { type: 'string', format: 'date' } }, '"2026-13-01"', 'must match format "date"'],
  [{ schema: true }, '5', 'completed'],
  [{ matches: '^\\p{Lu}' }, 'Éa', 'completed'],
  [{ matches: '^\\p{Lu}' }, 'éa', 'its text does not match the expected pattern'],
  [{ minLength: 2 }, '\u{1F30A}a', 'completed'],
  [{ minLength: 3 }, '\u{1F30A}a', 'its text is shorter than 3 characters'],
  [{}, '', 'completed'],
];

describe('an answer that is not as expected', () => {
  it.each(cases)('%j: %s', (expectation, text, result) => {
    for (const outcome of [
      outcomeOf('chat', expectation, message({ content: text })),
      outcomeOf('chat', expectation, message({ content: [{ type: 'text', text }] })),
      outcomeOf('chat-stream', expectation, stream(text)),
    ])
      expect(problemOf(outcome)).toContain(result);
  });

  it('is malformed, keeps its measures and does not quote itself', () => {
    const outcome = outcomeOf('chat', { json: true }, message({ content: 'private' }));
    expect(outcome).toMatchObject({
      kind: 'malformed',
      issue: 'not-as-expected',
      detail: 'the answer is not as expected: its text is not JSON',
      partial: { kind: 'chat', tokens: { input: 5, output: 4, source: 'usage' } },
    });
    const streamed = outcomeOf('chat-stream', { json: true }, stream('private'));
    expect(streamed).toMatchObject({ partial: { kind: 'chat-stream', finish: 'stop' } });
    expect(JSON.stringify([outcome, streamed])).not.toContain('private');
  });

  it('says how it ended, and which of several choices it is', () => {
    const cut = outcomeOf('chat', { json: true }, message({ content: '{"a' }, 'length'));
    expect(problemOf(cut)).toMatch(/its text is not JSON; it ended with length$/);
    const choices = ['1', 'x'].map((content, index) => ({
      index,
      message: { content },
      finish_reason: 'stop',
    }));
    const several = { body: JSON.stringify({ choices }), headers: json };
    expect(problemOf(outcomeOf('chat', { json: true }, several))).toMatch(/JSON \(choice 1\)$/);
    const parts = [
      chatChunk({ content: '1' }, null, 0),
      chatChunk({ content: 'x' }, null, 1),
      chatChunk({}, 'stop', 0),
      chatChunk({}, 'stop', 1),
    ];
    const both = { body: sseEvents(...parts, doneData), headers: events };
    expect(problemOf(outcomeOf('chat-stream', { json: true }, both))).toMatch(/\(choice 1\)$/);
  });

  it('may have tool arguments that are no JSON', () => {
    const call = (text: unknown) => ({
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: text } }],
    });
    const wanted = { toolArguments: true };
    const ended = chatChunk({}, 'tool_calls');
    const found = [
      outcomeOf('chat', wanted, message(call('{"a": 1}'))),
      outcomeOf('chat', wanted, message(call('{"a": 1'))),
      outcomeOf('chat', wanted, message({ content: 'a' })),
      // An object, as some servers send it.
      outcomeOf('chat', wanted, message(call({ a: 1 }))),
      outcomeOf('chat-stream', wanted, stream('', ['{"a"', ': 1}'], ended)),
      outcomeOf('chat-stream', wanted, stream('', ['{"a"', ': '], ended)),
    ].map(problemOf);
    const wrong =
      'not-as-expected: the answer is not as expected: the arguments of a tool call are not JSON';
    expect(found).toEqual([
      'completed',
      wrong,
      'completed',
      'completed',
      'completed',
      `${wrong}; it ended with tool_calls`,
    ]);
  });

  it('may nest too deep, or have an endless schema', () => {
    const problemWith = (schema: Expectation['schema'], text: string): string => {
      const entry = Object.assign({}, sampleEntry('chat'), { expect: { schema } });
      const context = contextWith({ targetMemory: emptyTargetMemory() });
      const reader = prepareRequest(entry, prepareContextWith()).read(context);
      const { body, headers } = message({ content: text });
      reader.onHeaders(instant(1), 200, headers);
      reader.onChunk(instant(2), Buffer.from(body));
      return problemOf(reader.ended(instant(3)));
    };
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    const lists = { type: 'array', items: { $ref: '#' } };
    expect(problemWith(lists, nested(400))).toBe('completed');
    expect(problemWith(lists, nested(100_000))).toMatch(/: its text nests too deep to be checked$/);
    expect(problemWith({ $ref: '#' }, '5')).toMatch(
      /: the schema refers to itself without an end$/,
    );
  });

  it('may be a transcript', () => {
    const body = JSON.stringify({ text: 'The gate is open.' });
    const ask = (expectation: Expectation) =>
      problemOf(outcomeOf('transcription', expectation, { body, headers: json }));
    expect(ask({ matches: 'gate', minLength: 17 })).toBe('completed');
    expect(ask({ matches: 'Gate' })).toContain('does not match');
    expect(ask({ minLength: 18 })).toContain('shorter than 18');
  });

  it('is reported for its other failure if it has one', () => {
    const broken = { body: sseEvents(chatChunk({ content: 'a' })), headers: events };
    expect(problemOf(outcomeOf('chat-stream', { json: true }, broken))).toMatch(
      /^stream-truncated/,
    );
    const shapeless = { body: '{"choices": 5}', headers: json };
    expect(problemOf(outcomeOf('chat', { json: true }, shapeless))).toMatch(/^shape/);
  });
});

it('answers are read in full only for an entry with an expectation', () => {
  const good = message({ content: '{}' });
  const bad = message({ content: 'xx' });
  for (const expectation of [undefined, { json: true }]) {
    const entry = {
      ...sampleEntry('chat'),
      ...(expectation === undefined ? {} : { expect: expectation }),
    };
    const context = contextWith({ targetMemory: emptyTargetMemory() });
    const kinds = [good, good, bad].map(({ body, headers }) => {
      const reader = prepareRequest(entry, prepareContextWith()).read(context);
      reader.onHeaders(instant(1), 200, headers);
      reader.onChunk(instant(2), Buffer.from(body));
      return reader.ended(instant(3)).kind;
    });
    const last = expectation === undefined ? 'completed' : 'malformed';
    expect(kinds).toEqual(['completed', 'completed', last]);
  }
});
