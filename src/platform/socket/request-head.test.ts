import { describe, expect, it } from 'vitest';
import type { WireRequest } from '../../model/observation/exchange.ts';
import { HttpFault } from './response-head.ts';
import { RequestHeadWriter } from './request-head.ts';

const heads = new RequestHeadWriter('gateway.example:8080', (path) => `/v1${path}`);
const get: WireRequest = { method: 'GET', path: '/models?a=b', headers: {}, body: null };
const post: WireRequest = { ...get, method: 'POST', path: '/chat', body: new Uint8Array(7) };

const lines = (request: WireRequest): readonly string[] => {
  const head = heads.write(request);
  if (head instanceof HttpFault) throw new Error(head.detail);
  expect(head.text.endsWith('\r\n\r\n')).toBe(true);
  return head.text.slice(0, -4).split('\r\n');
};

describe('the head of a request', () => {
  it('has the method, path below the base address, host, connection, headers and length', () => {
    expect(lines({ ...post, headers: { accept: 'a/b', 'x-id': '1' } })).toEqual([
      'POST /v1/chat HTTP/1.1',
      'host: gateway.example:8080',
      'connection: keep-alive',
      'accept: a/b',
      'x-id: 1',
      'content-length: 7',
    ]);
  });

  it('has no length without a body, except 0 for a POST', () => {
    expect(lines(get)).toHaveLength(3);
    expect(lines({ ...post, body: null })).toContain('content-length: 0');
  });

  it('has the current value of a header that changes, and the prepared value of one that does not', () => {
    for (const id of ['1', '2', '2', '1']) {
      expect(lines({ ...get, headers: { 'x-id': id, accept: 'a' } }).slice(3)).toEqual([
        `x-id: ${id}`,
        'accept: a',
      ]);
    }
  });

  it('names another host, or closes the connection, if the request asks for it', () => {
    const asked = { ...get, headers: { host: 'other', connection: 'close' } };
    expect(lines(asked).slice(1)).toEqual(['host: other', 'connection: close']);
    expect(heads.write(asked)).toMatchObject({ closes: true });
    expect(heads.write(get)).toMatchObject({ closes: false });
  });

  it.each([
    ['a value of two lines', { 'x-a': 'b\r\nc: d' }],
    ['a value with a lone LF', { 'x-a': 'b\nc' }],
    ['a value beyond single bytes', { 'x-a': '日' }],
    ['a name with a space', { 'x a': 'b' }],
    ['a name of two lines', { 'x\r\na': 'b' }],
    ['an empty name', { '': 'b' }],
    ['a host of two lines', { host: 'a\r\nb' }],
    ['another length', { 'content-length': '6' }],
    ['another framing', { 'transfer-encoding': 'chunked' }],
    ['an expectation', { expect: '100-continue' }],
  ])('is refused with %s', (_, headers: Record<string, string>) => {
    expect(heads.write({ ...post, headers })).toMatchObject({ cause: 'protocol' });
  });

  it('is refused for a path with a space or a line end', () => {
    for (const path of ['/a b', '/a\r\nb', '/ä'])
      expect(heads.write({ ...get, path })).toMatchObject({ cause: 'protocol' });
  });
});
