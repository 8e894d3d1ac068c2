import { describe, expect, it } from 'vitest';
import { startClock } from '../host/clock.ts';
import { keptConnectionSuite } from './kept-connection-suite.fixture.ts';
import { startScriptedServer } from './scripted-server.fixture.ts';
import {
  chunk,
  chunkedHead,
  connectionOf,
  get,
  observe,
  ok,
  post,
  type TransportUnderTest,
  transportWorld,
} from './transport-world.fixture.ts';

/** Tests what every transport must do, whichever library it uses. Each transport's test calls this. */
export const transportSuite = (name: string, make: TransportUnderTest): void => {
  keptConnectionSuite(name, make);
  describe(name, () => {
    const { startAgainst, open } = transportWorld(make);

    it('reports connected, sent, headers and end in order, with instants that never decrease', async () => {
      const { send } = await startAgainst((socket) => socket.write(ok('hello')));
      const { events, instants, body } = await send().log;
      expect(events).toEqual(['connected new', 'sent', 'headers 200 text/plain', 'end']);
      expect(body).toBe('hello');
      expect(instants).toEqual([...instants].sort((a, b) => a - b));
    });

    it('sends method, path below the base address, headers and body', async () => {
      const { send, server } = await startAgainst((socket) => socket.write(ok('')));
      await send().log;
      const [request = ''] = server.requests;
      expect(request).toMatch(/^POST \/v1\/chat\/completions HTTP\/1\.1\r\n/);
      expect(request).toMatch(/authorization: Bearer k\r\n/i);
      expect(request).toMatch(/content-length: 7\r\n/i);
      expect(request.endsWith('\r\n\r\n{"a":1}')).toBe(true);
    });

    it('keeps a connection alive and says that it was reused', async () => {
      const { send, server } = await startAgainst((socket) => socket.write(ok('x')));
      await send().log;
      const { events } = await send(get).log;
      expect(events[0]).toBe('connected reused');
      expect(server.connections()).toBe(1);
    });

    it('opens another connection for a request that begins while one is in flight', async () => {
      const waiting: (() => void)[] = [];
      const { send, server } = await startAgainst((socket) => {
        waiting.push(() => socket.write(ok('x')));
        if (waiting.length === 2) for (const answer of waiting) answer();
      });
      const logs = [send().log, send().log];
      for (const { events } of await Promise.all(logs)) expect(events[0]).toBe('connected new');
      expect(server.connections()).toBe(2);
    });

    it('sends as ever where connections were to be opened ahead, and closes those that are left', async () => {
      const { send, server, transport } = await startAgainst((socket) => socket.write(ok('x')));
      transport.connectAhead(3);
      const { events } = await send().log;
      expect(events[0]).toMatch(/^connected (?:new|ahead)$/);
      expect(events.slice(1)).toEqual(['sent', 'headers 200 text/plain', 'end']);
      expect((await send().log).events[0]).toBe('connected reused');
      expect(server.requests).toHaveLength(2);
    });

    it('reports nothing of a connection that fails ahead of its request', async () => {
      const { server, send, transport } = await startAgainst(() => undefined);
      await server.close();
      transport.connectAhead(1);
      expect((await send().log).events).toEqual(['failure connect-refused']);
      open.splice(0);
    });

    it('does not reuse a connection that the server closes after its answer', async () => {
      const { send, server } = await startAgainst((socket) =>
        socket.end(ok('x', 'connection: close\r\n')),
      );
      await send().log;
      const { events } = await send().log;
      expect(events).toEqual(['connected new', 'sent', 'headers 200 text/plain', 'end']);
      expect(server.connections()).toBe(2);
    });

    it('gives all chunks of one socket read the same instant', async () => {
      const { send } = await startAgainst((socket) =>
        socket.write(`${chunkedHead}${chunk('one')}${chunk('two')}${chunk('three')}0\r\n\r\n`),
      );
      const { body, chunkInstants } = await send().log;
      expect(body).toBe('onetwothree');
      expect(new Set(chunkInstants).size).toBe(1);
    });

    it('gives a later read a later instant', async () => {
      const { send } = await startAgainst(async (socket, _, chunkRead) => {
        socket.write(`${chunkedHead}${chunk('one')}`);
        await chunkRead;
        socket.write(`${chunk('two')}0\r\n\r\n`);
      });
      const { chunkInstants } = await send().log;
      expect(chunkInstants).toHaveLength(2);
      expect(chunkInstants[1]!).toBeGreaterThan(chunkInstants[0]!);
    });

    it('skips interim responses', async () => {
      const { send } = await startAgainst((socket) =>
        socket.write(`HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${ok('x')}`),
      );
      const { events } = await send().log;
      expect(events).toEqual(['connected new', 'sent', 'headers 200 text/plain', 'end']);
    });

    it('ends a body without a length when the connection closes', async () => {
      const { send } = await startAgainst((socket) =>
        socket.end('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\nto the end'),
      );
      const { events, body } = await send().log;
      expect(events.at(-1)).toBe('end');
      expect(body).toBe('to the end');
    });

    it('sends a large body completely, and small ones after it', async () => {
      const { send, server } = await startAgainst((socket) => socket.write(ok('x')));
      const bodies = [1 << 20, 10, 70_000].map((size) => new Uint8Array(size).fill(97));
      for (const body of bodies)
        expect((await send({ ...post, body }).log).events.at(-1)).toBe('end');
      const sent = server.requests.map((request) => request.slice(request.indexOf('\r\n\r\n') + 4));
      expect(sent).toEqual(bodies.map((body) => 'a'.repeat(body.length)));
      expect(server.connections()).toBe(1);
    });

    it('keeps bodies separate when many connections send at once', async () => {
      const { send, server } = await startAgainst((socket) => socket.write(ok('x')));
      const bodies = Array.from({ length: 30 }, (_, n) => String(n).repeat(30_000));
      const bytes = bodies.map((body) => new TextEncoder().encode(body));
      await Promise.all(bytes.map((body) => send({ ...post, body }).log));
      const sent = server.requests.map((request) => request.slice(request.indexOf('\r\n\r\n') + 4));
      expect(new Set(sent)).toEqual(new Set(bodies));
    });

    it.each(['204 No Content', '304 Not Modified'])(
      'does not wait for a body after %s',
      async (status) => {
        const { send, server } = await startAgainst((socket) =>
          socket.write(`HTTP/1.1 ${status}\r\n\r\n`),
        );
        for (const connection of ['new', 'reused']) {
          const { events } = await send(get).log;
          expect(events[0]).toBe(`connected ${connection}`);
          expect(events.at(-1)).toBe('end');
        }
        expect(server.connections()).toBe(1);
      },
    );

    it('ignores trailers and chunk extensions', async () => {
      const { send } = await startAgainst((socket) =>
        socket.write(`${chunkedHead}3;a="b"\r\none\r\n0;z\r\nx-sum: 1\r\n\r\n`),
      );
      const { events, body } = await send().log;
      expect(events.at(-1)).toBe('end');
      expect(body).toBe('one');
    });

    it('does not reuse a connection that the server is about to close', async () => {
      const { send, server } = await startAgainst((socket) =>
        socket.write(ok('x', 'keep-alive: timeout=1\r\n')),
      );
      await send().log;
      await send().log;
      expect(server.connections()).toBe(2);
    });

    it('does not reuse a connection that received more bytes than expected', async () => {
      const { send, server } = await startAgainst((socket) => socket.write(`${ok('x')}HTTP/1.1 `));
      expect((await send().log).events.at(-1)).toBe('end');
      expect(connectionOf(await send().log)).toBe('connected new');
      expect(server.connections()).toBe(2);
    });

    it('closes the connection after the response when the request asks for it', async () => {
      const { send, server } = await startAgainst((socket) => socket.write(ok('x')));
      const closing = { ...post, headers: { ...post.headers, connection: 'close' } };
      expect((await send(closing).log).events.at(-1)).toBe('end');
      expect(connectionOf(await send().log)).toBe('connected new');
      expect(server.requests[0]).toMatch(/connection: close\r\n/i);
    });

    it.each([
      ['x-bad', 'a\r\nx-more: b'],
      ['x-bad', 'a\0'],
      ['x bad', 'a'],
      ['transfer-encoding', 'chunked'],
      ['upgrade', 'x'],
    ])('sends nothing of a request whose header %j is %j', async (header, value) => {
      const { send, server } = await startAgainst((socket) => socket.write(ok('x')));
      const headers = { ...post.headers, [header]: value };
      expect((await send({ ...post, headers }).log).events.at(-1)).toBe('failure protocol');
      expect(server.requests).toEqual([]);
    });

    it('passes on errors thrown by its observer and keeps using other connections', async () => {
      const { url, close } = await startScriptedServer((socket) => void socket.write(ok('x')));
      const { promise: defect, resolve } = Promise.withResolvers<unknown>();
      const transport = make(url, startClock(), resolve);
      const { observer } = observe();
      const bug = new Error('a bug');
      transport.send(post, {
        ...observer,
        onChunk: () => {
          throw bug;
        },
      });
      expect(await defect).toBe(bug);
      const { observer: next, log } = observe();
      transport.send(post, next);
      expect((await log).events.at(-1)).toBe('end');
      await transport.close();
      await close();
    });

    it('passes error responses through like any response', async () => {
      const { send } = await startAgainst((socket) =>
        socket.write('HTTP/1.1 429 Too Many Requests\r\ncontent-length: 2\r\n\r\nno'),
      );
      const { events, body } = await send().log;
      expect(events).toContain('headers 429 -');
      expect(body).toBe('no');
    });

    it('joins repeated headers with a comma', async () => {
      const { transport } = await startAgainst((socket) =>
        socket.write('HTTP/1.1 200 OK\r\nX-A: 1\r\nx-a: 2\r\ncontent-length: 0\r\n\r\n'),
      );
      const { observer, log } = observe();
      let seen = '';
      transport.send(get, {
        ...observer,
        onHeaders: (_, __, headers) => {
          seen = headers['x-a'] ?? '';
        },
      });
      await log;
      expect(seen).toBe('1, 2');
    });

    describe('names the cause of a missing response', () => {
      it('a body that stops short', async () => {
        const { send } = await startAgainst((socket) =>
          socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort'),
        );
        expect((await send().log).events.at(-1)).toBe('failure closed-early');
      });

      it('a chunked body without its last chunk', async () => {
        const { send } = await startAgainst((socket) =>
          socket.end(`${chunkedHead}${chunk('one')}`),
        );
        const { events, body } = await send().log;
        expect(events.at(-1)).toBe('failure closed-early');
        expect(body).toBe('one');
      });

      it('a reset before the answer was complete', async () => {
        const { send } = await startAgainst(async (socket, _, chunkRead) => {
          socket.write(`${chunkedHead}${chunk('one')}`);
          await chunkRead;
          socket.resetAndDestroy();
        });
        expect((await send().log).events.at(-1)).toBe('failure reset');
      });

      it('a new connection that is closed without an answer', async () => {
        const { send } = await startAgainst((socket) => socket.end());
        expect((await send().log).events).toEqual([
          'connected new',
          'sent',
          'failure closed-early',
        ]);
      });

      it('a kept connection that is closed without an answer, and does not send again', async () => {
        const { send, server } = await startAgainst((socket, n) =>
          n === 0 ? socket.write(ok('x')) : socket.end(),
        );
        await send().log;
        expect((await send().log).events).toEqual([
          'connected reused',
          'sent',
          'failure closed-on-reuse',
        ]);
        expect(server.requests).toHaveLength(2);
      });

      it('a head that does not end', async () => {
        const { send } = await startAgainst((socket) =>
          socket.write(`HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(20_000)}`),
        );
        expect((await send().log).events.at(-1)).toBe('failure too-large');
      });

      it('a response that is not HTTP', async () => {
        const { send } = await startAgainst((socket) => socket.end('220 mail.example ESMTP\r\n'));
        expect((await send().log).events.at(-1)).toBe('failure protocol');
      });

      it('a port where nothing listens', async () => {
        const { server, send } = await startAgainst(() => undefined);
        await server.close();
        expect((await send().log).events).toEqual(['failure connect-refused']);
        open.splice(0);
      });
    });

    it('reports an abort once, with its cause, and nothing after it', async () => {
      const { send, chunkRead } = await startAgainst((socket) =>
        socket.write(`${chunkedHead}${chunk('one')}`),
      );
      const { exchange, log } = send();
      await chunkRead;
      exchange.abort('deadline-total', 'too long');
      exchange.abort('aborted', 'again');
      const { events } = await log;
      expect(events.filter((event) => event.startsWith('failure'))).toEqual([
        'failure deadline-total',
      ]);
    });

    it('aborts a request that has no connection yet', async () => {
      const { send } = await startAgainst(() => undefined);
      const { exchange, log } = send();
      exchange.abort('deadline-connect', 'too slow');
      expect((await log).events).toEqual(['failure deadline-connect']);
    });
  });
};
