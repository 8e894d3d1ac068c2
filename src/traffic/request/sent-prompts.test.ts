import { expect, it } from 'vitest';
import type { TokenCounts } from '../../model/observation/outcome.ts';
import type { FirstAnswer } from './same-prompts.ts';
import { withPrompt } from './sent-prompts.ts';

it('an answer gets what is known of its prompt, and the first one to it is kept', () => {
  const counts = (input: number | null): TokenCounts => ({ input, output: 5, source: 'usage' });
  const sent = { repeatedOf: (input: number) => input - 1 };
  const first: FirstAnswer = {};
  const facts = { asked: 8, sent, first };
  expect(withPrompt(counts(null), facts)).toEqual({ ...counts(null), asked: 8 });
  // Tools or images may be part of these.
  expect(withPrompt(counts(90), facts, true)).toEqual({ ...counts(90), asked: 8, repeated: 89 });
  expect(first).toEqual({});
  expect(withPrompt(counts(9), facts)).toEqual({ ...counts(9), asked: 8, repeated: 8 });
  expect(first).toEqual({ input: 9 });
  expect(withPrompt(counts(10), { ...facts, asked: undefined, sent: undefined })).toEqual({
    ...counts(10),
    before: 9,
  });
  expect(first).toEqual({ input: 9 });
});
