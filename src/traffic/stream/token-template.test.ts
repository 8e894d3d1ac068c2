import { describe, expect, it } from 'vitest';
import { type CarriedContent, readChatChunk } from './chat-chunk.ts';
import { TokenTemplate } from './token-template.ts';

/** A template that has learned `event`, asked about `next`. */
const fits = (event: string, next: string): CarriedContent | null => {
  const template = new TokenTemplate();
  const learned = Buffer.from(`..${event}..`);
  template.learn(
    learned,
    2,
    learned.length - 2,
    readChatChunk(event, (said) => said),
  );
  learned.fill(0);
  const bytes = Buffer.from(`....${next}....`);
  return template.match(bytes, 4, bytes.length - 4);
};

const withDelta = (delta: string, rest = ''): string =>
  `{"id":"c1","choices":[{"index":0,"delta":{${delta}},"finish_reason":null}]${rest}}`;

describe('a token template', () => {
  it('matches an event that differs only in its text', () => {
    expect(fits(withDelta('"content":"a"'), withDelta('"content":"é漢 b"'))).toBe('visible');
    expect(fits(withDelta('"content": "a"'), withDelta('"content": "b"'))).toBe('visible');
    expect(fits(withDelta('"content":"\\"a\\\\"'), withDelta('"content":"b"'))).toBe('visible');
    expect(
      fits(
        withDelta('"content":null,"reasoning_content":"a"'),
        withDelta('"content":null,"reasoning_content":"b"'),
      ),
    ).toBe('reasoning');
    const part = (text: string) => withDelta(`"content":[{"type":"text","text":"${text}"}]`);
    expect(fits(part('a'), part('b'))).toBe('visible');
    const thought = (text: string) =>
      withDelta(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"${text}"}]}]`);
    expect(fits(thought('a'), thought('b'))).toBe('reasoning');
    expect(fits(thought('a'), part('b'))).toBeNull();
  });

  it.each([
    ['whose text is empty', withDelta('"content":""')],
    ['whose text ends early', withDelta('"content":"a","content":""')],
    ['whose text has an escape', withDelta('"content":"\\n"')],
    ['whose text breaks JSON', withDelta('"content":"\n"')],
    ['that differs before its text', withDelta('"content":"a"').replace('c1', 'c2')],
    ['that differs after its text', withDelta('"content":"a"').replace('null', '"stop"')],
    ['that counts usage', withDelta('"content":"a"', ',"usage":{}')],
    ['that is too short for both sides', '{"id":"c1"}'],
  ])('matches no event %s', (_, next) => {
    expect(fits(withDelta('"content":"a"'), next)).toBeNull();
  });

  it.each([
    ['that ends a choice', withDelta('"content":"a"').replace('null', '"stop"')],
    [
      'that counts usage',
      withDelta('"content":"a"', ',"usage":{"prompt_tokens":1,"completion_tokens":1}'),
    ],
    ['without a token', withDelta('"content":""')],
    ['of two choices', '{"choices":[{"delta":{"content":"a"}},{"delta":{}}]}'],
    [
      'whose text is given twice, since the last one counts',
      withDelta('"content":"a","content":"b"'),
    ],
    ['that still has a token when its text is empty', withDelta('"content":"a","refusal":"b"')],
    [
      'that names content elsewhere first',
      `{"note":{"content":"x"},${withDelta('"content":"a"').slice(1)}`,
    ],
  ])('is not learned from an event %s', (_, event) => {
    expect(fits(event, event)).toBeNull();
  });

  it('is dropped for a stream in which it does not help', () => {
    const template = new TokenTemplate();
    const matched = (count: number): (CarriedContent | null)[] =>
      Array.from({ length: count }, (_, i) => {
        const event = withDelta('"content":"a"', `,"obfuscation":"${i}"`);
        const bytes = Buffer.from(event);
        const carries = template.match(bytes, 0, bytes.length);
        template.learn(
          bytes,
          0,
          bytes.length,
          readChatChunk(event, (said) => said),
        );
        return carries;
      });
    expect(new Set(matched(5))).toEqual(new Set([null]));
    const last = Buffer.from(withDelta('"content":"b"', ',"obfuscation":"4"'));
    expect(template.match(last, 0, last.length)).toBeNull();
  });
});
