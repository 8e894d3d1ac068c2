import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { Transport } from '../../model/observation/exchange.ts';
import { instant } from '../../model/quantity.ts';
import { startClock } from '../host/clock.ts';
import { directWire } from '../connection/connector.ts';
import { startScriptedServer } from '../connection/scripted-server.fixture.ts';
import { transportSuite } from '../connection/transport-suite.fixture.ts';
import { socketTransport } from './socket-transport.ts';

transportSuite('the socket transport', (url, clock, onDefect, wire) =>
  socketTransport(
    {
      url,
      wire: { ...directWire, ...wire },
      certificates: null,
    },
    clock,
    onDefect,
  ),
);

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

it('says which requests found a connection that was opened ahead of them', async () => {
  const server = await startScriptedServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
  });
  const wire = { http2: false, proxy: { kind: 'none' }, caFile: null, verifyTls: true } as const;
  // Time stands still: all of them are opened in one turn, however busy the machine is.
  const clock = { ...startClock(), now: () => instant(0) };
  const transport = socketTransport({ url: server.url, wire, certificates: null }, clock);
  closers.push(
    () => transport.close(),
    () => server.close(),
  );
  const send = (): Promise<string> =>
    new Promise((resolve, reject) => {
      let origin = '';
      const ignore = (): void => undefined;
      transport.send(
        { method: 'GET', path: '/x', headers: {}, body: null },
        {
          onConnected: (_, connection) => {
            origin = connection;
          },
          onSent: ignore,
          onReconnect: ignore,
          onHeaders: ignore,
          onChunk: ignore,
          onEnd: () => resolve(origin),
          onFailure: (_, cause) => reject(new Error(cause)),
        },
      );
    });
  transport.connectAhead(2);
  // One that is still being opened is waited for.
  expect(await send()).toBe('new');
  expect(await Promise.all([send(), send(), send()])).toEqual(['reused', 'ahead', 'new']);
  transport.connectAhead(4);
  expect(await send()).toBe('reused');
  const origins = await Promise.all([send(), send(), send(), send(), send()]);
  expect(origins).toEqual(['reused', 'reused', 'reused', 'ahead', 'new']);
  expect(server.connections()).toBe(5);
});

/** A transport to a server that answers before it has read the whole request, and never reads the rest. */
const toHasty = async (answer: (socket: Socket) => void): Promise<Transport> => {
  const server = net.createServer((socket) => {
    socket.once('data', () => {
      socket.pause();
      answer(socket);
    });
    socket.on('error', () => undefined);
    closers.push(() => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const transport = socketTransport(
    {
      url: `http://127.0.0.1:${port}/v1`,
      wire: { http2: false, proxy: { kind: 'none' }, caFile: null, verifyTls: true },
      certificates: null,
    },
    startClock(),
  );
  closers.push(
    () => transport.close(),
    () => server.close(),
  );
  return transport;
};

/** How a connection came about and how the exchange on it ended, for a body too large for the system's buffers. */
const sendLarge = (transport: Transport): Promise<string> =>
  new Promise((resolve) => {
    let report = '';
    transport.send(
      { method: 'POST', path: '/x', headers: {}, body: new Uint8Array(32 * 1024 * 1024) },
      {
        onConnected: (_, connection) => {
          report = connection;
        },
        onSent: () => undefined,
        onReconnect: () => undefined,
        onHeaders: (_, status) => {
          report += ` ${status}`;
        },
        onChunk: () => undefined,
        onEnd: () => resolve(report),
        onFailure: (_, cause) => resolve(`${report} ${cause}`),
      },
    );
  });

const tooMuch = 'HTTP/1.1 413 Content Too Large\r\ncontent-length: 0\r\n\r\n';

it('accepts a response that comes before the request is sent, and does not reuse its connection', async () => {
  const transport = await toHasty((socket) => socket.write(tooMuch));
  expect(await sendLarge(transport)).toBe('new 413');
  expect(await sendLarge(transport)).toBe('new 413');
});

it('accepts such a response from a server that closes without reading the rest', async () => {
  const transport = await toHasty((socket) => socket.end(tooMuch, () => socket.destroy()));
  expect(await sendLarge(transport)).toBe('new 413');
});

it('aborts requests in flight when it is closed, and sends nothing afterwards', async () => {
  const transport = await toHasty(() => undefined);
  const ended = sendLarge(transport);
  await transport.close();
  expect(await ended).toBe(' aborted');
  expect(await sendLarge(transport)).toBe(' aborted');
});
