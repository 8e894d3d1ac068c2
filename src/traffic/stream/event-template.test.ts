import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contextWith, replay, withoutBefore, withoutTimes } from '../kinds/replay.fixture.ts';
import { tries } from '../../model/tries.fixture.ts';
import { emptyTargetMemory } from '../traffic-handler.ts';
import { type ChatChunkReading, readChatChunk } from './chat-chunk.ts';
import { type ChunkReading, EventTemplate } from './event-template.ts';

const read = (event: string): ChatChunkReading => readChatChunk(event, (text) => text);

const learned = (...events: readonly string[]): EventTemplate => {
  const template = new EventTemplate();
  for (const event of events) template.learn(event, read(event));
  return template;
};

const shared = Buffer.alloc(64 * 1024);

/** Returns what a template reads from events that come in one read, in the buffer of all reads. */
const matchIn = (template: EventTemplate, events: readonly Buffer[]): (ChunkReading | null)[] => {
  shared.fill('"');
  template.onRead();
  let end = 0;
  return events.map((event): ChunkReading | null => {
    const start = end + 'data: '.length;
    end = start + event.length;
    event.copy(shared, start);
    const reading = template.match(shared, start, end);
    return reading && { ...reading, written: template.written };
  });
};

/** Returns what a template that has learned `event` reads from `next`. */
const fits = (event: string, next: string): ChunkReading | null =>
  matchIn(learned(event), [Buffer.from(next)])[0]!;

const withDelta = (delta: string, rest = ''): string =>
  `{"id":"c1","created":17,"choices":[{"index":0,"delta":{${delta}},"finish_reason":null}]${rest}}`;

const token = withDelta('"content":"a"');
const usage = (input: number | string, output: number | string): string =>
  `,"usage":{"prompt_tokens":${input},"completion_tokens":${output}}`;

describe('an event template', () => {
  it.each<readonly [string, string, string]>([
    ['its text', token, withDelta('"content":"é漢 b"')],
    ['its text, with a space before it', withDelta('"content": "a"'), withDelta('"content": "b"')],
    ['the escapes of its text', token, withDelta(String.raw`"content":"\n\"\\\u00e9"`)],
    ['its text, where the learned one has escapes', withDelta(String.raw`"content":"\\\""`), token],
    ['its id and its time', token, token.replace('c1', 'c22').replace('17', '1763715600')],
    [
      'its reasoning',
      withDelta('"content":null,"reasoning_content":"a"'),
      withDelta('"content":null,"reasoning_content":"b"'),
    ],
    [
      'the text of its only part',
      withDelta('"content":[{"type":"text","text":"a"}]'),
      withDelta('"content":[{"type":"text","text":"b c"}]'),
    ],
    [
      'a thought among its parts',
      withDelta('"content":[{"type":"thinking","thinking":[{"type":"text","text":"a"}]}]'),
      withDelta('"content":[{"type":"thinking","thinking":[{"type":"text","text":"b"}]}]'),
    ],
    [
      'the arguments of a tool call',
      withDelta('"tool_calls":[{"index":0,"function":{"arguments":"{"}}]'),
      withDelta(String.raw`"tool_calls":[{"index":0,"function":{"arguments":"\"city"}}]`),
    ],
    ['its padding', `{"obfuscation":"x",${token.slice(1)}`, `{"obfuscation":"",${token.slice(1)}`],
    ['the counts of its usage', withDelta('', usage(1, 2)), withDelta('', usage(0, 77))],
    [
      'its id, where it has neither a text nor a choice',
      `{"id":"a","choices":[]${usage(9, 9)}}`,
      `{"id":"b","choices":[]${usage(9, 8)}}`,
    ],
  ])('matches an event that differs only in %s', (_, event, next) => {
    expect(fits(event, next)).toEqual(read(next));
  });

  it('matches the role, tokens, the end and the usage of the next stream', () => {
    const streamOf = (id: string): readonly string[] =>
      [
        withDelta('"role":"assistant","content":""'),
        withDelta('"content":"a"'),
        withDelta('"content":"b"'),
        withDelta('').replace('null', '"stop"'),
        `{"id":"c1","choices":[]${usage(3, 4)}}`,
      ].map((event) => event.replace('c1', id));
    const template = learned(...streamOf('one'));
    const next = streamOf('another');
    expect(matchIn(template, next.map(Buffer.from as (text: string) => Buffer))).toEqual(
      next.map(read),
    );
  });

  it.each([
    ['whose text is empty', withDelta('"content":""')],
    ['whose text ends early', withDelta('"content":"a","content":""')],
    ['whose text has an unknown escape', withDelta(String.raw`"content":"\x"`)],
    ['whose text has a broken escape', withDelta(String.raw`"content":"\u00g0"`)],
    ['whose text ends within an escape', withDelta(String.raw`"content":"\u00"`)],
    ['whose text breaks JSON', withDelta('"content":"\n"')],
    ['that differs before its text', withDelta('"role":"x","content":"a"')],
    ['that differs after its text', withDelta('"content":"a"').replace('null', '"stop"')],
    ['that counts usage', withDelta('"content":"a"', ',"usage":{}')],
    ['whose time is no count', token.replace('17', '-1')],
    ['with something behind it', `${token} `],
    ['that breaks off', token.slice(0, -1)],
    ['that is too short', '{"id":"c1"}'],
    ['of no bytes', ''],
  ])('matches no event %s', (_, next) => {
    expect(fits(token, next)).toBeNull();
    expect(
      matchIn(
        learned(token),
        [token, token, next].map((each) => Buffer.from(each)),
      )[2],
    ).toBe(null);
  });

  it('matches no event whose count of tokens is not plausible', () => {
    const event = withDelta('', usage(1, 2));
    expect(fits(event, withDelta('', usage(1, '1000000001')))).toBeNull();
  });

  it.each([
    ['that is not a chunk', '{"error":{"message":"no"}}'],
    ['without choices and usage', '{"id":"c1"}'],
    ['whose usage cannot be read', withDelta('', usage(-1, 2))],
    ['whose usage is given twice', withDelta('', usage(1, 2) + usage(1, 2))],
    ['of many kilobytes', withDelta(`"content":"${'x'.repeat(20_000)}"`)],
  ])('is not learned from an event %s', (_, event) => {
    expect(fits(event, event)).toBeNull();
  });

  it.each([
    ['given twice', withDelta('"content":"a","content":"b"'), '"content":"a"', '"content":"x"'],
    [
      'found elsewhere first',
      `{"note":{"content":"x"},${withDelta('"content":"a"').slice(1)}`,
      '{"content":"x"}',
      '{"content":"y"}',
    ],
  ])('keeps a text fixed whose name is %s', (_, event, part, other) => {
    expect(fits(event, event)).not.toBeNull();
    expect(fits(event, event.replace(part, other))).toBeNull();
  });

  it('compares no event with one of an earlier read', () => {
    const template = learned(token);
    expect(matchIn(template, [Buffer.from(token)])).not.toContain(null);
    const other = Buffer.from(token.replace('null', '1234'));
    expect(matchIn(template, [other, other])).toEqual([null, null]);
  });

  it('stops learning if no event resembles another', () => {
    const events = Array.from({ length: 20 }, (_, i) => withDelta('"content":"a"', `,"x":${i}`));
    expect(matchIn(learned(...events), [Buffer.from(events.at(-1)!)])).toEqual([null]);
  });
});

const texts = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 5 }).map((text) => JSON.stringify(text)) },
  {
    weight: 2,
    arbitrary: fc.string({ unit: 'grapheme', maxLength: 4 }).map((text) => JSON.stringify(text)),
  },
  fc.constantFrom('null', '7', '""', '"', '"\\"', '"\n"', '"\u007f"', '"a","content":"b"', '{}'),
  fc.constantFrom(...['\\n', '\\u12aF', '\\u12a', '\\a', '\\', '\\\\"'].map((text) => `"${text}"`)),
);
const counts = fc.oneof(
  { weight: 4, arbitrary: fc.nat(5000).map(String) },
  fc.constantFrom(
    ...'0 -0 -1 00 07 1.0 1e2 1E400 999999999 1000000001 9007199254740993 "3" null'.split(' '),
  ),
);
const usages = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  fc.tuple(counts, counts).map((pair) => usage(...pair)),
  fc.constantFrom(',"usage":null', ',"usage":{}', ',"error":"no"', ',"error":null', ',"x":1'),
);
const deltas = fc.oneof(
  { weight: 4, arbitrary: texts.map((text) => `"content":${text}`) },
  texts.map((text) => `"role":"assistant","content":${text}`),
  fc.tuple(texts, texts).map(([text, why]) => `"reasoning":${why},"content":${text}`),
  texts.map((text) => `"reasoning_content":${text}`),
  texts.map((text) => `"tool_calls":[{"index":0,"function":{"arguments":${text}}}]`),
  fc.constant(''),
);
const finishes = fc.constantFrom(...'null null null "stop" "length" "" "error" 5'.split(' '));
const wholeEvents = fc
  .tuple(fc.oneof(fc.constant('"c1"'), texts), counts, deltas, finishes, usages)
  .map(([id, created, delta, finish, rest]) =>
    Buffer.from(
      `{"id":${id},"created":${created},"choices":[{"index":0,"delta":{${delta}},"finish_reason":${finish}}]${rest}}`,
    ),
  );
const likelyEvents = fc
  .tuple(texts, usages)
  .map(([text, rest]) => Buffer.from(withDelta(`"content":${text}`, rest)));
const damagedEvents = fc
  .tuple(
    fc.nat(80),
    fc.nat(2),
    fc.oneof(
      fc.uint8Array({ maxLength: 2 }),
      fc.constantFrom(...'"\\{},0'.split('').map((text) => Buffer.from(text))),
    ),
  )
  .map(([at, removed, added]) => {
    const bytes = Buffer.from(token);
    return Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at + removed)]);
  });
const events = fc.array(fc.oneof(wholeEvents, likelyEvents, damagedEvents), { maxLength: 10 });

describe('reading events with what was learned from earlier ones', () => {
  it('gives each the reading of a parser, wherever it is matched', () => {
    let matches = 0;
    fc.assert(
      fc.property(fc.array(events, { maxLength: 5 }), (reads) => {
        const template = learned(token);
        for (const each of reads) {
          for (const [i, reading] of matchIn(template, each).entries()) {
            const text = each[i]!.toString();
            if (reading === null) {
              template.learn(text, read(text));
              continue;
            }
            matches += 1;
            // What a parser reads has other characters in place of bytes that are no text.
            const isText = Buffer.from(text).equals(each[i]!);
            expect(isText ? reading : { ...reading, written: 0 }).toEqual(
              isText ? read(text) : { ...read(text), written: 0 },
            );
          }
        }
      }),
      { numRuns: tries(600) },
    );
    expect(matches).toBeGreaterThan(tries(600));
  });

  it('gives each stream the outcome of a reader that has learned nothing', () => {
    fc.assert(
      fc.property(fc.array(events, { maxLength: 5 }), (streams) => {
        const memory = contextWith({ targetMemory: emptyTargetMemory() });
        for (const each of [[Buffer.from(token), Buffer.from(token)], ...streams]) {
          const lines = [...each.map(String), '[DONE]'].map((event) => `data: ${event}\n\n`);
          const body = Buffer.from(lines.join(''));
          const fresh = contextWith({ targetMemory: emptyTargetMemory() });
          const outcome = replay('chat-stream', [body], {}, memory);
          expect(withoutBefore(outcome)).toEqual(
            withoutBefore(replay('chat-stream', [body], {}, fresh)),
          );
          const reads = lines.map((line) => Buffer.from(line));
          expect(withoutTimes(withoutBefore(replay('chat-stream', reads, {}, memory)))).toEqual(
            withoutTimes(withoutBefore(outcome)),
          );
        }
      }),
      { numRuns: tries(200) },
    );
  });
});
