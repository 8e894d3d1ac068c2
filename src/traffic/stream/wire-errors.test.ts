import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  chatChunk,
  expectCompleted,
  doneData,
  sseEvent,
  sseEvents,
  expectMalformed,
  matching,
  readEverySplit,
  stopChunk,
  textChunk,
  usageFields,
} from '../kinds/stream-bodies.fixture.ts';

const twoTokens = { tokenInstants: 2, finish: 'stop', notes: [] };

describe('an error in a streamed chat, however it is cut,', () => {
  it('ends the stream in the middle and keeps what was received', () => {
    const error = { error: { message: 'CUDA out of memory', type: 'server_error', code: 500 } };
    const partial = { tokenInstants: 2, finish: null };
    for (const end of ['', sseEvent(doneData), sseEvent(textChunk('c'))]) {
      expect(readEverySplit(sseEvents(textChunk('a'), textChunk('b'), error) + end)).toEqual(
        expectMalformed(
          'stream-error',
          /^an error within the stream: CUDA out of memory$/,
          partial,
        ),
      );
    }
  });

  it.each([
    ['an error body', '{"error":{"message":"no luck"}}'],
    ['the inner part of one', '{"message":"no luck","code":500}'],
    ['a string in JSON', '"no luck"'],
    ['plain text', 'no luck'],
  ])('is an event named error with %s', (_, data) => {
    expect(readEverySplit(`${sseEvent(textChunk('a'))}event: error\n${sseEvent(data)}`)).toEqual(
      expectMalformed('stream-error', /: no luck$/, { tokenInstants: 1 }),
    );
  });

  it.each([
    { object: 'error', message: 'no luck', type: 'BadRequest', code: 400 },
    { error: 'no luck' },
    { detail: 'no luck' },
    { ...chatChunk({ content: '' }, 'error'), error: { message: 'no luck' } },
    { error: 'no luck', error_type: 'overloaded' },
    { error: { message: 'no luck' }, message: 'no luck' },
    { ...stopChunk, x_groq: { id: 'req_1', error: 'no luck' } },
  ])('is read in the form %j', (form) => {
    expect(readEverySplit(sseEvents(textChunk('a'), form))).toEqual(
      expectMalformed('stream-error', /: no luck$/, { tokenInstants: 1 }),
    );
  });

  it('is not `error: null`', () => {
    const body = sseEvents({ ...textChunk('a'), error: null }, textChunk('b'), stopChunk, doneData);
    expect(readEverySplit(body)).toEqual(expectCompleted(twoTokens));
  });

  it('is a finish_reason "error"', () => {
    expect(
      readEverySplit(sseEvents(textChunk('a'), chatChunk({ content: 'b' }, 'error'), doneData)),
    ).toEqual(
      expectMalformed('stream-error', /finish_reason "error"/, {
        tokenInstants: 2,
        finish: 'error',
      }),
    );
  });

  it.each([
    ['that is not JSON', '{"choices":[', /^event 2 .*: it is not JSON$/],
    ['that is not an object', '17', /^event 2 .*: it is JSON, but not an object$/],
    ['whose choices are not a list', '{"choices":{}}', /^event 2 .*: choices: /],
    [
      'whose content is not text',
      '{"choices":[{"delta":{"content":7}}]}',
      /choices\.0\.delta\.content: /,
    ],
  ])('is an event %s, which is not quoted', (_, data, detail) => {
    expect(readEverySplit(sseEvents(textChunk('a'), data, stopChunk, doneData))).toEqual(
      expectMalformed('stream-event', detail, { tokenInstants: 1 }),
    );
  });

  it('is not an empty event or a JSON object of another kind, which get a note', () => {
    const body = `data:\n\n${sseEvents({ type: 'ping' }, textChunk('a'), stopChunk, doneData)}`;
    expect(readEverySplit(body)).toEqual(
      expectCompleted({ tokenInstants: 1, notes: ['empty-event', 'other-event'] }),
    );
  });

  it.each([
    ['no bytes', '', /^the body is empty/],
    ['blank lines', '\n\r\n\n', /^no event has choices/],
    ['comments', ': ping\n\n: ping\n\n', /^no event has choices/],
    ['[DONE] alone', sseEvent(doneData), /^no event has choices/],
    [
      'usage alone',
      sseEvents({ choices: [], usage: usageFields(1) }, doneData),
      /^no event has choices/,
    ],
  ])('is an empty stream with %s', (_, body, detail) => {
    expect(readEverySplit(body)).toMatchObject({
      kind: 'malformed',
      issue: 'empty',
      detail: matching(detail),
    });
  });

  it('has its secrets masked', () => {
    const redact = (said: string): string => said.replaceAll('sk-secret', '[redacted]');
    const body = sseEvent({ error: { message: `${'x'.repeat(295)} sk-secret` } });
    expect(JSON.stringify(readEverySplit(body, {}, { redact }))).not.toContain('sk-');
  });
});

describe('lines of JSON in a stream that are no events', () => {
  const stray = (lines: string): string =>
    `${sseEvent(textChunk('a'))}${lines}\n${sseEvents(stopChunk, doneData)}`;

  it.each([
    ['after another whole line', '{"status":"x"}\n{"error":"no luck"}\n'],
    ['before another whole line', '{"error":"no luck"}\n{"status":"x"}\n'],
    ['over several lines, after a whole one', '{"status":"x"}\n{\n"error":\n"no luck"\n}\n'],
    ['after the start of an object that never ends', '{"status":\n{"error":"no luck"}\n'],
  ])('are an error %s', (_, lines) => {
    expect(readEverySplit(stray(lines))).toMatchObject({
      issue: 'stream-error',
      detail: matching(/no luck/),
    });
  });
});

describe('the event that holds the usage', () => {
  it('may have fields of the server’s own, with a code that is none of an error', () => {
    const own = { provider: { code: 3, description: 'eu' } };
    const last = { choices: [], usage: usageFields(1), ...own };
    expect(readEverySplit(sseEvents(textChunk('a'), stopChunk, last, doneData))).toMatchObject({
      kind: 'completed',
    });
  });
});

describe('a finish reason of a stream', () => {
  it.each([
    'engine_error',
    'upstream-timeout',
    'Aborted by client',
    'kv_cache_out_of_memory',
    'timed_out',
    'FinishReason.ABORT',
    'resource_exhausted',
    'DEADLINE_EXCEEDED',
    'throttled',
    'rate_limit',
    'APIError',
    'engineDead',
    'server_busy',
    'load_shed',
    'queue full',
    'insufficient_quota',
    'worker_lost',
    'engineDied',
    'connection_reset',
    'backend unreachable',
    'request_expired',
  ])('%j fails the answer by its words, although no server is known for it', (reason) => {
    const body = sseEvents(textChunk('a'), chatChunk({}, reason), doneData);
    expect(readEverySplit(body)).toMatchObject({ kind: 'malformed', issue: 'stream-error' });
  });

  it.each([
    'terror',
    'abortive',
    'failover_done',
    'default',
    'refused',
    'presets',
    'kv_full',
    'no_error',
    'not-cancelled',
    'OTHER',
    'deadline',
  ])('%j completes the answer with a note, since nobody knows it', (reason) => {
    const body = sseEvents(textChunk('a'), chatChunk({}, reason), doneData);
    expect(readEverySplit(body)).toEqual(expectCompleted({ notes: ['finish-unknown'] }));
  });

  it.each([
    'MALFORMED_FUNCTION_CALL',
    'IMAGE_SAFETY',
    'load',
    'TOO_MANY_TOOL_CALLS',
    'malformed_tool_use',
    'end_of_text',
    'normal',
  ])('%j is known', (reason) => {
    const body = sseEvents(textChunk('a'), chatChunk({}, reason), doneData);
    expect(readEverySplit(body)).toEqual(expectCompleted({ notes: [] }));
  });

  it('has its secrets masked before it is shortened', () => {
    const secret = `sk-${'s'.repeat(80)}`;
    const redact = (said: string): string => said.replaceAll(secret, '[redacted]');
    for (const reason of [secret, `denied: ${secret}`, { type: secret }, [secret]]) {
      const finish = reason as string;
      const body = sseEvents(textChunk('a'), chatChunk({}, finish), doneData);
      const outcome = JSON.stringify(readEverySplit(body, {}, { redact }));
      expect(outcome).toContain('[redacted]');
      expect(outcome).not.toContain('sk-');
    }
  });

  it('has at most 60 characters, in the notes of a failure too', () => {
    const body = sseEvents(textChunk('a'), chatChunk({}, 'x'.repeat(90)), doneData);
    expect(readEverySplit(body)).toEqual(
      expectCompleted({ finish: 'x'.repeat(60), notes: ['finish-unknown'] }),
    );
    const failed = readEverySplit(body, {}, { fails: ['x'.repeat(90)] });
    expect(failed).toEqual(expectMalformed('stream-error', /finish_reason "x{60}"$/, {}));
    expect(JSON.stringify(failed)).not.toContain('x'.repeat(61));
  });

  it.each([
    ['content_filter', 'CONTENT_FILTER'],
    ['length', 'max_tokens'],
    ['MAX_TOKENS', 'length'],
  ])('fails the answer if the scenario names it as %s and the server as %s', (named, sent) => {
    const body = sseEvents(textChunk('a'), chatChunk({}, sent), doneData);
    expect(readEverySplit(body)).toEqual(expectCompleted({ finish: sent }));
    const failed = readEverySplit(body, {}, { fails: [named] });
    expect(failed).toEqual(expectMalformed('stream-error', new RegExp(`"${sent}"$`), {}));
  });
});

describe('a body instead of a stream, however it is cut,', () => {
  it.each(['application/json', 'text/event-stream', undefined])(
    'is a stream error for JSON with an error and status 200, labelled %s',
    (type) => {
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
      for (const space of ['', '\n', '\ufeff ']) {
        const body = `${space}{"error":{"message":"no luck","type":"x","code":"y"}}`;
        expect(readEverySplit(body, { headers })).toEqual(
          expectMalformed('stream-error', /instead of a stream: no luck$/, null),
        );
      }
    },
  );

  it('is a wrong content type for a whole completion', () => {
    const body = JSON.stringify({ choices: [{ message: { content: 'hello' } }] });
    expect(readEverySplit(body, { headers: { 'content-type': 'application/json' } })).toEqual(
      expectMalformed(
        'content-type',
        /a whole chat completion was returned instead of a stream; .*stream: true/,
        null,
      ),
    );
  });

  it('is a wrong content type for an HTML page of status 200, with its title', () => {
    const body = '<!DOCTYPE html><html><head><title>Log in</title></head><body>…</body></html>';
    expect(readEverySplit(body, { headers: { 'content-type': 'text/html' } })).toEqual(
      expectMalformed('content-type', /instead of a stream: Log in$/, null),
    );
  });

  it('is a wrong content type for text that is not an event stream and not labelled as one', () => {
    expect(readEverySplit('hello there', { headers: { 'content-type': 'text/plain' } })).toEqual(
      expectMalformed('content-type', /no event and is not labelled text\/event-stream/, {
        tokenInstants: 0,
      }),
    );
  });

  it('is read if it is an event stream with another label, with a note', () => {
    const body = sseEvents(textChunk('a'), textChunk('b'), stopChunk, doneData);
    expect(readEverySplit(body, { headers: { 'content-type': 'application/json' } })).toEqual(
      expectCompleted({ ...twoTokens, notes: ['content-type'] }),
    );
  });

  it('is read with that note if one event is all that it has', () => {
    const body = sseEvents(chatChunk({ content: 'a' }, 'stop'));
    expect(readEverySplit(body, { headers: { 'content-type': 'application/json' } })).toEqual(
      expectCompleted({ notes: ['content-type', 'no-done'] }),
    );
  });

  it.each([400, 500, 503])(
    'is refused with status %d, even if labelled as an event stream',
    (status) => {
      const body = sseEvent({ error: { message: 'no luck', type: 'server_error', code: 'c' } });
      expect(readEverySplit(body, { status })).toEqual({
        kind: 'refused',
        refusal: { status, form: 'error', type: 'server_error', code: 'c', message: 'no luck' },
      });
    },
  );

  it('is refused with the reason if it is compressed', () => {
    const body = gzipSync(sseEvents(textChunk('a'), stopChunk, doneData));
    const headers = { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' };
    expect(readEverySplit(body, { headers })).toEqual(
      expectMalformed(
        'content-type',
        /content encoding gzip although identity was requested/,
        null,
      ),
    );
  });
});
