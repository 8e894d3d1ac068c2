import type { ChatStreamAnswer, Outcome } from '../../model/observation/outcome.ts';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { emptyTargetMemory, type ReadingContext } from '../traffic-handler.ts';
import {
  contextWith,
  everySplit,
  replay,
  type ReplayedResponse,
  withoutTimes,
} from './replay.fixture.ts';

/** This file contains bodies of event streams for tests, and the expected results. */

type Json = object | string;

export const sseEvent = (data: Json): string =>
  `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
export const sseEvents = (...data: readonly Json[]): string => data.map(sseEvent).join('');
export const chatChunk = (
  delta: object | null,
  finish: string | null = null,
  index = 0,
): object => ({
  id: 'c1',
  choices: [{ index, delta, finish_reason: finish }],
});
export const textChunk = (content: string): object => chatChunk({ content });
export const stopChunk = chatChunk({}, 'stop');
export const doneData = '[DONE]';
export const usageFields = (completion: number): object => ({
  prompt_tokens: 5,
  completion_tokens: completion,
  total_tokens: 5 + completion,
});

/**
 * Returns the outcome, without instants, that every way to cut the body in two gives; or one in `step` of these ways.
 */
export const readEverySplit = (
  body: string | Buffer,
  response: ReplayedResponse = {},
  parts: Partial<ReadingContext> = {},
  step = 1,
): object => {
  const bytes = Buffer.from(body as string);
  const context = (): ReadingContext =>
    contextWith({ targetMemory: emptyTargetMemory(), ...parts });
  const whole = withoutTimes(replay('chat-stream', [bytes], response, context()));
  for (const reads of everySplit(bytes, step)) {
    const cut = withoutTimes(replay('chat-stream', reads, response, context()));
    // A deep comparison by vitest for each cut would take most of the tests' time.
    if (!isDeepStrictEqual(cut, whole)) expect(cut, `in ${reads.length} reads`).toEqual(whole);
  }
  return whole;
};

/** Returns a matcher without the type any of vitest's matchers. */
export const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);
export const including = (facts: object): unknown => expect.objectContaining(facts);

export const expectCompleted = (facts: object): object => ({
  kind: 'completed',
  answer: including(facts),
});
export const expectMalformed = (issue: string, detail: RegExp, partial: object | null): object => ({
  kind: 'malformed',
  issue,
  detail: matching(detail),
  partial: partial === null ? null : including(partial),
});
export const streamAnswerOf = (outcome: Outcome): ChatStreamAnswer => {
  if (outcome.kind !== 'completed' || outcome.answer.kind !== 'chat-stream') {
    throw new Error(`expected a complete stream, got ${JSON.stringify(outcome)}`);
  }
  return outcome.answer;
};
export const answerFromReads = (...reads: readonly string[]): ChatStreamAnswer =>
  streamAnswerOf(
    replay(
      'chat-stream',
      reads.map((read) => Buffer.from(read)),
    ),
  );
