import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import {
  connectionOf,
  type ObserverLog,
  ok,
  post,
  type TransportUnderTest,
  transportWorld,
} from './transport-world.fixture.ts';

/** Tests how a transport reuses connections, and what it does if the server has closed one. */
export const keptConnectionSuite = (name: string, make: TransportUnderTest): void => {
  describe(`${name}, as to connections that are used again,`, () => {
    const { startAgainst } = transportWorld(make);

    describe('on a connection that the server closes without announcing it', () => {
      /** Starts a server and reads its first answers over one connection, which is then known to be kept. */
      const startKept = async (script: (socket: Socket, n: number) => unknown) => {
        const sockets: Socket[] = [];
        const world = await startAgainst((socket, n) => {
          sockets.push(socket);
          if (n < 4) socket.write(ok('x'));
          else script(socket, n);
        });
        for (let n = 0; n < 4; n += 1) await world.send().log;
        const [kept] = sockets;
        expect(new Set(sockets)).toEqual(new Set([kept]));
        return { ...world, kept: kept! };
      };
      /** Acts at the moment before the first byte of a request is written. */
      const whenSent = (act: () => void) => {
        let isDone = false;
        return (event: string): void => {
          if (event !== 'sent' || isDone) return;
          isDone = true;
          act();
        };
      };
      const movedTo = (last: string): readonly string[] => [
        'connected reused',
        'sent',
        'reconnect',
        'connected new',
        'sent',
        ...(last === 'end' ? ['headers 200 text/plain'] : []),
        last,
      ];

      it.each(['destroy', 'resetAndDestroy'] as const)(
        'sends a request that met its end once more on a new one (%s)',
        async (close) => {
          const { send, server, kept } = await startKept((socket) => socket.write(ok('y')));
          const { events, instants, body } = await send(
            post,
            whenSent(() => void kept[close]()),
          ).log;
          expect(events).toEqual(movedTo('end'));
          expect(body).toBe('y');
          expect(instants).toEqual([...instants].sort((a, b) => a - b));
          expect(server.requests).toHaveLength(5);
          expect(server.connections()).toBe(2);
        },
      );

      it('sends a request once more that was larger than what the system takes at once', async () => {
        const { send, server, kept } = await startKept((socket) => socket.write(ok('y')));
        const large = { ...post, body: new Uint8Array(2 << 20).fill(97) };
        const { events } = await send(
          large,
          whenSent(() => void kept.destroy()),
        ).log;
        expect(events).toEqual(movedTo('end'));
        expect(server.requests.at(-1)).toHaveLength(
          server.requests.at(-1)!.indexOf('\r\n\r\n') + 4 + (2 << 20),
        );
      });

      it('does not send it a third time', async () => {
        const { send, server, kept } = await startKept((socket) => socket.destroy());
        const { events } = await send(
          post,
          whenSent(() => void kept.destroy()),
        ).log;
        expect(events).toEqual(movedTo('failure closed-early'));
        expect(server.requests).toHaveLength(5);
        expect(server.connections()).toBe(2);
      });

      it('does not send it again once it was aborted', async () => {
        const { send, server, kept } = await startKept((socket) => socket.write(ok('y')));
        const close = whenSent(() => void kept.destroy());
        const sent = send(post, (event) => {
          close(event);
          if (event === 'reconnect') sent.exchange.abort('deadline-total', 'too long');
        });
        expect((await sent.log).events).toEqual([
          'connected reused',
          'sent',
          'reconnect',
          'failure deadline-total',
        ]);
        expect(server.requests).toHaveLength(4);
      });

      it.each([
        ['an end', (socket: Socket) => socket.end()],
        ['a close', (socket: Socket) => socket.destroy()],
        ['a reset', (socket: Socket) => socket.resetAndDestroy()],
        [
          'a part of an answer',
          (socket: Socket) => {
            socket.end('HTTP/1.1 200');
          },
        ],
      ])('sends nothing again that the server may have read, after %s', async (_, close) => {
        const { send, server } = await startKept(close);
        const { events } = await send().log;
        expect(events).not.toContain('reconnect');
        expect(events.at(-1)).toMatch(/^failure closed-(?:on-reuse|early)$/);
        expect(server.requests).toHaveLength(5);
      });

      it('uses none again of a server that closes each one after its answer, and says so', async () => {
        const { send, server, transport } = await startAgainst((socket) => socket.end(ok('x')));
        for (let n = 0; n < 6; n += 1) {
          const { events } = await send().log;
          expect(connectionOf({ events } as ObserverLog)).toBe('connected new');
          expect(events).not.toContain('reconnect');
          expect(events.at(-1)).toBe('end');
        }
        expect(server.requests).toHaveLength(6);
        expect(transport.notes()).toEqual([
          expect.stringContaining('closes its connections after each answer'),
        ]);
      });

      it('says nothing of a server that announces each close', async () => {
        const { send, transport } = await startAgainst((socket) =>
          socket.end(ok('x', 'connection: close\r\n')),
        );
        for (let n = 0; n < 6; n += 1) await send().log;
        expect(transport.notes()).toEqual([]);
      });
    });

    it.each([
      [{ reuse: false }, ['new', 'new', 'new', 'new', 'new']],
      [{ maxRequestsPerConnection: 1 }, ['new', 'new', 'new', 'new', 'new']],
      [{ maxRequestsPerConnection: 2 }, ['new', 'reused', 'new', 'reused', 'new']],
    ])('uses connections as often as %j allows', async (wire, expected) => {
      const { send, server } = await startAgainst((socket) => socket.write(ok('x')), wire);
      for (const connection of expected)
        expect(connectionOf(await send().log)).toBe(`connected ${connection}`);
      expect(server.connections()).toBe(expected.filter((each) => each === 'new').length);
    });

    it.each([
      ['counts down', (before: number) => 2 - before, [0, 0, 1, 1]],
      ['repeats it', () => 2, [0, 0, 1, 1]],
    ])('uses connections as often as a server allows that %s', async (_, max, expected) => {
      const answers = new Map<Socket, number>();
      const { send, server } = await startAgainst((socket) => {
        const before = answers.get(socket) ?? 0;
        answers.set(socket, before + 1);
        socket.write(ok('x', `keep-alive: timeout=9, max=${max(before)}\r\n`));
      });
      for (const connection of expected) {
        await send().log;
        expect(server.connections()).toBe(connection + 1);
      }
    });
  });
};
