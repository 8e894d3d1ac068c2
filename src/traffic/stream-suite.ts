import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { ChatStreamAnswer, Outcome } from '../model/observation.ts';
import { freshMemory, type ReadingContext } from './kind.ts';
import { contextWith, everyCut, replay, type Response, timeless } from './replay.ts';

/** Bodies of event streams and what is expected of them, for tests. */

type Json = object | string;

export const event = (data: Json): string =>
  `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
export const events = (...data: readonly Json[]): string => data.map(event).join('');
export const chunk = (delta: object | null, finish: string | null = null, index = 0): object => ({
  id: 'c1',
  choices: [{ index, delta, finish_reason: finish }],
});
export const text = (content: string): object => chunk({ content });
export const stop = chunk({}, 'stop');
export const done = '[DONE]';
export const usage = (completion: number): object => ({
  prompt_tokens: 5,
  completion_tokens: completion,
  total_tokens: 5 + completion,
});

/** The outcome that every way to cut the body gives, without instants. */
export const readEveryWay = (
  body: string | Buffer,
  response: Response = {},
  parts: Partial<ReadingContext> = {},
): object => {
  const bytes = Buffer.from(body as string);
  const context = (): ReadingContext => contextWith({ memory: freshMemory(), ...parts });
  const whole = timeless(replay('chat-stream', [bytes], response, context()));
  for (const reads of everyCut(bytes)) {
    const cut = timeless(replay('chat-stream', reads, response, context()));
    // A deep comparison by vitest per cut would take most of the tests' time.
    if (!isDeepStrictEqual(cut, whole)) expect(cut, `in ${reads.length} reads`).toEqual(whole);
  }
  return whole;
};

/** Vitest's matchers are of type any. */
export const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);
export const including = (facts: object): unknown => expect.objectContaining(facts);

export const completed = (facts: object): object => ({
  kind: 'completed',
  answer: including(facts),
});
export const malformed = (issue: string, detail: RegExp, partial: object | null): object => ({
  kind: 'malformed',
  issue,
  detail: matching(detail),
  partial: partial === null ? null : including(partial),
});
export const answerOf = (outcome: Outcome): ChatStreamAnswer => {
  if (outcome.kind !== 'completed' || outcome.answer.kind !== 'chat-stream') {
    throw new Error(`expected a complete stream, got ${JSON.stringify(outcome)}`);
  }
  return outcome.answer;
};
export const inReads = (...reads: readonly string[]): ChatStreamAnswer =>
  answerOf(
    replay(
      'chat-stream',
      reads.map((read) => Buffer.from(read)),
    ),
  );
