import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tries } from '../../model/tries.fixture.ts';
import { readUsage } from './read-usage.ts';
import { contextWith, replay, withoutBefore } from '../kinds/replay.fixture.ts';
import { emptyTargetMemory } from '../traffic-handler.ts';
import { CompletionTemplate } from './completion-template.ts';
import { chatResponseSchema } from '../../contract/reference-answers.fixture.ts';

/** The values of a completion as JSON texts, valid or not. */
interface Values {
  readonly id: string;
  readonly created: string;
  readonly content: string;
  readonly finish: string;
  readonly input: string;
  readonly output: string;
}

const usual: Values = {
  id: '"chatcmpl-1"',
  created: '1763715600',
  content: '"a low dam"',
  finish: '"stop"',
  input: '9',
  output: '12',
};

const bodyOf = (values: Partial<Values> = {}, rest = ''): string => {
  const { id, created, content, finish, input, output } = { ...usual, ...values };
  return `{"id":${id},"object":"chat.completion","created": ${created},"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":${content}},"finish_reason":${finish}}],"usage":{"prompt_tokens":${input},"completion_tokens":${output}, "total_tokens":${Number(input) + Number(output)}}${rest}}`;
};

const learned = (...texts: readonly string[]): CompletionTemplate => {
  const template = new CompletionTemplate();
  for (const text of texts) {
    const completion = chatResponseSchema.parse(JSON.parse(text));
    template.learn(text, { ...completion, usage: readUsage(completion) });
  }
  return template;
};

const usageIn = (template: CompletionTemplate, body: string | Buffer): unknown => {
  const usage = template.match(Buffer.from(body))?.usage;
  return usage && { prompt_tokens: usage.input, completion_tokens: usage.output };
};

describe('a completion template', () => {
  it('matches a completion that differs only in ids, texts and counts, and reads its usage', () => {
    const template = learned(bodyOf());
    const content = String.raw`"é漢 <html>\n\"\u00e9"`;
    const other = { id: '""', created: '0', content, input: '0', output: '3' };
    expect(usageIn(template, bodyOf(other))).toEqual({ prompt_tokens: 0, completion_tokens: 3 });
    const invalid = Buffer.from(bodyOf({ content: '"??"' }).replace('??', '\xe2\xff'), 'latin1');
    expect(usageIn(template, invalid)).toEqual({ prompt_tokens: 9, completion_tokens: 12 });
  });

  it('leaves a total that is not the sum to the parser, which notes it', () => {
    const template = learned(bodyOf());
    expect(usageIn(template, bodyOf({ input: '7' }))).toBeDefined();
    const off = bodyOf({ input: '7' }).replace(/"total_tokens":\d+/, '"total_tokens":99');
    expect(template.match(Buffer.from(off))).toBeNull();
  });

  it('is learned from a text with escapes, and from one with other blanks and members', () => {
    const escaped = learned(bodyOf({ content: String.raw`"\"id\": \"x\" \\"` }));
    expect(escaped.match(Buffer.from(bodyOf()))).not.toBeNull();
    const [spaced, next] = ['one', 'two'].map((content) =>
      JSON.stringify(
        {
          usage: { completion_tokens: 4, prompt_tokens: 2, details: { cached: 0 } },
          choices: [{ logprobs: { content: [] }, message: { content }, finish_reason: null }],
        },
        null,
        2,
      ),
    );
    expect(learned(spaced!).match(Buffer.from(next!))).not.toBeNull();
  });

  it.each<readonly [string, string]>([
    ['without output, whose texts count', bodyOf({ output: '0' })],
    ['whose count is not plausible', bodyOf({ input: '1000000001' })],
    ['whose count is not exact', bodyOf({ created: '1234567890123456' })],
    ['whose count has a leading zero', bodyOf({ input: '09' })],
    ['whose count is negative', bodyOf({ output: '-1' })],
    ['whose count is a fraction', bodyOf({ output: '1.5' })],
    ['whose count is missing', bodyOf({ output: '' })],
    ['whose text has an unknown escape', bodyOf({ content: String.raw`"\x"` })],
    ['whose text has a broken escape', bodyOf({ content: String.raw`"\u12g4"` })],
    ['whose text has a control character', bodyOf({ content: '"\n"' })],
    ['whose text does not end', bodyOf({ content: '"\\"' })],
    ['whose text is null', bodyOf({ content: 'null' })],
    ['that ended for another reason', bodyOf({ finish: '"error"' })],
    ['with a further member', bodyOf({}, ',"error":"no"')],
    ['with something after it', `${bodyOf()} x`],
    ['that breaks off', bodyOf().slice(0, -1)],
    ['of no bytes', ''],
  ])('does not match a completion %s', (_, body) => {
    expect(usageIn(learned(bodyOf()), body)).toBeUndefined();
  });

  it.each([
    ['without usage', bodyOf().replace(/"usage".*/, '"usage":null}')],
    ['without output', bodyOf({ output: '0' })],
    [
      'whose usage is given twice, since the last one counts',
      bodyOf({}, ',"usage":{"prompt_tokens":1,"completion_tokens":1}'),
    ],
    ['of many kilobytes', bodyOf({ content: `"${'x'.repeat(20_000)}"` })],
  ])('is not learned from a completion %s', (_, body) => {
    expect(usageIn(learned(body), body)).toBeUndefined();
  });

  it('keeps a value fixed whose name is found elsewhere first', () => {
    const noted = (id: string): string => bodyOf({ id }).replace('{', '{"note":{"id":"x"},');
    expect(usageIn(learned(noted('"a"')), noted('"a"'))).toBeDefined();
    expect(usageIn(learned(noted('"a"')), noted('"b"'))).toBeUndefined();
  });

  it('seldom compares after many misses, and always again after a match', () => {
    const template = learned(bodyOf());
    for (let n = 0; n < 100; n += 1) expect(template.match(Buffer.from('{}'))).toBeNull();
    const later = Array.from({ length: 20 }, () => template.match(Buffer.from(bodyOf())) !== null);
    expect(later.indexOf(true)).toBeLessThan(8);
    expect(later.slice(later.indexOf(true))).not.toContain(false);
  });

  it('keeps a few forms, and stops learning if no answer resembles another', () => {
    const forms = ['"stop"', '"length"', 'null'].map((finish) => bodyOf({ finish }));
    const several = learned(...forms);
    for (const body of forms) expect(usageIn(several, body)).toBeDefined();
    const different = Array.from({ length: 20 }, (_, i) => bodyOf({}, `,"x":${i}`));
    expect(usageIn(learned(...different), different.at(-1)!)).toBeUndefined();
  });
});

const texts = fc.oneof(
  { weight: 4, arbitrary: fc.string().map((text) => JSON.stringify(text)) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)) },
  fc.constantFrom('null', '7', '""', '"', '"\\"', '"\n"', '"\u007f"', '"a","content":"b"', '{}'),
);
const counts = fc.oneof(
  { weight: 4, arbitrary: fc.nat(5000).map(String) },
  fc.constantFrom(
    ...'0 -0 -1 00 07 1.0 1e2 1E400 999999999 1000000000 1000000001 9007199254740993 "3" null'.split(
      ' ',
    ),
  ),
);
const values: fc.Arbitrary<Values> = fc.record({
  id: texts,
  created: counts,
  content: texts,
  finish: fc.constantFrom('"stop"', '"stop"', '"length"', 'null', '"error"', '5'),
  input: counts,
  output: counts,
});
const rest = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  fc.constantFrom(
    ',"error":"x"',
    ',"error":null',
    ',"usage":null',
    ',"detail":"x"',
    ',"object":"error"',
  ),
);

/** Returns a body with some bytes replaced, inserted or removed. */
const damaged = (
  body: string,
  edits: readonly { readonly at: number; readonly removed: number; readonly added: Uint8Array }[],
): Buffer =>
  edits.reduce((bytes, { at, removed, added }) => {
    const place = Math.floor(at * (bytes.length + 1));
    return Buffer.concat([bytes.subarray(0, place), added, bytes.subarray(place + removed)]);
  }, Buffer.from(body));

const edits = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    removed: fc.nat(2),
    added: fc.oneof(
      fc.uint8Array({ maxLength: 2 }),
      fc.constantFrom(...['"', '\\', '{', '}', ',', '0', '\n'].map((text) => Buffer.from(text))),
    ),
  }),
  { maxLength: 2 },
);

const bodies = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(texts, counts)
      .map(([content, output]) => Buffer.from(bodyOf({ content, output }))),
  },
  { weight: 2, arbitrary: fc.tuple(values, rest).map((parts) => Buffer.from(bodyOf(...parts))) },
  { weight: 3, arbitrary: edits.map((made) => damaged(bodyOf(), made)) },
);
const headers = fc.constantFrom<Readonly<Record<string, string>>>(
  { 'content-type': 'application/json' },
  { 'content-type': 'application/json' },
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json', 'content-encoding': 'gzip' },
);

describe('reading chat completions with what was learned from earlier ones', () => {
  it('gives each the outcome and the notes of a reader that has learned nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(bodies, headers), { maxLength: 8 }), (responses) => {
        const memory = contextWith({ targetMemory: emptyTargetMemory() });
        replay(
          'chat',
          [Buffer.from(bodyOf())],
          { headers: { 'content-type': 'application/json' } },
          memory,
        );
        for (const [body, head] of responses) {
          const fresh = contextWith({ targetMemory: emptyTargetMemory() });
          memory.targetMemory.notes.clear();
          const outcome = replay('chat', [body], { headers: head }, memory);
          expect(withoutBefore(outcome)).toEqual(
            withoutBefore(replay('chat', [body], { headers: head }, fresh)),
          );
          expect(memory.targetMemory).toEqual(fresh.targetMemory);
        }
      }),
      { numRuns: tries(300) },
    );
  });
});
