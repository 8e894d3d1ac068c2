import { expect, it } from 'vitest';
import { countIn } from './hang-up-facts.ts';

it('a count of tokens is the last one that an answer reports', () => {
  const text =
    'data: {"usage":{"prompt_tokens":7,"completion_tokens":1}}\n\ndata: {"usage":{"prompt_tokens": 9,\n"completion_tokens" :12}}\n';
  expect(countIn({ text }, 'prompt_tokens')).toBe(9);
  expect(countIn({ text }, 'completion_tokens')).toBe(12);
  expect(countIn({ text: '{"prompt_tokens":null}' }, 'prompt_tokens')).toBe(null);
  expect(countIn({ text: '{"prompt_tokens":0}' }, 'prompt_tokens')).toBe(0);
});
