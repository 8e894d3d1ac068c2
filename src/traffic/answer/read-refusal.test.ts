import { describe, expect, it } from 'vitest';
import {
  htmlInsteadOf,
  looksLikeHtml,
  readErrorLine,
  readRefusal,
  type ErrorBodyDetails,
} from './read-refusal.ts';

const same = (text: string): string => text;
const refused = (text: string, isTruncated = false): ErrorBodyDetails => {
  const { status, ...said } = readRefusal(400, { text, isTruncated }, same);
  expect(status).toBe(400);
  return said;
};

describe('the detail of a refused request', () => {
  it.each([
    [
      'the documented form',
      '{"error":{"message":"Invalid key","type":"authentication_error","code":"invalid_api_key"}}',
      ['error', 'authentication_error', 'invalid_api_key', 'Invalid key'],
    ],
    [
      'the gateway’s second 429 form',
      '{"error":{"message":"Rate limit exceeded for api_key: 8f…","type":"None","param":"None","code":"429"}}',
      ['none-429', 'None', '429', 'Rate limit exceeded for api_key: 8f…'],
    ],
    [
      'a code that is a number',
      '{"error":{"message":"x","code":500}}',
      ['error', null, '500', 'x'],
    ],
    ['null members', '{"error":{"message":null,"type":null}}', ['error', null, null, 'no message']],
    [
      'members of wrong types',
      '{"error":{"message":{},"type":7}}',
      ['error', '7', null, 'no message'],
    ],
    ['an error that is a string', '{"error":"no luck"}', ['error', null, null, 'no luck']],
    ['an error that is a list', '{"error":["no luck"]}', ['error', null, null, 'no luck']],
    [
      'the flat form of older vLLM',
      '{"object":"error","message":"no luck","type":"BadRequestError","param":null,"code":400}',
      ['error', 'BadRequestError', '400', 'no luck'],
    ],
    ['a detail', '{"detail":"Not Found"}', ['detail', null, null, 'Not Found']],
    [
      'a detail with validation errors, without the input that they quote',
      '{"detail":[{"loc":["body","messages",0],"msg":"Field required","input":{"secret":"prompt"}},{"msg":"and more"},7]}',
      ['detail', null, null, 'body.messages.0: Field required; and more; 7'],
    ],
    [
      'a detail that is an object',
      '{"detail":{"error":"no luck"}}',
      ['detail', null, null, 'no luck'],
    ],
    ['another JSON object', '{"message":"no luck","x":1}', ['json', null, null, 'no luck']],
    ['JSON without a message', '{"x":1}', ['json', null, null, '{"x":1}']],
    ['a JSON string', '"no luck"', ['json', null, null, 'no luck']],
    ['plain text', ' no\n luck ', ['text', null, null, 'no luck']],
    [
      'an HTML page, by its title only',
      '<!DOCTYPE html>\n<html><head><title>502 Bad\nGateway</title></head><body>long</body></html>',
      ['html', null, null, '502 Bad Gateway'],
    ],
    ['HTML without a title, by its heading', '<html><h1>Oops</h1>', ['html', null, null, 'Oops']],
    ['HTML without either', '<html><p>x</p>', ['html', null, null, 'an HTML page without a title']],
    ['nothing', '', ['empty', null, null, '']],
    ['blank lines', '\r\n \n', ['empty', null, null, '']],
    [
      'an event stream',
      'event: error\ndata: {"error":{"message":"no luck","type":"t","code":"c"}}\n\n',
      ['error', 't', 'c', 'no luck'],
    ],
  ] as const)('is read from %s', (_, text, [form, type, code, message]) => {
    expect(refused(text)).toEqual({ form, type, code, message });
  });

  it('is read from a truncated JSON body as far as possible', () => {
    const body = '{"detail":[{"type":"missing","msg":"Field \\"x\\" required","input":"long prom';
    expect(refused(body, true)).toMatchObject({ form: 'json', message: 'Field "x" required' });
    expect(refused('{"input":"long prom', true).message).toBe(
      'a JSON body of more than 8192 bytes',
    );
  });

  it('has the place of a problem without the steps that are no text', () => {
    const loc = ['body', { toString: 1 }, null, 0];
    const { message } = refused(JSON.stringify({ detail: [{ loc, msg: 'Field required' }] }));
    expect(message).toBe('body.0: Field required');
  });

  it('may have a code that is no text', () => {
    const error = { type: 'None', code: { toString: 1 }, message: 'no' };
    expect(refused(JSON.stringify({ error }))).toMatchObject({ form: 'error', message: 'no' });
  });

  it('is shortened to 300 characters, never within a character', () => {
    expect(refused('x'.repeat(300)).message).toHaveLength(300);
    expect(refused('x'.repeat(301)).message).toBe(`${'x'.repeat(300)}…`);
    expect(refused(`${'x'.repeat(299)}😀`).message).toBe(`${'x'.repeat(299)}…`);
  });

  it('is masked before it is shortened, so that no part of a key remains', () => {
    const text = JSON.stringify({ error: { message: `${'x'.repeat(290)} sk-secret-key` } });
    const redact = (said: string): string => said.replaceAll('sk-secret-key', '[redacted]');
    const { message } = readRefusal(401, { text, isTruncated: false }, redact);
    expect(message).not.toContain('sk-');
  });
});

describe('a redirect', () => {
  it.each([
    [302, '/login?state=1', 'a redirect to /login, which is not followed'],
    [307, 'https://a.example/v1/#x', 'a redirect to https://a.example/v1/, which is not followed'],
    [400, '/login', 'Moved'],
  ])('with the status %s to %s is said as: %s', (status, location, message) => {
    const body = { text: '<html><title>Moved</title>', isTruncated: false, location };
    expect(readRefusal(status, body, (text) => text)).toMatchObject({ form: 'html', message });
  });
});

describe('an HTML page', () => {
  it.each([
    ['after comments', '\ufeff <!-- a --> <!----><!-- <b> -->\n<HTML lang="en">', true],
    ['in a comment only', '<!-- <html> -->', false],
    ['after a comment without an end', '<!-- <html>', false],
    ['by another name', '<!-- a --><htmlx>', false],
    ['in other text', 'x<html>', false],
  ])('%s is recognised or not', (_, text, isPage) => {
    expect(looksLikeHtml(text)).toBe(isPage);
  });

  it('of any form is read in a time proportional to its length', () => {
    expect(looksLikeHtml(`${'<!---->'.repeat(100_000)}x`)).toBe(false);
    const text = `<html><title>${'a'.repeat(500_000)}<`;
    expect(htmlInsteadOf('audio', text, (kept) => kept)).toContain('without a title');
  });
});

describe('a line that is no field of an event stream', () => {
  it.each([
    ['error: null', null],
    [' Error : false ', null],
    ['exception:', null],
    ['error: no luck', 'no luck'],
    ['exception: {"message":"no luck"}', 'no luck'],
    ['error: nullified', 'nullified'],
    ['{"error":{"message":"no luck"}}', 'no luck'],
    ['{"error":null}', null],
    ['Traceback (most recent call last):', 'Traceback (most recent call last):'],
    ['no luck', null],
  ])('says an error or none: %s', (line, message) => {
    expect(readErrorLine(line, same)).toBe(message);
  });
});
