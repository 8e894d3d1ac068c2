import { describe, expect, it } from 'vitest';
import { reply, said } from './judged.fixture.ts';

const whole = {
  id: 'chat-1',
  object: 'chat.completion',
  created: 1_000_000,
  model: 'a/b',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'one' }, finish_reason: 'length' },
    { index: 1, message: { role: 'assistant', content: '' }, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 40, completion_tokens: 16, total_tokens: 56 },
};
const usage = (prompt: unknown, completion: unknown, total: unknown) => ({
  ...whole,
  usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total },
});
const ended = (finish: unknown, completion: unknown) => ({
  choices: [{ index: 0, finish_reason: finish }],
  usage: { completion_tokens: completion },
});

describe('a field of a chat', () => {
  it.each([
    ['chat.id', whole, 'pass: a string that is not empty'],
    ['chat.id', { id: '' }, 'violation: id is an empty string'],
    ['chat.object', { object: 'chat' }, 'violation: object is "chat"'],
    ['chat.created', whole, 'pass: an integer, a Unix time in seconds that is not in the future'],
    ['chat.created', { created: 1_086_400 }, /^pass/],
    ['chat.created', { created: 1_086_401 }, 'violation: created is 1086401'],
    ['chat.created', { created: 0 }, /^pass/],
    ['chat.created', { created: -1 }, 'violation: created is -1'],
    ['chat.choices', { choices: {} }, 'violation: choices is an object'],
    ['chat.index', whole, 'pass: 2 × an integer'],
    ['chat.index', { choices: [] }, 'violation: there is no choices.*.index'],
    ['chat.index', { choices: [{ index: 0.5 }] }, 'violation: choices[0].index is 0.5'],
    [
      'chat.index',
      { choices: [{ index: 0 }, {}, { index: null }, { index: [1, 2] }] },
      'violation: choices[1].index is missing, and 2 more of 4',
    ],
    [
      'chat.message',
      { choices: [{ message: [] }] },
      'violation: choices[0].message is an array of 0',
    ],
    ['chat.message', { choices: [{ message: null }] }, 'violation: choices[0].message is null'],
    ['chat.content', whole, 'pass: 2 × a string'],
    ['chat.content', { choices: [{ message: { content: true } }] }, /message.content is true$/],
    ['chat.finish', whole, 'pass: 2 × stop or length or tool_calls'],
    ['chat.usage', { usage: 'x' }, 'violation: usage is "x"'],
    ['chat.prompt-tokens', usage(0, 0, 0), 'pass: an integer of at least 0'],
    ['chat.prompt-tokens', usage(-1, 0, 0), 'violation: usage.prompt_tokens is -1'],
    ['chat.completion-tokens', usage(0, 1.5, 0), 'violation: usage.completion_tokens is 1.5'],
    ['chat.total-tokens', usage(0, 1, '2'), 'violation: usage.total_tokens is "2"'],
  ])('as %s says of %j', (id, body, expected) => {
    if (typeof expected === 'string') expect(said(id, [reply('chat', body)])).toBe(expected);
    else expect(said(id, [reply('chat', body)])).toMatch(expected);
  });
});

describe('a chat as a whole', () => {
  it.each([
    ['chat.total', usage(40, 16, 56), 'pass: 40 + 16 = 56'],
    ['chat.total', usage(40, 16, 57), 'deviation (hidden-tokens): 40 + 16, but the total is 57'],
    ['chat.total', usage(40, 16, 55), 'violation: 40 + 16, but the total is 55'],
    ['chat.total', usage('40', 16, 56), 'unchecked: the usage has no three numbers'],
    ['chat.total', usage(40, '16', 56), 'unchecked: the usage has no three numbers'],
    ['chat.total', usage(40, 16, null), 'unchecked: the usage has no three numbers'],
    [
      'chat.max-tokens',
      ended('length', 17),
      'violation: 17 tokens were generated, 16 were allowed',
    ],
    ['chat.max-tokens', ended('length', 16), 'pass: 16 tokens'],
    [
      'chat.max-tokens',
      ended('length', 15),
      'deviation (early-length): finish_reason is length after 15 tokens',
    ],
    ['chat.max-tokens', ended('stop', 15), 'pass: 15 tokens'],
    ['chat.max-tokens', ended('stop', null), 'unchecked: the usage has no completion_tokens'],
    ['chat.cut', ended('length', 16), 'pass: length'],
    ['chat.cut', ended('stop', 16), 'deviation (cut-without-length): finish_reason is "stop"'],
    ['chat.cut', ended('stop', 15), 'unchecked: the model ended by itself'],
    ['chat.model-used', whole, 'pass: the requested one'],
    ['chat.model-used', { model: 'a/c' }, 'pass: another of the catalogue'],
    ['chat.model-used', { model: 'z' }, 'deviation (other-model): model is "z"'],
    ['chat.model-used', {}, 'deviation (other-model): model is missing'],
    ['chat.positions', whole, 'pass: 2 in order'],
    ['chat.positions', { choices: [] }, 'violation: there is no choice'],
    [
      'chat.positions',
      { choices: [{ index: 0 }, { index: 0 }] },
      'violation: an index is not the position of its choice',
    ],
  ])('as %s says of %j', (id, body, expected) => {
    expect(said(id, [reply('chat', body)], { listed: ['a/b', 'a/c'] })).toBe(expected);
  });

  it('has a unique id', () => {
    const chats = (one: string, other: string) => [
      reply('chat', { id: one }),
      reply('minimal', { id: other }),
    ];
    expect(said('chat.unique-id', chats('x', 'y'))).toBe('pass: different');
    expect(said('chat.unique-id', chats('x', 'x'))).toBe('violation: both have the same id');
  });

  it('is JSON, not compressed, and says so', () => {
    expect(said('chat.content-type', [reply('chat', {})])).toBe('pass: application/json');
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
    expect(said('chat.content-type', [reply('chat', {}, { headers })])).toBe(
      'pass: application/json',
    );
    expect(said('chat.content-type', [reply('chat', {}, { headers: {} })])).toBe(
      'violation: Content-Type is missing',
    );
    expect(said('chat.compressed', [reply('chat', {})])).toBe('pass: plain');
    expect(said('chat.compressed', [reply('chat', {}, { encoding: 'gzip' })])).toBe(
      'deviation (compressed): the body is in gzip',
    );
  });
});

describe('an answer to a chat that had to be accepted', () => {
  const failure = { cause: 'reset', detail: 'gone' } as const;
  it.each([
    ['"yes"', {}, 'violation: status 200 with a body of 5 bytes that is no JSON'],
    ['null', {}, 'violation: status 200 with a body of 4 bytes that is no JSON'],
    ['<!doctype html><html></html>', {}, 'violation: status 200 with an HTML page'],
    ['{}', { failure }, 'violation: status 200, then reset: gone'],
    ['{}', { failure, status: null }, 'violation: reset: gone'],
    ['{}', { status: 402 }, 'unchecked: the credits of the key are used up (402)'],
    ['{}', { status: 429 }, 'unchecked: the key was limited (429) after every wait'],
    ['{}', { status: 201 }, 'violation: status 201: a body that is no error'],
    [' ', { status: 500 }, 'violation: status 500: an empty body'],
    ['{"message":"busy"}', { status: 503 }, 'violation: status 503: busy'],
    [
      '{"error":{"message":"no","type":"t","code":"c"}}',
      { status: 301, headers: { location: 'https://x.example/' } },
      'violation: status 301: no; it leads to https://x.example/ and was not followed',
    ],
  ])('%s with %j', (body, received, expected) => {
    expect(said('chat', [reply('chat', body, received)])).toBe(expected);
  });

  it('was not sent for want of a model, or since the checks had ended', () => {
    expect(said('chat', [])).toBe('unchecked: the request was not sent');
    expect(said('chat', [], { chat: null })).toBe(
      'unchecked: no model for chat is known (--model names one)',
    );
    expect(said('speech-wav', [], { speech: null })).toBe(
      'unchecked: no model for speech is known (--speech-model names one)',
    );
  });
});
