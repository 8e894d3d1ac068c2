import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  chunk,
  completed,
  done,
  event,
  events,
  malformed,
  matching,
  readEveryWay,
  stop,
  text,
  usage,
} from './stream-suite.ts';

const twoTokens = { tokenInstants: 2, finish: 'stop', notes: [] };

describe('what goes wrong in a streamed chat answer, in every cut', () => {
  it('fails on an error event in mid-stream and keeps what had come', () => {
    const error = { error: { message: 'CUDA out of memory', type: 'server_error', code: 500 } };
    const partial = { tokenInstants: 2, finish: null };
    for (const end of ['', event(done), event(text('c'))]) {
      expect(readEveryWay(events(text('a'), text('b'), error) + end)).toEqual(
        malformed('stream-error', /^an error in mid-stream: CUDA out of memory$/, partial),
      );
    }
  });

  it.each([
    ['an error body', '{"error":{"message":"no luck"}}'],
    ['the inner part of one', '{"message":"no luck","code":500}'],
    ['a string in JSON', '"no luck"'],
    ['plain text', 'no luck'],
  ])('fails on an event named error with %s', (_, data) => {
    expect(readEveryWay(`${event(text('a'))}event: error\n${event(data)}`)).toEqual(
      malformed('stream-error', /: no luck$/, { tokenInstants: 1 }),
    );
  });

  it.each([
    { object: 'error', message: 'no luck', type: 'BadRequest', code: 400 },
    { error: 'no luck' },
    { detail: 'no luck' },
    { ...chunk({ content: '' }, 'error'), error: { message: 'no luck' } },
  ])('fails on the error form %j', (form) => {
    expect(readEveryWay(events(text('a'), form))).toEqual(
      malformed('stream-error', /: no luck$/, { tokenInstants: 1 }),
    );
  });

  it('does not take `error: null` for an error', () => {
    const body = events({ ...text('a'), error: null }, text('b'), stop, done);
    expect(readEveryWay(body)).toEqual(completed(twoTokens));
  });

  it('fails on finish_reason "error"', () => {
    expect(readEveryWay(events(text('a'), chunk({ content: 'b' }, 'error'), done))).toEqual(
      malformed('stream-error', /finish_reason "error"/, { tokenInstants: 2, finish: 'error' }),
    );
  });

  it.each([
    ['that is not JSON', '{"choices":[', /^event 2 .*: it is not JSON$/],
    ['that is no object', '17', /^event 2 .*: it is JSON, but no object$/],
    ['whose choices are no list', '{"choices":{}}', /^event 2 .*: choices: /],
    [
      'whose content is no text',
      '{"choices":[{"delta":{"content":7}}]}',
      /choices\.0\.delta\.content: /,
    ],
  ])('is malformed by an event %s, without quoting it', (_, data, detail) => {
    expect(readEveryWay(events(text('a'), data, stop, done))).toEqual(
      malformed('stream-event', detail, { tokenInstants: 1 }),
    );
  });

  it('tolerates empty events and JSON objects of another kind, and notes them', () => {
    const body = `data:\n\n${events({ type: 'ping' }, text('a'), stop, done)}`;
    expect(readEveryWay(body)).toEqual(
      completed({ tokenInstants: 1, notes: ['empty-event', 'other-event'] }),
    );
  });

  it.each([
    ['no bytes', '', /^the body is empty/],
    ['blank lines', '\n\r\n\n', /^no event has choices/],
    ['comments', ': ping\n\n: ping\n\n', /^no event has choices/],
    ['[DONE] alone', event(done), /^no event has choices/],
    ['usage alone', events({ choices: [], usage: usage(1) }, done), /^no event has choices/],
  ])('is empty with %s', (_, body, detail) => {
    expect(readEveryWay(body)).toMatchObject({
      kind: 'malformed',
      issue: 'empty',
      detail: matching(detail),
    });
  });

  it('masks secrets in what an error says', () => {
    const redact = (said: string): string => said.replaceAll('sk-secret', '[redacted]');
    const body = event({ error: { message: `${'x'.repeat(295)} sk-secret` } });
    expect(JSON.stringify(readEveryWay(body, {}, { redact }))).not.toContain('sk-');
  });
});

describe('what comes in place of a stream, in every cut', () => {
  it.each(['application/json', 'text/event-stream', undefined])(
    'calls a JSON error of status 200 a stream error, labelled %s',
    (type) => {
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
      for (const space of ['', '\n', '\ufeff ']) {
        const body = `${space}{"error":{"message":"no luck","type":"x","code":"y"}}`;
        expect(readEveryWay(body, { headers })).toEqual(
          malformed('stream-error', /in place of a stream: no luck$/, null),
        );
      }
    },
  );

  it('calls a whole completion in place of a stream a wrong content type', () => {
    const body = JSON.stringify({ choices: [{ message: { content: 'hello' } }] });
    expect(readEveryWay(body, { headers: { 'content-type': 'application/json' } })).toEqual(
      malformed(
        'content-type',
        /a whole chat completion came in place of a stream; .*stream: true/,
        null,
      ),
    );
  });

  it('calls an HTML page of status 200 a wrong content type and gives its title', () => {
    const body = '<!DOCTYPE html><html><head><title>Log in</title></head><body>…</body></html>';
    expect(readEveryWay(body, { headers: { 'content-type': 'text/html' } })).toEqual(
      malformed('content-type', /in place of a stream: Log in$/, null),
    );
  });

  it('calls text that is neither labelled nor an event stream a wrong content type', () => {
    expect(readEveryWay('hello there', { headers: { 'content-type': 'text/plain' } })).toEqual(
      malformed('content-type', /neither labelled text\/event-stream nor/, { tokenInstants: 0 }),
    );
  });

  it('reads an event stream that is labelled as something else, and notes it', () => {
    const body = events(text('a'), text('b'), stop, done);
    expect(readEveryWay(body, { headers: { 'content-type': 'application/json' } })).toEqual(
      completed({ ...twoTokens, notes: ['content-type'] }),
    );
  });

  it.each([400, 500, 503])(
    'is refused with status %d, though labelled as an event stream',
    (status) => {
      const body = event({ error: { message: 'no luck', type: 'server_error', code: 'c' } });
      expect(readEveryWay(body, { status })).toEqual({
        kind: 'refused',
        refusal: { status, form: 'error', type: 'server_error', code: 'c', message: 'no luck' },
      });
    },
  );

  it('refuses a compressed stream and says why', () => {
    const body = gzipSync(events(text('a'), stop, done));
    const headers = { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' };
    expect(readEveryWay(body, { headers })).toEqual(
      malformed('content-type', /content encoding gzip although identity was asked/, null),
    );
  });
});
