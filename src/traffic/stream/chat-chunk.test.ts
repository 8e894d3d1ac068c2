// @gate 1 s
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { servedChunkSchema } from '../../contract/chat.ts';
import { readChatChunk, servedChoices } from './chat-chunk.ts';

const choices = (count: number): string => {
  const choice = '{"delta":{"content":"a"}}';
  return `{"choices":[${Array.from({ length: count }, () => choice).join()}]}`;
};
const read = (data: string) => readChatChunk(data, (text) => text);

it('an event may have thousands of choices, but not a quarter of a million values', () => {
  expect(read(choices(10_000))).toMatchObject({ kind: 'chunk' });
  expect(read(choices(260_000))).toEqual({
    kind: 'unreadable',
    detail: 'it is JSON, but nests too deep or has too many values for one event',
  });
  expect(read(choices(2).slice(1))).toEqual({ kind: 'unreadable', detail: 'it is not JSON' });
  expect(read(`data: ${choices(2)}`)).toEqual({ kind: 'unreadable', detail: 'it is not JSON' });
});

it('choices are accepted exactly where the schema accepts them', () => {
  const leaf = fc.constantFrom(null, undefined, '', 'a', 0, 1, true, [], ['a'], {});
  const part = fc.oneof(leaf, fc.record({ content: leaf, more: leaf }, { requiredKeys: [] }));
  const choice = fc.oneof(leaf, fc.record({ delta: part, index: leaf }, { requiredKeys: [] }));
  fc.assert(
    fc.property(fc.oneof(leaf, choice, fc.array(choice, { maxLength: 3 })), (served) => {
      const { success } = servedChunkSchema.safeParse({ choices: served });
      const choicesOrFault = servedChoices(served);
      expect(typeof choicesOrFault !== 'string').toBe(success);
      if (success && Array.isArray(served)) expect(choicesOrFault).toEqual(served);
    }),
    { numRuns: 2000 },
  );
});
