import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { directWire } from '../connection/connector.ts';
import { preflightTarget } from './preflight.ts';

const json = { 'content-type': 'application/json' };
const html = { 'content-type': 'text/html; charset=utf-8' };
const answers: Readonly<Record<string, (response: http.ServerResponse) => void>> = {
  '/list/v1/models': (to) => to.writeHead(200, json).end('{"data":[]}'),
  '/key/v1/models': (to) => to.writeHead(401, json).end('{"error":{}}'),
  '/page/v1/models': (to) => to.writeHead(200, html).end('hello'),
  '/page/models': (to) => to.writeHead(299, html).end('hello'),
  '/missing/v1beta/models': (to) => to.writeHead(404).end(' \n<!DOCTYPE html><html>'),
  '/broken/v1/models': (to) => to.writeHead(500, html).end('<html>'),
  '/text/v1/models': (to) => to.writeHead(200).end('not <html>'),
  '/moved/v1/models': (to) => to.writeHead(302, { location: '/login?state=s3cret#x' }).end(),
  '/lost/v1/models': (to) => to.writeHead(301).end(),
  '/odd/v1/models': (to) => to.writeHead(307, { location: 'http://[oops here' }).end(),
  '/same/v1/models': (to) => to.writeHead(399, { location: 'https://host/v1' }).end(),
  '/created/v1/models': (to) => to.writeHead(201, { location: '/elsewhere' }).end(),
  '/refused/v1/models': (to) => to.writeHead(400, { location: '/elsewhere' }).end(),
  '/far/v1/models': (to) => to.writeHead(308, { location: `/${'a'.repeat(300)}` }).end(),
  '/farther/v1/models': (to) => to.writeHead(308, { location: `http://[${'b'.repeat(300)}` }).end(),
  '/cut/v1/models': (to) => {
    to.writeHead(200, { ...json, 'content-length': '99' }).write('{"data"');
    setImmediate(() => to.destroy());
  },
  '/closed/v1/chat': (to) => to.writeHead(405).end(),
};
const server = http.createServer(({ url = '' }, response) => {
  const answer = answers[url];
  if (answer === undefined) response.destroy();
  else answer(response);
});
let origin = '';
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const look = (base: string, more: object = {}) =>
  preflightTarget({
    url: `${origin}${base}`,
    wire: directWire,
    certificates: null,
    path: '/models',
    headers: {},
    ...more,
  });
const another = 'the gateway lists its models at another address, or to none';
const redirected =
  'instead of JSON, and Weir follows none: if chats are redirected too, that is the address to test';

describe('the first answer of a target', () => {
  it.each([
    ['/list/v1', 200],
    ['/key/v1', 401],
    ['/broken/v1', 500],
    ['/text/v1', 200],
    ['/cut/v1', 200],
    ['/created/v1', 201],
    ['/refused/v1', 400],
  ])('shows that %s can be loaded', async (base, status) => {
    expect(await look(base)).toEqual({ kind: 'reached', status });
  });

  it.each([
    ['/page/v1', `with an HTML page (status 200) instead of JSON: ${another}`],
    [
      '/page',
      'with an HTML page (status 299) instead of JSON: the base address of an inference gateway ends in its version, for example https://host/v1',
    ],
    ['/missing/v1beta', `with an HTML page (status 404) instead of JSON: ${another}`],
    ['/moved/v1', `with a redirect (status 302) to ORIGIN/login ${redirected}`],
    ['/lost/v1', `with a redirect (status 301) ${redirected}`],
    ['/odd/v1', `with a redirect (status 307) to http://[oopshere ${redirected}`],
    ['/same/v1', `with a redirect (status 399) to https://host/v1 ${redirected}`],
  ])('is doubtful from %s', async (base, words) => {
    expect(await look(base)).toEqual({
      kind: 'doubtful',
      message: `GET ${origin}${base}/models answers ${words.replace('ORIGIN', origin)}`,
    });
  });

  it('shows at most 200 characters of the address that it names', async () => {
    const [far, farther] = [await look('/far/v1'), await look('/farther/v1')];
    const start = `${origin}/`;
    expect('message' in far && far.message).toContain(
      ` to ${start}${'a'.repeat(200 - start.length)} instead`,
    );
    expect('message' in farther && farther.message).toContain(
      ` to http://[${'b'.repeat(192)} instead`,
    );
  });

  it('may be a closed connection, which says nothing of other paths', async () => {
    const base = `${origin}/closed/v1`;
    expect(await look('/closed/v1', { otherPath: '/chat' })).toEqual({
      kind: 'doubtful',
      message: `GET ${base}/models is closed without an answer, while /chat is answered: ${another}`,
    });
    for (const more of [{}, { otherPath: '/nothing' }]) {
      const closed = await look('/closed/v1', more);
      expect(closed).toMatchObject({ kind: 'unusable', mayAnswer: true });
      expect('message' in closed && closed.message).toMatch(`the target ${base} cannot be used: `);
    }
  });

  it('never comes from a port that nothing listens on', async () => {
    expect(await look('', { url: 'http://127.0.0.1:1/v1' })).toMatchObject({
      kind: 'unusable',
      mayAnswer: false,
    });
  });
});
