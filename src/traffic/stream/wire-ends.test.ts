import { describe, expect, it } from 'vitest';
import { contextWith, headAt, readAt, readerFor } from '../kinds/replay.fixture.ts';
import {
  streamAnswerOf,
  chatChunk,
  expectCompleted,
  doneData,
  sseEvent,
  sseEvents,
  including,
  expectMalformed,
  matching,
  readEverySplit,
  stopChunk,
  textChunk,
  usageFields,
} from '../kinds/stream-bodies.fixture.ts';

const twoTokens = { tokenInstants: 2, finish: 'stop', notes: [] };

describe('the end of a streamed chat, however it is cut,', () => {
  it('is complete without [DONE] if every choice has a finish reason, with a note', () => {
    const body = sseEvents(
      textChunk('a'),
      chatChunk({ content: 'b' }, null, 1),
      chatChunk({}, 'length', 1),
      stopChunk,
    );
    expect(readEverySplit(body)).toEqual(expectCompleted({ finish: 'stop', notes: ['no-done'] }));
  });

  it('is truncated without [DONE] if a choice has no finish reason', () => {
    const body = sseEvents(textChunk('a'), chatChunk({ content: 'b' }, null, 1), stopChunk);
    expect(readEverySplit(body)).toEqual(
      expectMalformed('stream-truncated', /finish reason for choice 1$/, { tokenInstants: 2 }),
    );
  });

  it('is truncated without [DONE] if streams are strict, finished or not', () => {
    const strict = { streams: 'strict' } as const;
    expect(readEverySplit(sseEvents(textChunk('a'), stopChunk), {}, strict)).toEqual(
      expectMalformed('stream-truncated', /strict/, { tokenInstants: 1 }),
    );
    expect(readEverySplit(sseEvents(textChunk('a')), {}, strict)).toEqual(
      expectMalformed('stream-truncated', /finish reason/, { tokenInstants: 1 }),
    );
    expect(
      readEverySplit(sseEvents(textChunk('a'), textChunk('b'), stopChunk, doneData), {}, strict),
    ).toEqual(expectCompleted(twoTokens));
  });

  it('is complete with [DONE] and no finish reason, which the API does not promise', () => {
    expect(readEverySplit(sseEvents(textChunk('a'), textChunk('b'), doneData))).toEqual(
      expectCompleted({ finish: null, notes: ['no-finish'] }),
    );
  });

  it('is empty with [DONE], but no token and no finish reason', () => {
    const role = chatChunk({ role: 'assistant', content: '' });
    expect(readEverySplit(sseEvents(role, doneData))).toMatchObject({
      kind: 'malformed',
      issue: 'empty',
      detail: matching(/without a token and without a finish reason$/),
    });
    expect(readEverySplit(sseEvents(role, stopChunk, doneData))).toEqual(
      expectCompleted({ tokenInstants: 0, finish: 'stop' }),
    );
  });

  it.each(['[done]', '"[DONE]"', 'DONE', ' [DONE] '])('is also the word %s', (word) => {
    const body = sseEvents(textChunk('a'), textChunk('b'), stopChunk, word);
    expect(readEverySplit(body)).toEqual(expectCompleted(twoTokens));
  });

  it.each(['null', 'None'])('is not the finish reason %s of DashScope while it writes', (word) => {
    const chunks = [chatChunk({ content: 'a' }, word), chatChunk({ content: 'b' }, word)];
    expect(readEverySplit(sseEvents(...chunks, stopChunk, doneData))).toEqual(
      expectCompleted(twoTokens),
    );
    expect(readEverySplit(sseEvents(...chunks))).toEqual(
      expectMalformed('stream-truncated', /finish reason for choice 0$/, { tokenInstants: 2 }),
    );
  });

  it.each([
    ['under Gemini’s name', { delta: {}, finish_reason: null, finishReason: 'stop' }],
    ['in the delta', { delta: { finish_reason: 'stop' } }],
    ['as an object', { delta: {}, finish_reason: { type: 'stop', matched: 2 } }],
  ])('may have its finish reason %s', (_, choice) => {
    const last = { choices: [{ index: 0, ...choice }] };
    expect(readEverySplit(sseEvents(textChunk('a'), textChunk('b'), last, doneData))).toEqual(
      expectCompleted(twoTokens),
    );
    const failed = JSON.stringify(last).replace('"stop"', '"abort"');
    expect(readEverySplit(sseEvents(textChunk('a'), JSON.parse(failed) as object))).toMatchObject({
      issue: 'stream-error',
    });
  });

  it('keeps its finish reason beside a usage whose choice has none, as LiteLLM sends it', () => {
    for (const choice of [{ delta: {} }, { delta: {}, finish_reason: null }]) {
      const usage = { input: 5, output: 2, most: 18, source: 'usage' };
      const last = { choices: [{ index: 0, ...choice }], usage: usageFields(2) };
      const body = sseEvents(textChunk('a'), textChunk('b'), stopChunk, last, doneData);
      expect(readEverySplit(body)).toEqual(expectCompleted({ ...twoTokens, tokens: usage }));
    }
  });

  it('drops an event that is cut off, with a note', () => {
    expect(readEverySplit(`${sseEvents(textChunk('a'), stopChunk)}data: [DONE]`)).toEqual(
      expectCompleted({ notes: ['no-done', 'unfinished-event'] }),
    );
  });

  it('completes with a note if it ends without any text or call', () => {
    const empty = { choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] };
    const counted = { choices: [], usage: usageFields(0) };
    const bodies = [
      sseEvents(stopChunk, doneData),
      sseEvents(empty, stopChunk, doneData),
      sseEvents(empty, stopChunk, counted, doneData),
    ];
    for (const body of bodies)
      expect(readEverySplit(body)).toMatchObject({
        kind: 'completed',
        answer: { finish: 'stop', notes: ['no-content'] },
      });
    const details = { completion_tokens_details: { reasoning_tokens: 7 } };
    const thought = { choices: [], usage: { ...usageFields(7), ...details } };
    expect(readEverySplit(sseEvents(empty, stopChunk, thought, doneData))).toMatchObject({
      answer: { notes: [] },
    });
  });

  it('ignores data after [DONE], with a note', () => {
    for (const late of [
      sseEvent(textChunk('c')),
      sseEvent(doneData),
      sseEvent({ error: 'late' }),
    ]) {
      expect(
        readEverySplit(sseEvents(textChunk('a'), textChunk('b'), stopChunk, doneData) + late),
      ).toEqual(expectCompleted({ ...twoTokens, notes: ['data-after-done'] }));
    }
  });

  it.each([
    ['an error', sseEvent({ error: { message: 'engine died' } })],
    ['an event of an error', 'event: error\ndata: engine died\n\n'],
    ['an error beside others', sseEvent({ object: 'error', message: 'engine died', code: 500 })],
  ])('quotes %s after [DONE] where no finish reason came', (_, late) => {
    const outcome = readEverySplit(
      sseEvents(textChunk('a'), doneData) + late,
      {},
      {
        streams: 'strict',
      },
    );
    expect(outcome).toMatchObject({ kind: 'malformed', issue: 'stream-truncated' });
    expect(outcome).toMatchObject({ detail: expect.stringContaining('wrote: engine died') });
    expect(readEverySplit(sseEvents(doneData) + late)).toMatchObject({ kind: 'malformed' });
  });

  it('reads the usage after [DONE], with a note', () => {
    const late = sseEvent({ choices: [], usage: usageFields(7) });
    expect(
      readEverySplit(sseEvents(textChunk('a'), textChunk('b'), stopChunk, doneData) + late),
    ).toEqual(
      expectCompleted({
        ...twoTokens,
        tokens: including({ input: 5, output: 7, source: 'usage' }),
        notes: ['data-after-done'],
      }),
    );
  });

  it('is complete after [DONE] while the socket stays open; its time ends at the last token', () => {
    const reader = readerFor('chat-stream', contextWith());
    reader.onHeaders(headAt, 200, { 'content-type': 'text/event-stream' });
    reader.onChunk(readAt(0), Buffer.from(sseEvent(textChunk('a'))));
    expect(reader.isComplete).toBe(false);
    reader.onChunk(readAt(1), Buffer.from(sseEvents(stopChunk, doneData)));
    expect(reader.isComplete).toBe(true);
    const answer = streamAnswerOf(reader.failed(readAt(9), 'aborted', 'drained'));
    expect(answer).toMatchObject({ lastToken: readAt(0), notes: ['cut-after-done'] });
  });

  it('is broken by a reset in mid-stream, with the tokens so far', () => {
    const failure = { cause: 'reset', detail: 'the server reset the connection' } as const;
    expect(readEverySplit(sseEvents(textChunk('a'), textChunk('b')), { failure })).toEqual({
      kind: 'broken',
      ...failure,
      partial: including({ tokenInstants: 2 }),
    });
  });

  it('is broken by a reset without [DONE] even when every choice had a finish reason', () => {
    const failure = { cause: 'reset', detail: 'reset' } as const;
    expect(readEverySplit(sseEvents(textChunk('a'), stopChunk), { failure })).toMatchObject({
      kind: 'broken',
    });
  });

  it('is an error after an error in mid-stream, however the connection ends', () => {
    const failure = { cause: 'reset', detail: 'reset' } as const;
    expect(
      readEverySplit(sseEvents(textChunk('a'), { error: 'no luck' }), { failure }),
    ).toMatchObject({
      kind: 'malformed',
      issue: 'stream-error',
    });
  });

  it('has a byte limit, exact to the byte', () => {
    const body = sseEvents(textChunk('a'), stopChunk, doneData);
    const caps = { bytes: body.length, events: 100 };
    expect(readEverySplit(body, {}, { caps })).toMatchObject({ kind: 'completed' });
    const endless = sseEvents(textChunk('a'), textChunk('b'));
    expect(
      readEverySplit(endless, {}, { caps: { bytes: endless.length - 1, events: 100 } }),
    ).toEqual({
      kind: 'broken',
      cause: 'too-large',
      detail: matching(new RegExp(`longer than ${endless.length - 1} bytes`)),
      partial: including({ tokenInstants: 1 }),
    });
  });

  it('has a limit of events', () => {
    const caps = { bytes: 10_000, events: 3 };
    expect(
      readEverySplit(sseEvents(textChunk('a'), stopChunk, doneData), {}, { caps }),
    ).toMatchObject({
      kind: 'completed',
    });
    expect(
      readEverySplit(sseEvents(textChunk('a'), textChunk('b'), stopChunk, doneData), {}, { caps }),
    ).toEqual({
      kind: 'broken',
      cause: 'too-large',
      detail: matching(/more than 3 events/),
      partial: including({ tokenInstants: 2 }),
    });
  });

  it('has a limit for one line, and asks to be aborted there', () => {
    const reader = readerFor('chat-stream', contextWith({ caps: { bytes: 1e9, events: 1e9 } }));
    reader.onHeaders(headAt, 200, { 'content-type': 'text/event-stream' });
    reader.onChunk(readAt(0), Buffer.from(sseEvent(textChunk('a'))));
    const part = Buffer.alloc(1024 * 1024, 'x');
    for (let read = 1; read <= 4; read += 1) {
      reader.onChunk(readAt(read), part);
      expect(reader.abortReason).toBeNull();
    }
    reader.onChunk(readAt(5), part);
    expect(reader.abortReason).toMatchObject({ cause: 'too-large' });
  });
});

describe('a response counts as answering', () => {
  it('from the first token on, not from the first event', () => {
    const reader = readerFor('chat-stream', contextWith());
    reader.onHeaders(headAt, 200, { 'content-type': 'text/event-stream' });
    reader.onChunk(readAt(0), Buffer.from(sseEvent(chatChunk({ role: 'assistant', content: '' }))));
    expect(reader.isAnswering).toBe(false);
    reader.onChunk(readAt(1), Buffer.from(sseEvent(textChunk('a'))));
    expect(reader.isAnswering).toBe(true);
  });

  it('from the body of a refusal on', () => {
    const reader = readerFor('chat-stream', contextWith());
    reader.onHeaders(headAt, 500, {});
    expect(reader.isAnswering).toBe(false);
    reader.onChunk(readAt(0), Buffer.from('x'));
    expect(reader.isAnswering).toBe(true);
  });
});
