import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import tls, { type TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';
import { afterEach, describe, expect, it } from 'vitest';
import { transportNames } from '../../model/observation/exchange.ts';
import { directWire } from '../connection/connector.ts';
import { observe, post } from '../connection/transport-world.fixture.ts';
import { startClock } from '../host/clock.ts';
import { openTransport } from './open-transport.ts';

const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
  keyType: 'ec',
});
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A server that answers four requests on one connection, and does something with it when it has read the fifth. */
const startServer = async (
  inFifth: (socket: TLSSocket) => unknown,
): Promise<{ readonly url: string; readonly sockets: readonly TLSSocket[] }> => {
  const sockets: TLSSocket[] = [];
  const server: tls.Server = tls.createServer({ key, cert }, (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => {
      sockets.push(socket);
      if (sockets.length === 5) inFifth(socket);
      else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, sockets };
};

type Act = (socket: TLSSocket) => unknown;
const answer: Act = (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx');
const end: Act = (socket) => socket.end();
const close: Act = (socket) => socket.destroy();
const nothing: Act = () => undefined;

/** What the server does in the fifth request, and as it is sent. */
const encounters: readonly (readonly [string, Act, Act])[] = [
  ['an end after it was read', end, nothing],
  ['a close after it was read', close, nothing],
  ['an end while it was sent', answer, end],
];

describe.each(transportNames)('over TLS, %s', (name) => {
  it.each(encounters)('sends nothing twice that met %s', async (_, inFifth, whenSent) => {
    const { url, sockets } = await startServer(inFifth);
    const wire = { ...directWire, verifyTls: false };
    const transport = openTransport(name, { url, wire, certificates: null }, startClock());
    closers.push(() => transport.close());
    let sent = 0;
    const send = async (): Promise<readonly string[]> => {
      const { observer, log } = observe(undefined, (event) => {
        if (event !== 'sent') return;
        sent += 1;
        if (sent === 5) whenSent(sockets[0]!);
      });
      transport.send(post, observer);
      return (await log).events;
    };
    for (let n = 0; n < 4; n += 1) expect((await send()).at(-1)).toBe('end');
    const events = await send();
    expect(events).not.toContain('reconnect');
    expect(events.at(-1)).toBe('failure closed-on-reuse');
    expect(sockets.length).toBeLessThanOrEqual(5);
  });
});
