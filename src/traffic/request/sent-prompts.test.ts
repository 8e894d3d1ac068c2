import { expect, it } from 'vitest';
import type { TokenCounts } from '../../model/observation/outcome.ts';
import type { FirstAnswer } from './same-prompts.ts';
import { rememberPrompt, withPrompt } from './sent-prompts.ts';

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

it('of a written prompt, what earlier ones began with was sent before, but for its last token', () => {
  const memory = {} as Parameters<typeof rememberPrompt>[0];
  const sent = (model: string, texts: readonly string[], characters = 1000) =>
    rememberPrompt(
      memory,
      { model, conversations: [] } as never,
      { messages: texts.map((content) => ({ role: 'user', content })) },
      characters,
    );
  const [one, two, three] = ['a'.repeat(400), 'b'.repeat(400), 'c'.repeat(800)] as const;
  expect(sent('m', [one], 255)).toBeUndefined();
  const first = sent('m', [one, two], 256)!;
  expect(first.repeatedOf(210)).toBe(0);
  // The same again is known but for the token from which its answer follows, whatever was counted before.
  expect(sent('m', [one, two])!.repeatedOf(210)).toBe(209);
  expect(sent('m', [one, two])!.repeatedOf(300)).toBe(299);
  // A longer one repeats what the server counted for the shorter one.
  expect(sent('m', [one, two, three])!.repeatedOf(420)).toBe(210);
  // A part that was no whole prompt is a share of the tokens.
  expect(sent('m', [one, three])!.repeatedOf(310)).toBe(Math.round(310 / 3));
  expect(sent('other', [one, two])!.repeatedOf(210)).toBe(0);
});
