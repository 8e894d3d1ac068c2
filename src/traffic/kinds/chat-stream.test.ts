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

  it('delivers all its tokens in one read after a long wait', () => {
    expect(answerFromReads(tokens(12) + sseEvents(stopChunk, doneData)).buffered).toBe(true);
  });

  it('cannot be detected below ten tokens', () => {
    expect(answerFromReads(tokens(9) + sseEvents(stopChunk, doneData)).buffered).toBe(false);
  });

  it('is not detected if the tokens take a considerable time after the first', () => {
    expect(
      answerFromReads(tokens(1), tokens(1), tokens(99), sseEvents(stopChunk, doneData)).buffered,
    ).toBe(false);
  });

  it('is not detected if the request began just before its tokens', () => {
    const context = contextWith({ begun: instant(readAt(0) - 1) });
    const reads = [tokens(9), tokens(9) + sseEvents(stopChunk, doneData)].map((read) =>
      Buffer.from(read),
    );
    expect(streamAnswerOf(replay('chat-stream', reads, {}, context)).buffered).toBe(false);
  });
});

describe('the request for usage', () => {
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

  it.each([400, 422])('stops if the target refuses the field with %d, with one note', (status) => {
    const memory = emptyTargetMemory();
    complete(memory);
    expect(memory.usage).toBe('accepted');
    refuse(memory, status, 'Unrecognized request argument supplied: stream_options');
    refuse(memory, status, 'Unrecognized request argument supplied: stream_options');
    expect(memory.usage).toBe('refused');
    expect([...memory.notes]).toEqual([matching(/stream_options\.include_usage/)]);
    complete(memory);
    expect(memory.usage).toBe('refused');
  });

  it('stops at any 400 before a stream has completed, and continues after one has', () => {
    const untried = emptyTargetMemory();
    refuse(untried, 400, 'invalid parameters');
    expect(untried.usage).toBe('refused');
    const proven = emptyTargetMemory();
    complete(proven);
    refuse(proven, 400, 'invalid parameters');
    expect(proven.usage).toBe('accepted');
    expect(proven.notes.size).toBe(0);
  });

  it.each([401, 429, 500])('continues after status %d', (status) => {
    const memory = emptyTargetMemory();
    refuse(memory, status, 'no luck');
    expect(memory.usage).toBe('untried');
  });
});
