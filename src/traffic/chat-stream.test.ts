import { describe, expect, it } from 'vitest';
import { instant } from '../model/quantity.ts';
import { freshMemory, type ReadingContext } from './kind.ts';
import { contextWith, readAt, replay } from './replay.ts';
import { answerOf, done, event, events, inReads, matching, stop, text } from './stream-suite.ts';

describe('a buffered stream', () => {
  const tokens = (count: number): string => event(text('a')).repeat(count);

  it('brings all its tokens in one read after a long wait', () => {
    expect(inReads(tokens(12) + events(stop, done)).buffered).toBe(true);
  });

  it('is not told from a short answer below ten tokens', () => {
    expect(inReads(tokens(9) + events(stop, done)).buffered).toBe(false);
  });

  it('is none when the tokens come over a time that matters beside the first’s', () => {
    expect(inReads(tokens(1), tokens(1), tokens(99), events(stop, done)).buffered).toBe(false);
  });

  it('is none when the request began only just before its tokens', () => {
    const context = contextWith({ begun: instant(readAt(0) - 1) });
    const reads = [tokens(9), tokens(9) + events(stop, done)].map((read) => Buffer.from(read));
    expect(answerOf(replay('chat-stream', reads, {}, context)).buffered).toBe(false);
  });
});

describe('asking for usage', () => {
  const refuse = (memory: ReadingContext['memory'], status: number, message: string): void => {
    const body = Buffer.from(JSON.stringify({ error: { message, type: 't', code: 'c' } }));
    replay('chat-stream', [body], { status }, contextWith({ memory }));
  };
  const complete = (memory: ReadingContext['memory']): void => {
    const body = Buffer.from(events(text('a'), stop, done));
    replay('chat-stream', [body], {}, contextWith({ memory }));
  };

  it.each([400, 422])(
    'stops when the target refuses the field with %d, and says so once',
    (status) => {
      const memory = freshMemory();
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
    const untried = freshMemory();
    refuse(untried, 400, 'invalid parameters');
    expect(untried.usage).toBe('refused');
    const proven = freshMemory();
    complete(proven);
    refuse(proven, 400, 'invalid parameters');
    expect(proven.usage).toBe('accepted');
    expect(proven.notes.size).toBe(0);
  });

  it.each([401, 429, 500])('goes on after status %d', (status) => {
    const memory = freshMemory();
    refuse(memory, status, 'no luck');
    expect(memory.usage).toBe('untried');
  });
});
