import { describe, expect, it } from 'vitest';
import { instant } from '../../model/quantity.ts';
import { emptyTargetMemory, type ReadingContext } from '../traffic-handler.ts';
import { contextWith, readAt, replay } from './replay.fixture.ts';
import {
  streamAnswerOf,
  doneData,
  sseEvent,
  sseEvents,
  answerFromReads,
  matching,
  stopChunk,
  textChunk,
} from './stream-bodies.fixture.ts';

describe('a buffered stream', () => {
  const tokens = (count: number): string => sseEvent(textChunk('a')).repeat(count);

  it('brings all its tokens in one read after a long wait', () => {
    expect(answerFromReads(tokens(12) + sseEvents(stopChunk, doneData)).buffered).toBe(true);
  });

  it('is not told from a short answer below ten tokens', () => {
    expect(answerFromReads(tokens(9) + sseEvents(stopChunk, doneData)).buffered).toBe(false);
  });

  it('is none when the tokens come over a time that matters beside the first’s', () => {
    expect(
      answerFromReads(tokens(1), tokens(1), tokens(99), sseEvents(stopChunk, doneData)).buffered,
    ).toBe(false);
  });

  it('is none when the request began only just before its tokens', () => {
    const context = contextWith({ begun: instant(readAt(0) - 1) });
    const reads = [tokens(9), tokens(9) + sseEvents(stopChunk, doneData)].map((read) =>
      Buffer.from(read),
    );
    expect(streamAnswerOf(replay('chat-stream', reads, {}, context)).buffered).toBe(false);
  });
});

describe('asking for usage', () => {
  const refuse = (
    targetMemory: ReadingContext['targetMemory'],
    status: number,
    message: string,
  ): void => {
    const body = Buffer.from(JSON.stringify({ error: { message, type: 't', code: 'c' } }));
    replay('chat-stream', [body], { status }, contextWith({ targetMemory }));
  };
  const complete = (targetMemory: ReadingContext['targetMemory']): void => {
    const body = Buffer.from(sseEvents(textChunk('a'), stopChunk, doneData));
    replay('chat-stream', [body], {}, contextWith({ targetMemory }));
  };

  it.each([400, 422])(
    'stops when the target refuses the field with %d, and says so once',
    (status) => {
      const memory = emptyTargetMemory();
      complete(memory);
      expect(memory.usage).toBe('accepted');
      refuse(memory, status, 'Unrecognized request argument supplied: stream_options');
      refuse(memory, status, 'Unrecognized request argument supplied: stream_options');
      expect(memory.usage).toBe('refused');
      expect([...memory.notes]).toEqual([matching(/stream_options\.include_usage/)]);
      complete(memory);
      expect(memory.usage).toBe('refused');
    },
  );

  it('stops at any 400 before a stream has completed, and goes on after', () => {
    const untried = emptyTargetMemory();
    refuse(untried, 400, 'invalid parameters');
    expect(untried.usage).toBe('refused');
    const proven = emptyTargetMemory();
    complete(proven);
    refuse(proven, 400, 'invalid parameters');
    expect(proven.usage).toBe('accepted');
    expect(proven.notes.size).toBe(0);
  });

  it.each([401, 429, 500])('goes on after status %d', (status) => {
    const memory = emptyTargetMemory();
    refuse(memory, status, 'no luck');
    expect(memory.usage).toBe('untried');
  });
});
