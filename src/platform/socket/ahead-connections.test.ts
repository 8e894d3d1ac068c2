import { Socket } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { instant } from '../../model/quantity.ts';
import { AheadConnections } from './socket-transport.ts';
import type { SocketEvents } from './open-socket.ts';
import { ReadQueue } from './read-queue.ts';
import { RequestWriter } from './request-head.ts';
import { SocketConnection } from './socket-connection.ts';

/** Connections whose sockets the test opens and closes, on a clock that it moves. */
const world = () => {
  let [time, step] = [0, 0];
  const now = () => instant((time += step));
  const opened: { readonly connection: SocketConnection; readonly events: SocketEvents }[] = [];
  const events: SocketEvents[] = [];
  const destroyed: number[] = [];
  const ahead = new AheadConnections({ now }, () => {
    const connection = new SocketConnection(context, null);
    opened.push({ connection, events: events.at(-1)! });
    return connection;
  });
  const context = {
    clock: {
      now,
      read: now,
      every: () => () => undefined,
      alarm: () => ({ set: () => undefined, stop: () => undefined }),
      ringIfLate: () => undefined,
    },
    writer: new RequestWriter(),
    reads: new ReadQueue({ now, afterReads: () => undefined }),
    open: (each: SocketEvents) => {
      const nth = events.push(each) - 1;
      return () => {
        destroyed.push(nth);
        each.closed();
      };
    },
    onIdle: () => ahead.onSuccess(),
    onOpenedAhead: (connection: SocketConnection) => ahead.onOpened(connection),
    onReused: () => undefined,
    onEnded: (connection: SocketConnection) => ahead.onLost(connection),
    resend: () => undefined,
    onClosed: (connection: SocketConnection) => ahead.onLost(connection),
  };
  return {
    ahead,
    opened,
    destroyed,
    now,
    open: (nth: number): Socket => {
      const socket = new Socket();
      opened[nth]!.events.opened(socket);
      return socket;
    },
    fail: (nth: number) => {
      opened[nth]!.events.failed(new Error('refused'));
      opened[nth]!.events.closed();
    },
    moveTo: (at: number) => {
      time = at;
    },
    /** Each look at the clock takes this long, in ms. */
    slowDown: (by: number) => {
      step = by;
    },
  };
};

describe('connections ahead of their requests', () => {
  let { ahead, opened, destroyed, now, open, fail, moveTo, slowDown } = world();
  beforeEach(() => {
    ({ ahead, opened, destroyed, now, open, fail, moveTo, slowDown } = world());
  });

  it('are opened before the clock’s zero', () => {
    moveTo(-200);
    ahead.want(1);
    expect(opened).toHaveLength(1);
  });

  it('are opened until as many as wanted are ready or being opened', () => {
    ahead.want(3);
    expect(opened).toHaveLength(3);
    open(0);
    ahead.want(3);
    expect(opened).toHaveLength(3);
    ahead.want(4);
    expect(opened).toHaveLength(4);
  });

  it('are taken in the order in which they were opened, those that are ready first', () => {
    ahead.want(3);
    open(1);
    open(2);
    const [first, second, third] = opened.map(({ connection }) => connection);
    const taken = [1, 2, 3, 4].map(() => ahead.take(now()));
    expect(taken).toEqual([second, third, first, null]);
  });

  it('are not replaced once taken, as long as no more are wanted', () => {
    ahead.want(2);
    ahead.take(now());
    ahead.want(1);
    expect(opened).toHaveLength(2);
  });

  it('are not opened after one has failed, until a request has succeeded and a second has passed, then two', () => {
    ahead.want(2);
    fail(0);
    moveTo(900);
    ahead.want(5);
    ahead.onSuccess();
    ahead.want(2);
    expect(opened).toHaveLength(2);
    moveTo(1000);
    ahead.want(2);
    expect(opened).toHaveLength(3);
    fail(2);
    ahead.onSuccess();
    moveTo(2900);
    ahead.want(2);
    expect(opened.length).toBe(3);
    moveTo(3000);
    ahead.want(1);
    expect(opened).toHaveLength(4);
  });

  it('are given up if they do not open within a second, and others are opened instead', () => {
    ahead.want(2);
    open(0);
    moveTo(1001);
    ahead.want(2);
    expect(opened).toHaveLength(3);
    expect(ahead.take(now())).toBe(opened[0]!.connection);
    expect(ahead.take(now())).toBe(opened[2]!.connection);
    expect(ahead.take(now())).toBeNull();
  });

  it('are not opened after the server has closed an unused one', () => {
    ahead.want(1);
    open(0);
    opened[0]!.events.ended();
    ahead.want(1);
    expect(opened).toHaveLength(1);
  });

  it('are replaced when they have been unused for two seconds', () => {
    ahead.want(1);
    open(0);
    moveTo(1999);
    ahead.want(1);
    expect(opened).toHaveLength(1);
    moveTo(2000);
    ahead.want(1);
    expect(opened).toHaveLength(2);
    expect(destroyed).toEqual([0]);
  });

  it('are not taken once they have been unused for two seconds, or are no longer open', () => {
    ahead.want(3);
    const sockets = [open(0), open(1), open(2)];
    sockets[0]!.destroy();
    moveTo(1999);
    expect(ahead.take(now())).toBe(opened[1]!.connection);
    moveTo(2000);
    expect(ahead.take(now())).toBeNull();
    expect(destroyed).toEqual([0, 2]);
  });

  it('are not taken if they have been opening for more than a second', () => {
    ahead.want(2);
    moveTo(1000);
    expect(ahead.take(now())).toBe(opened[0]!.connection);
    moveTo(1001);
    expect(ahead.take(now())).toBeNull();
    expect(destroyed).toEqual([1]);
  });

  it('that fail together are one failure, which only a request that succeeds can end', () => {
    ahead.want(2);
    fail(0);
    fail(1);
    moveTo(1000);
    ahead.want(1);
    expect(opened).toHaveLength(2);
    ahead.onSuccess();
    ahead.want(1);
    expect(opened).toHaveLength(3);
  });

  it('are fewer by those that were taken since more were wanted', async () => {
    slowDown(0.6);
    ahead.want(3);
    expect(opened).toHaveLength(2);
    ahead.take(now());
    await new Promise(setImmediate);
    expect(opened).toHaveLength(3);
  });

  it('are not opened in the same turn once a whole millisecond has passed', () => {
    slowDown(0.5);
    ahead.want(3);
    expect(opened).toHaveLength(2);
  });

  it('are opened for a millisecond in each turn of the event loop', async () => {
    slowDown(0.6);
    ahead.want(3);
    expect(opened).toHaveLength(2);
    await new Promise(setImmediate);
    expect(opened).toHaveLength(3);
  });

  it('are opened in as many turns as they need, whenever more are wanted', async () => {
    slowDown(0.6);
    const turn = (): Promise<void> => new Promise(setImmediate);
    ahead.want(5);
    expect(opened).toHaveLength(2);
    ahead.want(5);
    expect(opened).toHaveLength(2);
    await turn();
    expect(opened).toHaveLength(4);
    await turn();
    expect(opened).toHaveLength(5);
    await turn();
    ahead.want(8);
    expect(opened).toHaveLength(7);
    await turn();
    expect(opened).toHaveLength(8);
  });
});
