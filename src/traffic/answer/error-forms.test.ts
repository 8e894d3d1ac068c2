import { describe, expect, it } from 'vitest';
import { contextWith, replay, type ReplayedResponse } from '../kinds/replay.fixture.ts';
import {
  chatChunk,
  doneData,
  expectCompleted,
  expectMalformed,
  readEverySplit,
  sseEvent,
  sseEvents,
  stopChunk,
  textChunk,
} from '../kinds/stream-bodies.fixture.ts';
import { readRefusal } from './read-refusal.ts';

const same = (text: string): string => text;

/** The wire tests cut at every byte. Here the forms differ and not the reading, so one cut in thirteen will do. */
const readSplit = (body: string, response: ReplayedResponse = {}): object =>
  readEverySplit(body, response, {}, 13);

/** Errors as servers write them; all say `no luck`. */
const forms: readonly (readonly [server: string, body: unknown])[] = [
  ['the OpenAI API', { error: { message: 'no luck', type: 'server_error', code: null } }],
  ['Gemini, as a list', [{ error: { code: 503, message: 'no luck', status: 'UNAVAILABLE' } }]],
  ['a list of errors within an error', { error: [{ message: 'no luck' }] }],
  ['an error within an error', { error: { error: { message: 'no luck' } } }],
  ['Cloudflare', { success: false, errors: [{ code: 7009, message: 'no luck' }], result: null }],
  ['one error named errors', { errors: { message: 'no luck' } }],
  ['texts named errors', { errors: ['no luck'] }],
  ['AWS Lambda', { errorMessage: 'no luck', errorType: 'Sandbox.Timedout' }],
  ['AWS', { __type: 'ThrottlingException', message: 'no luck' }],
  ['AWS, by its capital', { __type: 'X', Message: 'no luck' }],
  ['Amazon Bedrock', { modelStreamErrorException: { message: 'no luck' } }],
  ['Amazon Bedrock, as an API of streams', { internalServerException: { message: 'no luck' } }],
  ['Baidu Qianfan', { error_code: 336_000, error_msg: 'no luck' }],
  ['WeChat', { errcode: 40_001, errmsg: 'no luck' }],
  ['Zhipu', { code: 1305, msg: 'no luck' }],
  ['DashScope', { code: 'Throttling', message: 'no luck', request_id: 'x' }],
  ['NVIDIA Dynamo', { message: 'no luck', type: 'Service Unavailable', code: 503 }],
  ['iFlytek Spark', { header: { code: 10_013, message: 'no luck', sid: 'x', status: 2 } }],
  ['Tencent Cloud', { Response: { Error: { Code: 'X', Message: 'no luck' }, RequestId: 'x' } }],
  ['Volcengine', { ResponseMetadata: { Error: { Code: 'X', Message: 'no luck' } } }],
  ['Apigee', { fault: { faultstring: 'no luck', detail: { errorcode: 'x' } } }],
  ['MiniMax', { base_resp: { status_code: 1002, status_msg: 'no luck' } }],
  [
    'MiniMax, with no choices',
    { choices: null, base_resp: { status_code: 1, status_msg: 'no luck' } },
  ],
  ['Hapi and Nest', { statusCode: 503, message: 'no luck' }],
  ['RFC 9457', { type: 'about:blank', title: 'no luck', status: 503 }],
  ['a flag', { success: false, message: 'no luck' }],
  ['a word of the status', { status: 'error', message: 'no luck' }],
  ['the Responses API', { type: 'response.failed', response: { error: { message: 'no luck' } } }],
  ['Text Generation Inference', { error: 'no luck', error_type: 'overloaded' }],
];
const named = forms.map(([server, body]) => ({ server, body }));

describe('an error as JSON', () => {
  it.each(named)('of $server fails a stream with its sentence, also before [DONE]', ({ body }) => {
    const expected = expectMalformed('stream-error', /: no luck$/, { tokenInstants: 1 });
    expect(readSplit(sseEvents(textChunk('a'), body as object, doneData))).toEqual(expected);
    const late = sseEvents(textChunk('a'), stopChunk, body as object, doneData);
    expect(readSplit(late)).toEqual(expected);
  });

  it.each(named)('of $server fails a whole chat of status 200', ({ body }) => {
    const read = Buffer.from(JSON.stringify(body));
    expect(
      replay('chat', [read], { headers: { 'content-type': 'application/json' } }, contextWith()),
    ).toMatchObject({
      kind: 'malformed',
      issue: 'stream-error',
      detail: expect.stringMatching(/: no luck$/),
    });
  });

  it.each(named)('of $server is the message of a refusal', ({ body }) => {
    const text = JSON.stringify(body);
    expect(readRefusal(503, { text, isTruncated: false }, same).message).toBe('no luck');
  });
});

describe('no error', () => {
  it.each([
    { type: 'ping' },
    { message: 'loading', status: 'loading' },
    { code: 0, message: 'Success', sid: 'x' },
    { code: 200, message: 'OK' },
    { errcode: 0, errmsg: 'ok' },
    { header: { code: 0, message: 'Success', status: 1 } },
    { type: 'response.completed', response: { error: null, status: 'completed' } },
    { type: 'response.output_item.done', item: { code: 'print(1)', message: 'x' } },
    { error: null },
    { error: 0 },
    { errors: [] },
  ])('is an event %j without choices', (event) => {
    const body = sseEvents(textChunk('a'), event, textChunk('b'), stopChunk, doneData);
    expect(readSplit(body)).toEqual(expectCompleted({ tokenInstants: 2, finish: 'stop' }));
  });

  it.each([
    { error: {} },
    { error: { message: '', type: '', param: null, code: null } },
    { error: 0 },
    { errors: [{ message: 'a warning of the server' }] },
    { code: 200, message: 'OK' },
    { error: 'None' },
    { error: 'null' },
    { error: { code: '0', message: 'Success' } },
    { error_code: 0, error_msg: 'ok', success: true, status: 'completed' },
    { code: 500, message: 'a word of the server' },
    // Azure OpenAI reports in this way that its content filter did not work, beside an answer that is whole.
    { content_filter_result: { error: { code: 'content_filter_error', message: 'x' } } },
  ])('is %j beside choices', (fields) => {
    const chunk = { ...textChunk('a'), ...fields };
    expect(readSplit(sseEvents(chunk, stopChunk, doneData))).toEqual(
      expectCompleted({ tokenInstants: 1, finish: 'stop' }),
    );
    const whole = {
      choices: [{ index: 0, message: { content: 'a' }, finish_reason: 'stop' }],
      ...fields,
    };
    expect(
      replay('chat', [Buffer.from(JSON.stringify(whole))], {
        headers: { 'content-type': 'application/json' },
      }).kind,
    ).toBe('completed');
  });
});

describe('a failure beside choices', () => {
  it.each([
    { error: true },
    { error: 'no luck' },
    { error_msg: 'no luck', error_code: 18 },
    { errorMessage: 'no luck' },
    { err: { message: 'no luck' } },
    { exception: 'no luck' },
    { success: false, message: 'no luck' },
    { ok: false },
    { status: 'failed', message: 'no luck' },
    { status: 503 },
  ])('is %j', (fields) => {
    const chunk = { ...textChunk('a'), ...fields };
    const outcome = readSplit(sseEvents(chunk, stopChunk, doneData));
    expect(outcome).toMatchObject({ kind: 'malformed', issue: 'stream-error' });
    const whole = {
      choices: [{ index: 0, message: { content: 'a' }, finish_reason: 'stop' }],
      ...fields,
    };
    expect(replay('chat', [Buffer.from(JSON.stringify(whole))])).toMatchObject({
      kind: 'malformed',
      issue: 'stream-error',
    });
    if (JSON.stringify(fields).includes('no luck'))
      expect(JSON.stringify(outcome)).toContain('no luck');
  });

  it('has the sentence of the AI SDK’s error event', () => {
    const body = sseEvents(textChunk('a'), { type: 'error', errorText: 'no luck' }, doneData);
    expect(JSON.stringify(readSplit(body))).toContain('no luck');
  });
});

describe('an error within a choice of a stream', () => {
  it.each([
    { delta: {}, finish_reason: null, error: { code: 502, message: 'no luck' } },
    { delta: { content: '', error: { message: 'no luck' } }, finish_reason: null },
    { delta: {}, finish_reason: 'error', error: 'no luck' },
    { delta: {}, finish_reason: 'stop', error: { error: { message: 'no luck' } } },
  ])('is one, with its sentence: %j', (choice) => {
    const failed = { choices: [{ index: 0, ...choice }] };
    expect(readSplit(sseEvents(textChunk('a'), failed, doneData))).toEqual(
      expectMalformed('stream-error', /: no luck$/, { tokenInstants: 1 }),
    );
  });
});

describe('an event with the name of an error', () => {
  it.each([
    'error',
    'ERROR',
    'stream_error',
    'internalServerException',
    'response.failed',
    'failure',
  ])('%s fails the stream, with its data as the sentence', (type) => {
    for (const data of ['no luck', '{"message":"no luck"}', '{"response":{"error":"no luck"}}']) {
      const body = `${sseEvent(textChunk('a'))}event: ${type}\n${sseEvent(data)}${sseEvent(doneData)}`;
      expect(readSplit(body)).toEqual(
        expectMalformed('stream-error', /: no luck$/, { tokenInstants: 1 }),
      );
    }
  });

  it('may have a comment instead of data, as Dynamo writes it, or neither', () => {
    for (const [lines, message] of [
      [': "no luck"\n', /: no luck$/],
      ['', /: no message$/],
    ] as const) {
      const body = `${sseEvent(textChunk('a'))}event: error\n${lines}\n${sseEvent(doneData)}`;
      const outcome = readSplit(body);
      expect(outcome).toMatchObject({
        kind: 'malformed',
        issue: 'stream-error',
        detail: expect.stringMatching(message),
      });
    }
  });

  it('is another one than a ping without data', () => {
    const body = `${sseEvent(textChunk('a'))}event: ping\n: error\n\n${sseEvents(stopChunk, doneData)}`;
    expect(readSplit(body)).toEqual(expectCompleted({ tokenInstants: 1, finish: 'stop' }));
  });
});

describe('an error outside events', () => {
  it('may have several lines, as Google writes JSON', () => {
    const error = JSON.stringify([{ error: { code: 503, message: 'no luck' } }], null, 2);
    expect(readSplit(`${sseEvent(textChunk('a'))}${error}\n\n${sseEvent(doneData)}`)).toEqual(
      expectMalformed('stream-error', /: no luck$/, { tokenInstants: 1, notes: ['stray-line'] }),
    );
  });

  it.each([
    'error: {"code":500,"message":"no luck","type":"server_error"}',
    '{"error":{"code":500,"message":"no luck","type":"server_error"}}',
    'error: no luck',
    'error: {"message":"no luck"}\nid: 7',
  ])('fails the stream before [DONE], as llama.cpp and Lemonade wrote it: %s', (line) => {
    const body = `${sseEvents(textChunk('a'), textChunk('b'))}${line}\n\n${sseEvent(doneData)}`;
    expect(readSplit(body)).toMatchObject({
      kind: 'malformed',
      issue: 'stream-error',
      detail: expect.stringMatching(/: no luck$/),
      partial: { tokenInstants: 2 },
    });
  });

  it('may be one of the lines of JSON that came instead of a stream', () => {
    const lines = `${JSON.stringify(chatChunk({ content: 'a' }))}\n{"error":"no luck"}\n`;
    expect(readSplit(lines, { headers: { 'content-type': 'application/x-ndjson' } })).toEqual(
      expectMalformed('stream-error', /lines of JSON .*: no luck$/, null),
    );
  });
});

describe('an error that breaks off', () => {
  it.each([
    '{"error":{"message":"no luck","ty',
    '{"error": {"message": "no luck"',
    '[{"error":{"message":"no luck"',
  ])('within JSON is quoted: %s', (cut) => {
    const headers = { 'content-type': 'application/json' };
    expect(replay('chat', [Buffer.from(cut)], { headers })).toMatchObject({
      issue: 'stream-error',
      detail: expect.stringMatching(/: no luck$/),
    });
    for (const start of ['data: ', ''])
      expect(readSplit(`${sseEvent(textChunk('a'))}${start}${cut}`)).toMatchObject({
        issue: 'stream-error',
        detail: expect.stringMatching(/: no luck$/),
      });
  });

  it.each(['{"error":null,"id":"x","choi', '{"choices":[{"error":"x', '{"error":'])(
    'is not %s',
    (cut) => {
      expect(readSplit(`${sseEvent(textChunk('a'))}data: ${cut}`)).toMatchObject({
        issue: 'stream-truncated',
      });
    },
  );
});

describe('a choice that failed by another field', () => {
  const choices: readonly (readonly [choice: object, sentence: string])[] = [
    [{ finish_reason: 'stop', native_finish_reason: 'abort' }, '"abort"'],
    [{ finish_reason: null, native_finish_reason: 'network_error' }, '"network_error"'],
    [{ finish_reason: 'length', native_finish_reason: 'ERROR_LIMIT' }, '"ERROR_LIMIT"'],
    [{ finish_reason: null, stop_reason: 'error' }, '"error"'],
    [{ finish_details: { type: 'abort' } }, '"abort"'],
    [{ finish_reason: 'stop', error_message: 'no luck' }, 'no luck'],
    [{ finish_reason: 'stop', status: 'failed', reason: 'no luck' }, 'no luck'],
    [{ finish_reason: 'stop', success: false }, 'itself says that it failed'],
  ];

  it.each(choices)('%j fails a whole chat and a stream', (choice, sentence) => {
    const text = { content: 'a' };
    const whole = { choices: [{ index: 0, message: text, ...choice }] };
    const streamed = { choices: [{ index: 0, delta: text, ...choice }] };
    for (const outcome of [
      replay('chat', [Buffer.from(JSON.stringify(whole))]),
      readEverySplit(sseEvents(streamed, doneData)),
    ]) {
      expect(outcome).toMatchObject({ kind: 'malformed', issue: 'stream-error' });
      expect((outcome as { detail: string }).detail).toContain(sentence);
    }
  });

  it.each([
    { finish_reason: 'stop', native_finish_reason: 'end_turn' },
    { finish_reason: 'stop', stop_reason: 128_009 },
    { finish_reason: 'stop', stop_reason: 'error' },
    { finish_reason: 'stop', status: 'completed', success: true },
    { native_finish_reason: 'STOP' },
  ])('%j fails none', (choice) => {
    const streamed = { choices: [{ index: 0, delta: { content: 'a' }, ...choice }] };
    expect(readEverySplit(sseEvents(streamed, doneData))).toMatchObject({ kind: 'completed' });
  });

  it.each([{ done_reason: 'error' }, { stop_reason: 'overloaded' }, { status: 'cancelled' }])(
    'a document with %j failed, too',
    (fields) => {
      const whole = { choices: [{ index: 0, message: { content: 'a' } }], ...fields };
      const streamed = { choices: [{ index: 0, delta: { content: 'a' } }], ...fields };
      expect(replay('chat', [Buffer.from(JSON.stringify(whole))])).toMatchObject({
        issue: 'stream-error',
      });
      expect(readEverySplit(sseEvents(streamed, doneData))).toMatchObject({
        issue: 'stream-error',
      });
    },
  );
});

it('a reason at the top is that of a whole chat’s choices without one, in whatever field and spelling they have it', () => {
  const finishOf = (choice: object): unknown => {
    const message = { content: 'a' };
    const whole = { choices: [{ index: 0, message, ...choice }], done_reason: 'length' };
    return replay('chat', [Buffer.from(JSON.stringify(whole))]);
  };
  const ended = (finish: string): object => ({ kind: 'completed', answer: { finish } });
  expect(finishOf({ finish_reason: '' })).toMatchObject(ended('length'));
  expect(finishOf({ finish_reason: 'null' })).toMatchObject(ended('length'));
  expect(finishOf({ finishReason: 'STOP' })).toMatchObject(ended('STOP'));
});

describe('an event that says only that something failed', () => {
  it.each([
    [sseEvent({ success: false }), /itself says that it failed$/],
    [sseEvent({ status: 'failed', id: 'x' }), /itself says that it failed$/],
    [sseEvent('"Internal Server Error: no luck"'), /no luck$/],
    [`event: abort\n${sseEvent('{"reason":"no luck"}')}`, /: no luck$/],
    [`event: timeout\n${sseEvent('no luck')}`, /: no luck$/],
    [`event: err\n${sseEvent('no luck')}`, /: no luck$/],
  ])('fails the stream: %j', (event, detail) => {
    expect(
      readEverySplit(`${sseEvent(textChunk('a'))}${event}${sseEvents(stopChunk, doneData)}`),
    ).toMatchObject({
      issue: 'stream-error',
      detail: expect.stringMatching(detail),
    });
  });

  it('is no event without anything in it', () => {
    expect(readEverySplit(sseEvents(textChunk('a'), 'null', stopChunk, doneData))).toMatchObject({
      kind: 'completed',
      answer: { notes: ['other-event'] },
    });
  });
});

it('an event with the name of an error, instead of a whole chat, is one', () => {
  const body = Buffer.from('event: error\ndata: no luck\n\n');
  expect(replay('chat', [body])).toMatchObject({
    issue: 'stream-error',
    detail: expect.stringMatching(/: no luck$/),
  });
});

it('a body of the wrong shape is quoted by its message', () => {
  const body = Buffer.from('{"message":"no Route matched","request_id":"x"}');
  expect(replay('chat', [body], { headers: { 'content-type': 'application/json' } })).toMatchObject(
    { issue: 'shape', detail: expect.stringMatching(/; the server also wrote: no Route matched$/) },
  );
});

it.each(['internal error happened', 'upstream connect error or disconnect/reset before headers'])(
  'an event that is not JSON is quoted: %s',
  (text) => {
    const body = `${sseEvent(textChunk('a'))}data: ${text}\n\n`;
    const detail = `event 2 is not a chat completion chunk: it is not JSON: ${JSON.stringify(text)}`;
    expect(readSplit(body)).toMatchObject({
      kind: 'malformed',
      issue: 'stream-event',
      detail,
    });
  },
);

it('the text of FastChat is an error if its code says so', () => {
  const error = { text: '**NETWORK ERROR**', error_code: 50_001 };
  const body = sseEvents(textChunk('a'), error, doneData);
  expect(readSplit(body)).toMatchObject({
    issue: 'stream-error',
    detail: 'an error within the stream: **NETWORK ERROR**',
  });
  const served = sseEvents(textChunk('a'), { ...error, error_code: 0 }, stopChunk, doneData);
  expect(readSplit(served)).toMatchObject({ kind: 'completed' });
});
