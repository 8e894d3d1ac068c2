import { describe, expect, it } from 'vitest';
import { reply, said } from './judged.fixture.ts';

const documented = (type: string, code: string) => ({ error: { message: 'no', type, code } });
const refused = (id: string, status: number, body: unknown, received: object = {}) =>
  reply(id, body, { status, ...received });

describe('a request whose answer is not documented', () => {
  const failure = { cause: 'reset', detail: 'gone' } as const;
  it.each([
    [200, {}, {}, 'deviation (answers-anything): answered with status 200'],
    [299, {}, {}, 'deviation (answers-anything): answered with status 299'],
    [300, {}, {}, 'open: status 300: a body that is no error'],
    [199, {}, {}, 'open: status 199: a body that is no error'],
    [499, {}, {}, 'open: status 499: a body that is no error'],
    [500, {}, {}, 'deviation (server-error): status 500: a body that is no error'],
    [404, '<html>', {}, 'deviation (proxy-page): status 404: an HTML page'],
    [404, {}, {}, 'pass: status 404'],
    [405, {}, {}, 'pass: status 405'],
    [400, {}, {}, 'pass: status 400'],
    [404, {}, { failure }, 'violation: status 404, then reset: gone'],
    [null, {}, { failure }, 'violation: reset: gone'],
  ])('%s with %j and %j', (status, body, received, expected) => {
    expect(said('unknown-path', [refused('unknown-path', status as number, body, received)])).toBe(
      expected,
    );
  });
});

describe('the bodies of refusals', () => {
  const bodies = (...given: readonly unknown[]) =>
    given.map((body, at) => refused(`r${at}`, 400, body));
  it.each([
    [[], 'unchecked: no request was answered so'],
    [bodies(documented('t', 'c'), documented('u', 'd')), 'pass: 2 bodies'],
    [bodies(' '), 'deviation (empty-error): 1 of 1: empty-error'],
    [bodies('<html>'), 'deviation (proxy-page): 1 of 1: proxy-page'],
    [bodies('no'), 'deviation (text-error): 1 of 1: text-error'],
    [bodies({ a: 1 }), 'deviation (other-json-error): 1 of 1: other-json-error'],
    [bodies({ detail: 'no' }), 'deviation (detail-error): 1 of 1: detail-error'],
    [bodies({ error: 'no' }), 'deviation (flat-error): 1 of 1: flat-error'],
    [
      bodies({ error: { message: 'no', type: 't' } }),
      'deviation (error-without-code): 1 of 1: error-without-code',
    ],
    [
      bodies({ error: { message: 'no', type: 7, code: null } }, 'no', documented('t', 'c'), 'no'),
      'deviation (error-without-type-code): 1 of 4: error-without-type-code, 2 of 4: text-error',
    ],
    [
      [
        refused('r', 400, 'no', { failure: { cause: 'reset', detail: 'x' } }),
        refused('s', 401, 'no'),
      ],
      'unchecked: no request was answered so',
    ],
  ])('have the documented form', (answers, expected) => {
    expect(said('error-body.400', answers)).toBe(expected);
  });
});

describe('a limit and used-up credits', () => {
  const limited = (body: unknown) =>
    said('error-body.429', [], {}, { limited: [refused('chat', 429, body)] });
  it('have their documented bodies', () => {
    expect(said('error-body.429', [])).toBe(
      'unchecked: no request was limited; weir limits provokes a limit on purpose',
    );
    expect(limited(documented('rate_limit_error', 'rate_limit_exceeded'))).toMatchInlineSnapshot(
      `"pass: rate_limit_error, rate_limit_exceeded"`,
    );
    expect(limited(documented('a', 'b'))).toBe('violation: type a, code b');
    expect(limited({ error: 'slow down' })).toBe('deviation (flat-error): status 429: slow down');
    expect(said('error-body.402', [])).toBe('unchecked: the key has credits');
    expect(said('error-body.402', [refused('chat', 402, documented('a', 'b'))])).toBe(
      'violation: status 402: no',
    );
  });
});

describe('an unknown key', () => {
  const of401 = (body: unknown, field = 'type') =>
    said(`unknown-key.${field}`, [refused('unknown-key-chat', 401, body)]);
  it('is named by the type and the code of the error', () => {
    expect(of401('')).toBe('unchecked: the body is empty');
    expect(of401(documented('a', 'b'))).toBe('violation: error.type is "a"');
    expect(of401(documented('a', 'b'), 'code')).toBe('violation: error.code is "b"');
    expect(of401({})).toBe('violation: error.type is missing');
  });

  it.each([
    [401, {}, 'pass: status 401'],
    [
      401,
      { failure: { cause: 'reset', detail: 'x' } },
      /^deviation \(cut-refusal\): status 401, then reset: x: the refusal is cut off/,
    ],
    [200, {}, 'violation: accepted with status 200'],
    [299, {}, 'violation: accepted with status 299'],
    [402, {}, 'unchecked: the credits of the key are used up (402)'],
    [422, {}, 'deviation (status-422): status 422: a body that is no error'],
    [403, {}, 'violation: status 403: a body that is no error'],
  ])('is refused with 401, and not with %d', (status, received, expected) => {
    const judged = said('unknown-key-chat', [refused('unknown-key-chat', status, {}, received)]);
    if (typeof expected === 'string') expect(judged).toBe(expected);
    else expect(judged).toMatch(expected);
  });
});

it('requests that were sent a second time are counted if they were answered then', () => {
  const again = (id: string) => refused(id, 503, {});
  const servers = (repeated: readonly ReturnType<typeof again>[]) =>
    said('server-errors', [reply('chat', {})], {}, { repeated });
  expect(servers([])).toBe('pass: none');
  expect(servers([again('chat'), again('chat')])).toBe('open: 2 requests were sent a second time');
  const lost = reply('chat', {}, { status: null });
  expect(said('server-errors', [lost], {}, { repeated: [again('chat')] })).toBe('pass: none');
});
