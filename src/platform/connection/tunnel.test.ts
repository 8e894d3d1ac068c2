import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { openTunnel, proxyFor } from './connector.ts';

const closers: (() => unknown)[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const close of closers.splice(0)) close();
});

/** A proxy that answers each request with `answer`, and what it was asked. */
const startProxy = async (answer: string, userinfo = '') => {
  const asked: string[] = [];
  const sockets: Socket[] = [];
  const server = net.createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      asked.push(bytes.toString('latin1'));
      socket.write(answer);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(
    () => server.close(),
    () => {
      for (const socket of sockets) socket.destroy();
    },
  );
  const { port } = server.address() as AddressInfo;
  return { proxy: new URL(`http://${userinfo}127.0.0.1:${port}`), asked, sockets };
};

/** The socket of a tunnel, or the message of the error, and what cancels the attempt. */
const tunnelThrough = async (proxy: URL) => {
  const { promise, resolve } = Promise.withResolvers<Socket | string>();
  const cancel = openTunnel(proxy, 'target:8000', (...[error, socket]) =>
    resolve(error === null ? socket : error.message),
  );
  const result = await promise;
  if (typeof result !== 'string') closers.push(() => result.destroy());
  return { result, cancel };
};

it('a tunnel is asked for by CONNECT, and outlives the attempt to open it', async () => {
  const { proxy, asked } = await startProxy('HTTP/1.1 200 OK\r\n\r\n');
  const { result, cancel } = await tunnelThrough(proxy);
  cancel();
  expect(result).toBeInstanceOf(net.Socket);
  expect((result as Socket).destroyed).toBe(false);
  expect(asked[0]).toMatch(/^CONNECT target:8000 HTTP\/1\.1\r\nhost: target:8000\r\n/i);
  expect(asked[0]).not.toMatch(/authorization/i);
});

it('a proxy gets the decoded user and password of its address', async () => {
  const { proxy, asked } = await startProxy('HTTP/1.1 200 OK\r\n\r\n', 'me:p%40ss@');
  await tunnelThrough(proxy);
  // The base64 of "me:p@ss".
  expect(asked[0]).toMatch(/\r\nproxy-authorization: Basic bWU6cEBzcw==\r\n/i);
});

it.each([
  ['another status', 'HTTP/1.1 407 No\r\n\r\n', 'answered CONNECT with 407'],
  ['another success', 'HTTP/1.1 204 OK\r\n\r\n', 'answered CONNECT with 204'],
  ['bytes of its own', 'HTTP/1.1 200 OK\r\n\r\nx', 'answered CONNECT with 200'],
])('a proxy that answers with %s is an error, and is left', async (_, answer, problem) => {
  const { proxy, sockets } = await startProxy(answer);
  const { result } = await tunnelThrough(proxy);
  expect(result).toBe(`the proxy ${proxy.host} ${problem}`);
  if (!sockets[0]!.closed) await once(sockets[0]!, 'close');
});

it('a proxy that does not listen is an error', async () => {
  const { result } = await tunnelThrough(new URL('http://127.0.0.1:1'));
  expect(result).toMatch(/^the proxy 127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED/);
});

it('no proxy leads to a socket of this machine, whatever the environment says', () => {
  vi.stubEnv('http_proxy', 'http://proxy:3128');
  vi.stubEnv('no_proxy', '');
  vi.stubEnv('NO_PROXY', '');
  const proxy = { kind: 'environment' } as const;
  expect(proxyFor('http://target/v1', proxy)?.href).toBe('http://proxy:3128/');
  expect(proxyFor('unix:/run/gateway.sock:/v1', proxy)).toBeNull();
  expect(proxyFor('http://target/v1', { kind: 'none' })).toBeNull();
  expect(proxyFor('http://target/v1', { kind: 'url', url: 'http://other:1' })?.href).toBe(
    'http://other:1/',
  );
});
