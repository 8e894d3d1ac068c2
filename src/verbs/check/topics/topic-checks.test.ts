import { describe, expect, it } from 'vitest';
import { limitHeaders } from '../../../contract/limit-headers.ts';
import { redactor } from '../../../model/plan/secret.ts';
import { checkTable } from '../suite/check-table.ts';
import { CheckAnswer, type ReceivedAnswer } from '../reading/check-answer.ts';
import type { CheckTarget, Judged } from '../reading/check-case.ts';

const target = { chat: 'a/b', speech: 's', transcription: 'a/w', listed: [] };

const answerWith = (
  requestId: string,
  received: Partial<ReceivedAnswer>,
  fails: readonly string[] = [],
): CheckAnswer =>
  new CheckAnswer(
    requestId,
    {
      status: 200,
      headers: {},
      body: Buffer.from('{}'),
      encoding: null,
      failure: null,
      isLeftOpen: false,
      took: 0,
      ...received,
    },
    { method: 'GET', path: '/', headers: {}, body: null },
    redactor(['sk-weir-secret']),
    fails,
  );

const judge = (
  id: string,
  answers: readonly CheckAnswer[],
  changes: Partial<CheckTarget> = {},
): Judged =>
  checkTable
    .find((check) => check.id === id)!
    .judge({
      target: { ...target, ...changes } as unknown as CheckTarget,
      of: (request) => answers.find(({ requestId }) => requestId === request) ?? null,
      limited: [],
      repeated: [],
      all: answers,
    });

const failed = (cause: 'deadline-total' | 'reset' | 'closed-on-reuse' | 'connect-refused') => ({
  status: null,
  failure: { cause, detail: 'x' },
});

describe('an upload that is too large', () => {
  const id = 'transcription-too-large';
  it.each([
    ['refused with 413', { status: 413 }, 'pass'],
    ['refused with 400', { status: 400 }, 'pass'],
    ['accepted', {}, 'violation'],
    ['ended by the gateway', failed('reset'), 'deviation'],
    ['ended by the gateway on a kept connection', failed('closed-on-reuse'), 'deviation'],
    ['not sent in time, as on a slow line', failed('deadline-total'), 'unchecked'],
    ['refused by the host', failed('connect-refused'), 'violation'],
  ] as const)('%s is judged', (_, received, outcome) => {
    expect(judge(id, [answerWith(id, received)]).outcome).toBe(outcome);
  });
});

describe('a request that must be refused', () => {
  const error = {
    error: { message: 'no', type: 'invalid_request_error', code: null, param: null },
  };
  const body = Buffer.from(JSON.stringify(error));
  it.each([
    ['unknown-model', 400, 'pass'],
    ['unknown-model', 404, 'pass'],
    ['unknown-model', 422, 'deviation'],
    ['unknown-model', 200, 'violation'],
    ['unknown-model', 500, 'violation'],
    ['broken-json', 400, 'pass'],
    ['broken-json', 404, 'violation'],
    ['no-model', 400, 'pass'],
    ['no-model', 404, 'violation'],
  ] as const)('%s is judged by its status %d: %s', (id, status, outcome) => {
    expect(judge(id, [answerWith(id, { status, body })]).outcome).toBe(outcome);
  });
});

describe('an answer that a deadline ended', () => {
  const late = failed('deadline-total');
  it.each(['chat', 'temperature-above', 'get-chat'])(
    'breaks %s, unless the deadline was cut',
    (id) => {
      expect(judge(id, [answerWith(id, late)]).outcome).toBe('violation');
      expect(judge(id, [answerWith(id, { ...late, isCutShort: true })])).toEqual({
        outcome: 'unchecked',
        observed: 'deadline-total: x, less than usual since answers before took too long',
      });
    },
  );
});

const chatOf = (choice: object, more: object = {}) => ({
  object: 'chat.completion',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop', ...choice },
  ],
  ...more,
});

describe('a chat with status 200', () => {
  it.each([
    ['ended as it should', chatOf({}), 'pass', 'status 200'],
    ['ended by its length', chatOf({ finish_reason: 'length', error: null }), 'pass', 'status 200'],
    ['ended by an unknown reason', chatOf({ finish_reason: 'satisfied' }), 'pass', 'status 200'],
    ['was aborted', chatOf({ finish_reason: 'abort' }), 'violation', 'the finish reason "abort"'],
    [
      'was aborted by an object',
      chatOf({ finish_reason: { type: 'abort', message: 'no memory' } }),
      'violation',
      'an error: no memory',
    ],
    [
      'lacked resources',
      chatOf({ finish_reason: 'insufficient_system_resource' }),
      'violation',
      'the finish reason "insufficient_system_resource"',
    ],
    [
      'failed at the server behind it',
      chatOf({ finish_reason: 'stop', native_finish_reason: 'error' }),
      'violation',
      'the finish reason "error"',
    ],
    [
      'was aborted in a wrapper',
      { result: chatOf({ finish_reason: 'abort' }), success: true },
      'violation',
      'the finish reason "abort"',
    ],
    [
      'has an error in its choice',
      chatOf({ error: { code: 502, message: 'upstream overloaded' } }),
      'violation',
      'an error: upstream overloaded',
    ],
    [
      'has an error beside its choices',
      chatOf({}, { error: 'overloaded' }),
      'violation',
      'an error: overloaded',
    ],
  ])('that %s is judged as `run` judges it', (_, body, outcome, observed) => {
    const judged = judge('chat', [answerWith('chat', { body: Buffer.from(JSON.stringify(body)) })]);
    expect(judged.outcome).toBe(outcome);
    expect(judged.observed).toContain(observed);
  });

  it('that ended by a reason that fails answers in the scenario is a violation', () => {
    const body = Buffer.from(JSON.stringify(chatOf({ finish_reason: 'satisfied' })));
    const fails = ['satisfied'];
    expect(judge('chat', [answerWith('chat', { body }, fails)])).toMatchObject({
      outcome: 'violation',
      observed: expect.stringContaining('the finish reason "satisfied"') as string,
    });
  });
});

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const chunk = (choice: object, more: object = {}): string =>
  event({
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null, ...choice }],
    ...more,
  });
const ended = chunk({ delta: {}, finish_reason: 'stop' });

describe('a stream with status 200', () => {
  it.each([
    ['ended as it should', chunk({}) + ended, 'pass', 'status 200'],
    ['has a line of no field', `${chunk({})}hello\n\n${ended}`, 'pass', 'status 200'],
    ['was aborted', chunk({ finish_reason: 'abort' }), 'violation', '"abort" in mid-stream'],
    [
      'has an event of failure',
      `${chunk({})}event: response.failed\ndata: {"message":"out of memory"}\n\n${ended}`,
      'violation',
      'an error in mid-stream: out of memory',
    ],
    [
      'has an error in a choice',
      chunk({ error: { message: 'upstream overloaded' } }) + ended,
      'violation',
      'an error in mid-stream: upstream overloaded',
    ],
    [
      'has an error as a line',
      `${chunk({})}error: {"code":500,"message":"context size exceeded"}\n\n`,
      'violation',
      'an error in mid-stream: context size exceeded',
    ],
    [
      'has an error as bare JSON over several lines',
      `${chunk({})}{"error":\n{"message":"no slot"}}\n\n`,
      'violation',
      'an error in mid-stream: no slot',
    ],
    [
      'has an event of errors that is text',
      `${chunk({})}event: error\ndata: worker died\n\n`,
      'violation',
      'an error in mid-stream: worker died',
    ],
  ])('that %s is judged as `run` judges it', (_, text, outcome, observed) => {
    const received = {
      headers: { 'content-type': 'text/event-stream' },
      body: Buffer.from(`${text}data: [DONE]\n\n`),
    };
    const judged = judge('stream', [answerWith('stream', received)]);
    expect(judged.outcome).toBe(outcome);
    expect(judged.observed).toContain(observed);
  });
});

describe('the requests that remain', () => {
  const remaining = (requestId: string, count: number): CheckAnswer =>
    answerWith(requestId, { headers: { [limitHeaders.remainingRequests]: String(count) } });
  it.each([
    ['fall', [59, 58, 40], 'pass'],
    ['stand still all the time', [60, 60, 60], 'deviation'],
    ['stand still, and fall later, as in a bucket that fills all the time', [60, 60, 55], 'open'],
    ['rise, as where a window begins', [3, 59, 58], 'open'],
  ] as const)('%s', (_, [chat, minimal, later], outcome) => {
    const answers = [
      remaining('chat', chat),
      remaining('minimal', minimal),
      remaining('tools', later),
      answerWith('get-chat', {}),
    ];
    expect(judge('remaining.falls', answers).outcome).toBe(outcome);
  });
});

describe('limit headers of another family', () => {
  const openai = {
    'x-ratelimit-limit-requests': '600',
    'x-ratelimit-remaining-requests': '599',
    'x-ratelimit-limit-tokens': '90000',
    'x-ratelimit-remaining-tokens': '89990',
  };
  const judged = (id: string, headers: Record<string, string>, headerFamily?: string): Judged =>
    judge(id, [answerWith('chat', { headers })], { headerFamily });

  it('are there under other names, and right if the gateway is said to have them', () => {
    expect(judged('headers.chat', openai)).toEqual({
      outcome: 'deviation',
      name: 'other-limit-headers',
      observed: expect.stringMatching(
        /^under other names, those of openai: x-ratelimit-limit-requests: 600, /,
      ) as string,
    });
    expect(judged('headers.chat', openai, 'openai').outcome).toBe('pass');
    expect(judged('headers.chat', openai, 'anthropic').outcome).toBe('deviation');
    expect(
      judged(
        'headers.chat',
        { ratelimit: '"default";r=50;t=30', 'ratelimit-policy': '"default";q=60;w=60' },
        'ietf',
      ).outcome,
    ).toBe('pass');
  });

  it('are judged by their values', () => {
    expect(judged('limit.requests', openai)).toEqual({
      outcome: 'open',
      observed: 'the limit is 600',
    });
    expect(judged('remaining.tokens', openai)).toEqual({
      outcome: 'pass',
      observed: '89990 of 90000',
    });
    const unknown = { ...openai, 'x-ratelimit-remaining-requests': '-1' };
    expect(judged('remaining.requests', unknown).outcome).toBe('open');
  });

  it.each([
    [
      'limit.requests',
      {
        'x-ratelimit-limit-requests': '14400',
        'x-ratelimit-remaining-requests': '14370',
        'x-ratelimit-reset-requests': '179.56s',
      },
      'the headers name 14,400 requests a day, and no requests a minute',
    ],
    [
      'limit.tokens',
      { 'anthropic-ratelimit-input-tokens-limit': '50000' },
      'the headers name 50,000 input tokens a minute, and no tokens a minute',
    ],
    [
      'remaining.tokens',
      { 'x-ratelimit-limit-tokens': '6000' },
      'no header says how many tokens remain',
    ],
    ['limit.tokens', {}, 'no header names tokens'],
    [
      'remaining.requests',
      {
        [limitHeaders.limitRequests]: '60',
        'x-ratelimit-limit-requests': '10000',
        'x-ratelimit-remaining-requests': '9998',
      },
      'no header says how many requests remain',
    ],
    [
      'limit.requests',
      { [limitHeaders.limitRequests]: 'abc' },
      `${limitHeaders.limitRequests} is no whole number`,
    ],
  ])(
    '%s calls nothing missing that is there of another time or unit: %j',
    (id, headers, observed) => {
      expect(judged(id, headers)).toEqual({ outcome: 'unchecked', observed });
    },
  );

  it('are named beside those of the interface that are missing, and their values count', () => {
    const half = {
      [limitHeaders.limitRequests]: '60',
      [limitHeaders.remainingRequests]: '59',
      'x-ratelimit-limit-tokens': '90000',
    };
    expect(judged('headers.chat', half).observed).toBe(
      `missing: ${limitHeaders.limitTokens}, ${limitHeaders.remainingTokens}; under other names there are those of openai: x-ratelimit-limit-tokens: 90000`,
    );
    expect(judged('limit.tokens', half).observed).toBe('the limit is 90000');
  });

  it('do not excuse that one of the interface’s is missing, nor that there are none', () => {
    const own = { [limitHeaders.limitRequests]: '60' };
    expect(judged('headers.chat', own).observed).toContain(
      'missing: x-ratelimit-api_key-remaining',
    );
    expect(judged('headers.chat', own).outcome).toBe('violation');
    expect(judged('headers.chat', { ...openai, ...own }).outcome).toBe('violation');
    expect(judged('headers.chat', {}, 'openai')).toMatchObject({
      outcome: 'violation',
      observed: 'missing: all four',
    });
  });
});

it.each(['models.form', 'models.audio'])(
  '%s shows the names of models without keys and escape sequences',
  (id) => {
    const name = `sk-weir-secret\u001b[31m\u202e${'x'.repeat(500)}`;
    const list = [answerWith('models', {})];
    const { observed } = judge(id, list, { chat: name, speech: name, transcription: name });
    expect(observed).toContain('[redacted]\\u{1b}[31m\\u{202e}');
    expect(observed).not.toContain('sk-weir-secret');
    expect(observed.length).toBeLessThan(400);
  },
);
