import { once } from 'node:events';
import net from 'node:net';
import { expect, it } from 'vitest';
import type { Exchange } from '../../model/observation/exchange.ts';
import { Problem } from '../problem.ts';
import { rejectUnsupportedTarget } from './autocannon-client.ts';
import { answer, saturateServer, serving } from './saturate.fixture.ts';

/** What became of the first requests over one connection. */
const firstOf = async (
  url: string,
  count: number,
  inAnswer: (exchange: Exchange, n: number) => void = () => undefined,
): Promise<readonly string[]> => (await saturateServer(url, count, { inAnswer })).outcomes;

it('sends prepared requests in turn over one kept connection, and ends when asked', async () => {
  const server = await serving((socket, n) => socket.write(answer(`x${n}`)));
  expect(await firstOf(server.url, 3)).toEqual([
    '0 new 200 x0',
    '1 reused 200 x1',
    '0 reused 200 x2',
  ]);
  expect(server.requests[1]).toMatch(/^POST \/v1\/b HTTP\/1\.1\r\nHost: 127.*\r\n\r\nask$/s);
  expect(server.requests).toHaveLength(3);
});

it('sends the next request at once on a connection that has been used again three times', async () => {
  const server = await serving((socket) => socket.write(answer('kept')));
  const outcomes = await firstOf(server.url, 7);
  expect(outcomes).toEqual([
    '0 new 200 kept',
    ...['1', '0', '1', '0', '1', '0'].map((place) => `${place} reused 200 kept`),
  ]);
  expect([server.requests.length, server.connections()]).toEqual([7, 1]);
}, 5000);

it('counts every response that breaks off, and starts clean on the next connection', async () => {
  const server = await serving((socket, n) => {
    if (n === 1) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf');
    else if (n === 2) socket.end();
    else if (n === 3) socket.resetAndDestroy();
    else socket.write(answer('whole'));
  });
  expect(await firstOf(server.url, 6)).toEqual([
    '0 new 200 whole',
    '1 reused 200 closed-early',
    '0 new closed-early',
    '1 new reset',
    '0 new 200 whole',
    '1 reused 200 whole',
  ]);
});

it('rejects what is not HTTP, and waits for the final response', async () => {
  const server = await serving((socket, n) => {
    if (n === 0) socket.write('SSH-2.0-x\r\n\r\n');
    else if (n === 1) socket.write(`HTTP/1.1 100 Continue\r\n\r\n${answer('late')}`);
    else socket.write(answer('whole'));
  });
  const outcomes = await firstOf(server.url, 3);
  expect(outcomes).toEqual(['0 new protocol', '1 new 200 late', '0 reused 200 whole']);
});

it('ends a response whose chunk has a negative size', async () => {
  const chunk = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n-5\r\nhello\r\n';
  const server = await serving((socket, n) => socket.write(n === 0 ? chunk : answer('whole')));
  expect(await firstOf(server.url, 2)).toEqual(['0 new 200 protocol', '1 new 200 whole']);
});

it('ends a response whose head does not end', async () => {
  const filler = `x-filler: ${'y'.repeat(8000)}\r\n`;
  const server = await serving((socket, n) => {
    socket.on('error', () => undefined);
    if (n > 0) {
      socket.write(answer('whole'));
      return;
    }
    const more = (): void => {
      while (!socket.destroyed && socket.write(filler));
      socket.once('drain', more);
    };
    socket.write('HTTP/1.1 200 OK\r\n');
    more();
  });
  expect(await firstOf(server.url, 2)).toEqual(['0 new too-large', '1 new 200 whole']);
});

it('opens a new connection after a response with `Connection: close`', async () => {
  const closing = answer('last').replace('\r\n', '\r\nconnection: close\r\n');
  const server = await serving((socket) => socket.end(closing));
  expect(await firstOf(server.url, 2)).toEqual(['0 new 200 last', '1 new 200 last']);
});

it('accepts a response that ends with its connection', async () => {
  const server = await serving((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nto the end'));
  expect(await firstOf(server.url, 2)).toEqual(['0 new 200 to the end', '1 new 200 to the end']);
});

it('an aborted request closes its connection', async () => {
  const server = await serving((socket, n) =>
    socket.write(n === 0 ? 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf' : answer('whole')),
  );
  const outcomes = await firstOf(server.url, 3, (exchange, n) => {
    if (n === 0) exchange.abort('too-large', 'by hand');
  });
  expect(outcomes).toEqual(['0 new 200 too-large', '1 new 200 whole', '0 reused 200 whole']);
  expect(server.connections()).toBe(2);
});

it('an aborted request whose whole answer came in one read closes its connection too', async () => {
  const server = await serving((socket, n) => socket.write(answer(n === 0 ? 'short' : 'whole')));
  const outcomes = await firstOf(server.url, 2, (exchange, n) => {
    if (n === 0) exchange.abort('too-large', 'by hand');
  });
  expect(outcomes).toEqual(['0 new 200 too-large', '1 new 200 whole']);
});

it('counts every connection that is refused', async () => {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  const outcomes = await firstOf(`http://127.0.0.1:${port}/v1`, 3);
  expect(outcomes).toEqual(['0 connect-refused', '1 connect-refused', '0 connect-refused']);
});

it('refuses connection options of the plan that autocannon does not support', () => {
  const wire = { http2: false, proxy: { kind: 'none' }, caFile: null, verifyTls: true } as const;
  const proxied = { ...wire, proxy: { kind: 'url', url: 'http://proxy.example:3128' } } as const;
  expect(() => rejectUnsupportedTarget({ url: 'https://a.example/v1', wire })).toThrow(
    /does not check cert/,
  );
  expect(() => rejectUnsupportedTarget({ url: 'http://a.example/v1', wire: proxied })).toThrow(
    Problem,
  );
  rejectUnsupportedTarget({ url: 'https://a.example/v1', wire: { ...wire, verifyTls: false } });
});
