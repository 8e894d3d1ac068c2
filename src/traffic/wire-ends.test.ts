import { describe, expect, it } from 'vitest';
import { contextWith, headAt, readAt, readerFor } from './replay.ts';
import {
  answerOf,
  chunk,
  completed,
  done,
  event,
  events,
  including,
  malformed,
  matching,
  readEveryWay,
  stop,
  text,
} from './stream-suite.ts';

const twoTokens = { tokenInstants: 2, finish: 'stop', notes: [] };

describe('how a streamed chat answer ends, in every cut', () => {
  it('completes without [DONE] when every choice had a finish reason, and notes it', () => {
    const body = events(text('a'), chunk({ content: 'b' }, null, 1), chunk({}, 'length', 1), stop);
    expect(readEveryWay(body)).toEqual(completed({ finish: 'stop', notes: ['no-done'] }));
  });

  it('is truncated without [DONE] when a choice had no finish reason', () => {
    const body = events(text('a'), chunk({ content: 'b' }, null, 1), stop);
    expect(readEveryWay(body)).toEqual(
      malformed('stream-truncated', /finish reason for choice 1$/, { tokenInstants: 2 }),
    );
  });

  it('is truncated without [DONE] when streams are strict, finished or not', () => {
    const strict = { streams: 'strict' } as const;
    expect(readEveryWay(events(text('a'), stop), {}, strict)).toEqual(
      malformed('stream-truncated', /strict/, { tokenInstants: 1 }),
    );
    expect(readEveryWay(events(text('a')), {}, strict)).toEqual(
      malformed('stream-truncated', /finish reason/, { tokenInstants: 1 }),
    );
    expect(readEveryWay(events(text('a'), text('b'), stop, done), {}, strict)).toEqual(
      completed(twoTokens),
    );
  });

  it('completes with [DONE] and no finish reason, which the interface does not promise', () => {
    expect(readEveryWay(events(text('a'), text('b'), done))).toEqual(
      completed({ finish: null, notes: ['no-finish'] }),
    );
  });

  it('drops an event that the end cuts off, and notes it', () => {
    expect(readEveryWay(`${events(text('a'), stop)}data: [DONE]`)).toEqual(
      completed({ notes: ['no-done', 'unfinished-event'] }),
    );
  });

  it('notes data after [DONE] and leaves them out', () => {
    for (const late of [event(text('c')), event(done), event({ error: 'late' })]) {
      expect(readEveryWay(events(text('a'), text('b'), stop, done) + late)).toEqual(
        completed({ ...twoTokens, notes: ['data-after-done'] }),
      );
    }
  });

  it('is complete after [DONE] while the socket stays open; the clock stops at the last token', () => {
    const reader = readerFor('chat-stream', contextWith());
    reader.onHeaders(headAt, 200, { 'content-type': 'text/event-stream' });
    reader.onChunk(readAt(0), Buffer.from(event(text('a'))));
    expect(reader.complete).toBe(false);
    reader.onChunk(readAt(1), Buffer.from(events(stop, done)));
    expect(reader.complete).toBe(true);
    const answer = answerOf(reader.failed(readAt(9), 'aborted', 'drained'));
    expect(answer).toMatchObject({ lastToken: readAt(0), notes: ['cut-after-done'] });
  });

  it('is broken by a reset in mid-stream, with the tokens so far', () => {
    const failure = { cause: 'reset', detail: 'the server reset the connection' } as const;
    expect(readEveryWay(events(text('a'), text('b')), { failure })).toEqual({
      kind: 'broken',
      ...failure,
      partial: including({ tokenInstants: 2 }),
    });
  });

  it('is broken by a reset without [DONE] even when every choice had a finish reason', () => {
    const failure = { cause: 'reset', detail: 'reset' } as const;
    expect(readEveryWay(events(text('a'), stop), { failure })).toMatchObject({ kind: 'broken' });
  });

  it('is settled by an error in mid-stream, whatever becomes of the connection', () => {
    const failure = { cause: 'reset', detail: 'reset' } as const;
    expect(readEveryWay(events(text('a'), { error: 'no luck' }), { failure })).toMatchObject({
      kind: 'malformed',
      issue: 'stream-error',
    });
  });

  it('has a cap on bytes, exact to the byte', () => {
    const body = events(text('a'), stop, done);
    const caps = { bytes: body.length, events: 100 };
    expect(readEveryWay(body, {}, { caps })).toMatchObject({ kind: 'completed' });
    const endless = events(text('a'), text('b'));
    expect(readEveryWay(endless, {}, { caps: { bytes: endless.length - 1, events: 100 } })).toEqual(
      {
        kind: 'broken',
        cause: 'too-large',
        detail: matching(new RegExp(`longer than ${endless.length - 1} bytes`)),
        partial: including({ tokenInstants: 1 }),
      },
    );
  });

  it('has a cap on events', () => {
    const caps = { bytes: 10_000, events: 3 };
    expect(readEveryWay(events(text('a'), stop, done), {}, { caps })).toMatchObject({
      kind: 'completed',
    });
    expect(readEveryWay(events(text('a'), text('b'), stop, done), {}, { caps })).toEqual({
      kind: 'broken',
      cause: 'too-large',
      detail: matching(/more than 3 events/),
      partial: including({ tokenInstants: 2 }),
    });
  });

  it('has a cap on one line, and asks to be cut there', () => {
    const reader = readerFor('chat-stream', contextWith({ caps: { bytes: 1e9, events: 1e9 } }));
    reader.onHeaders(headAt, 200, { 'content-type': 'text/event-stream' });
    reader.onChunk(readAt(0), Buffer.from(event(text('a'))));
    const part = Buffer.alloc(1024 * 1024, 'x');
    for (let read = 1; read <= 4; read += 1) {
      reader.onChunk(readAt(read), part);
      expect(reader.verdict).toBeNull();
    }
    reader.onChunk(readAt(5), part);
    expect(reader.verdict).toMatchObject({ cause: 'too-large' });
  });
});

describe('a stream that is answering', () => {
  it('begins at the first token, not at the first event', () => {
    const reader = readerFor('chat-stream', contextWith());
    reader.onHeaders(headAt, 200, { 'content-type': 'text/event-stream' });
    reader.onChunk(readAt(0), Buffer.from(event(chunk({ role: 'assistant', content: '' }))));
    expect(reader.answering).toBe(false);
    reader.onChunk(readAt(1), Buffer.from(event(text('a'))));
    expect(reader.answering).toBe(true);
  });

  it('begins with the body of a refusal', () => {
    const reader = readerFor('chat-stream', contextWith());
    reader.onHeaders(headAt, 500, {});
    expect(reader.answering).toBe(false);
    reader.onChunk(readAt(0), Buffer.from('x'));
    expect(reader.answering).toBe(true);
  });
});
