import { expect, it } from 'vitest';
import { readChatChunk } from './chat-chunk.ts';

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
});
