import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { ExchangeObserver } from '../../model/observation/exchange.ts';
import { instant } from '../../model/quantity.ts';
import type { SocketEvents } from './open-socket.ts';
import { ReadQueue } from './read-queue.ts';
import { RequestWriter } from './request-head.ts';
import { SocketConnection, SocketExchange } from './socket-connection.ts';

/** A socket that takes what is written at once, or never. */
class Sink extends Writable {
  allowHalfOpen = false;
  readonly written: string[] = [];
  readonly #isStuck: boolean;

  constructor(isStuck = false) {
    super();
    this.#isStuck = isStuck;
  }

  override _write(bytes: Buffer, _: unknown, done: () => void): void {
    this.written.push(bytes.toString());
    if (!this.#isStuck) done();
  }
}

/** A connection on a clock that a test sets, and a log of what is reported. */
const world = () => {
  const log: string[] = [];
  const time = { now: 0 };
  const turns: (() => void)[] = [];
  const now = () => instant(time.now);
  const note =
    (name: string) =>
    (...words: readonly unknown[]): void =>
      void log.push([name, ...words.filter((word) => typeof word !== 'object')].join(' '));
  const clock = {
    now,
    read: now,
    every: () => () => undefined,
    alarm: () => ({ set: () => undefined, stop: () => undefined }),
    ringIfLate: note('ring'),
  };
  let events: SocketEvents | null = null;
  const context = {
    clock,
    writer: new RequestWriter(),
    reads: new ReadQueue({ now, afterReads: (work) => turns.push(work) }),
    open: (each: SocketEvents) => {
      events = each;
      return note('cancel');
    },
    onIdle: note('idle'),
    onReused: note('reused'),
    onOpenedAhead: note('opened ahead'),
    onEnded: (_: unknown, at: number) => log.push(`ended ${at}`),
    resend: note('resend'),
    onClosed: note('closed'),
  };
  const request = (name: string, closes = false) => {
    const observer = {
      onConnected: note(`${name} connected`),
      onReconnect: note(`${name} reconnects`),
      onSent: note(`${name} sent`),
      onHeaders: (at: number, status: number) => log.push(`${name} headers ${at} ${status}`),
      onChunk: (at: number, bytes: Uint8Array) =>
        log.push(`${name} chunk ${at} ${Buffer.from(bytes).toString()}`),
      onEnd: note(`${name} end`),
      onFailure: note(`${name} failure`),
    } as unknown as ExchangeObserver;
    const exchange = new SocketExchange(clock, observer, note('defect'));
    return { exchange, head: `${name}\r\n\r\n`, body: null, closes };
  };
  return {
    log,
    time,
    context,
    request,
    /** Reads a text at an instant, and delivers it unless the turn is still going on. */
    read: (at: number, text: string, isDelivered = true): void => {
      time.now = at;
      events!.read(Buffer.from(text), text.length);
      if (isDelivered) for (const turn of turns.splice(0)) turn();
    },
    /** The log since the last call. */
    since: () => log.splice(0).filter((line) => !line.startsWith('ring')),
  };
};

const answer = (fields = '', body = 'x'): string =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n${fields}\r\n${body}`;

/** A connection that has answered one request, and is idle. */
const idle = (fields = '', isStuck = false) => {
  const each = world();
  const connection = new SocketConnection(each.context, each.request('one'));
  const socket = new Sink(isStuck);
  connection.opened(socket as unknown as Socket);
  each.read(5, answer(fields));
  return { ...each, connection, socket };
};

describe('a connection', () => {
  it('that is opened for a request sends it once it is open, and is idle after the answer', () => {
    const { connection, socket, since } = idle();
    expect(since()).toEqual([
      'one connected 0 new',
      'one sent 0',
      'one headers 5 200',
      'one chunk 5 x',
      'idle',
      'one end 5',
    ]);
    expect(socket.written).toEqual(['one\r\n\r\n']);
    expect(socket.allowHalfOpen).toBe(true);
    expect(connection).toMatchObject({
      isOpen: true,
      answers: 1,
      isChunked: false,
      answeredAt: 5,
      idleUntil: 600_005,
    });
  });

  it('is kept as long as the server says, if that is shorter', () => {
    expect(idle('keep-alive: timeout=12\r\n').connection.idleUntil).toBe(10_005);
  });

  it('sends a second request at once, and says when its answer begins', () => {
    const { connection, socket, request, read, time, since } = idle();
    since();
    time.now = 7;
    connection.begin(request('two'), instant(7));
    expect(socket.written).toEqual(['one\r\n\r\n', 'two\r\n\r\n']);
    read(8, 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    read(9, '1\r\nx\r\n0\r\n\r\n');
    expect(since()).toEqual([
      'two connected 7 reused',
      'two sent 7',
      'reused',
      'two headers 8 200',
      'two chunk 9 x',
      'idle',
      'two end 9',
    ]);
    expect(connection).toMatchObject({ answers: 2, isChunked: true, answeredAt: 9 });
  });

  it('rings late alarms after each read, before anything is delivered', () => {
    const { log, read } = idle();
    log.length = 0;
    read(8, 'x', false);
    expect(log).toEqual(['ring 8']);
  });

  it.each([
    ['the request asks for it', '', true, false],
    ['the server asks for it', 'connection: close\r\n', false, false],
    ['a part of the request was not sent', '', false, true],
  ])('is not used again if %s', (_, fields, closes, isStuck) => {
    const { context, request, read, since } = world();
    const connection = new SocketConnection(context, request('one', closes));
    connection.opened(new Sink(isStuck) as unknown as Socket);
    expect(connection.hasUnwritten()).toBe(isStuck);
    read(5, answer(fields));
    expect(since().slice(-2)).toEqual(['cancel', 'one end 5']);
    expect(connection.answers).toBe(0);
  });

  it('that waits to write one byte only is not used again either', () => {
    const { context, request, read, since } = world();
    const one = { ...request('one'), head: '.' };
    const connection = new SocketConnection(context, one);
    connection.opened(new Sink(true) as unknown as Socket);
    expect(one.exchange.hasUnwritten()).toBe(true);
    read(5, answer());
    expect(since()).not.toContain('idle');
  });

  it('is ended by bytes that no request asked for', () => {
    const { read, since } = idle();
    since();
    read(6, 'more');
    expect(since()).toEqual(['cancel']);
  });

  it('that is closed aborts its request', () => {
    const { context, request, since } = world();
    const connection = new SocketConnection(context, request('one'));
    connection.close();
    expect(since()).toEqual(['cancel', 'one failure 0 aborted the transport was closed', 'cancel']);
    connection.closed();
    expect(since()).toEqual(['closed']);
  });

  it('that breaks while it is open fails its request with what was received before', () => {
    const { context, request, read, since } = world();
    const connection = new SocketConnection(context, request('one'));
    connection.opened(new Sink() as unknown as Socket);
    since();
    read(3, 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nx', false);
    connection.failed(Object.assign(new Error('gone'), { code: 'ECONNRESET' }));
    expect(since()).toEqual([
      'one headers 3 200',
      'one chunk 3 x',
      'cancel',
      'one failure 3 reset gone (ECONNRESET)',
    ]);
  });

  it.each([
    ['before its answer', ''],
    ['in the middle of its answer', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nx'],
  ])('that closes %s fails its request', (_, text) => {
    const { context, request, read, since } = world();
    const connection = new SocketConnection(context, request('one'));
    connection.opened(new Sink() as unknown as Socket);
    if (text !== '') read(3, text);
    since();
    connection.closed();
    const [cancelled, failure, closed] = since();
    expect([cancelled, closed]).toEqual(['cancel', 'closed']);
    expect(failure).toContain('closed-early');
  });

  it('that sends no HTTP fails its request', () => {
    const { context, request, read, since } = world();
    const connection = new SocketConnection(context, request('one'));
    connection.opened(new Sink() as unknown as Socket);
    since();
    read(3, '220 mail');
    const [cancelled, failure] = since();
    expect(cancelled).toBe('cancel');
    expect(failure).toContain('one failure 3 protocol');
  });
});

describe('the end that a server sends', () => {
  it('is reported once of an idle connection, which is closed', () => {
    const { connection, time, since } = idle();
    since();
    time.now = 9;
    connection.ended();
    connection.failed(new Error('late'));
    expect(since()).toEqual(['ended 9', 'cancel']);
  });

  it('is nothing before the connection is open', () => {
    const { context, request, since } = world();
    new SocketConnection(context, request('one')).ended();
    expect(since()).toEqual([]);
  });

  it('completes an answer without a length, after what was read in the same turn', () => {
    const { context, request, read, time, since } = world();
    const connection = new SocketConnection(context, request('one'));
    connection.opened(new Sink() as unknown as Socket);
    since();
    read(3, 'HTTP/1.1 200 OK\r\n\r\nx', false);
    time.now = 4;
    connection.ended();
    expect(since()).toEqual(['one headers 3 200', 'one chunk 3 x', 'cancel', 'one end 4']);
  });

  it('is a failure of a new connection without an answer', () => {
    const { context, request, since } = world();
    const connection = new SocketConnection(context, request('one'));
    connection.opened(new Sink() as unknown as Socket);
    since();
    connection.ended();
    const [cancelled, failure] = since();
    expect(cancelled).toBe('cancel');
    expect(failure).toContain('one failure 0 closed-early');
  });

  it('moves a request that a used connection has not written', () => {
    const { context, request, read, time, since } = world();
    const connection = new SocketConnection(context, request('one'));
    const socket = new Sink();
    connection.opened(socket as unknown as Socket);
    read(5, answer());
    since();
    socket.cork();
    time.now = 7;
    connection.begin(request('two'), instant(6));
    connection.ended();
    expect(since()).toEqual([
      'two connected 6 reused',
      'two sent 6',
      'ended 7',
      'two reconnects 7',
      'cancel',
      'resend',
    ]);
    connection.closed();
    expect(since()).toEqual(['closed']);
  });

  it('is a failure of a used connection that nothing refuses', () => {
    const { connection, socket, request, time, since } = idle();
    connection.begin(request('two'), instant(6));
    since();
    time.now = 7;
    // Nobody looks for a refusal on a socket that is closed.
    socket.destroy();
    connection.ended();
    const [ended, cancelled, failure] = since();
    expect([ended, cancelled]).toEqual(['ended 7', 'cancel']);
    expect(failure).toContain('two failure 7');
  });

  it('moves no request whose answer has begun', () => {
    const { connection, request, read, since } = idle();
    connection.begin(request('two'), instant(6));
    read(7, 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nx');
    since();
    connection.failed(Object.assign(new Error('gone'), { code: 'EPIPE', syscall: 'write' }));
    expect(since()).toEqual(['cancel', 'two failure 7 reset gone (EPIPE)']);
  });

  it('is reported of a used connection that breaks before the answer', () => {
    const { connection, request, time, since } = idle();
    connection.begin(request('two'), instant(6));
    since();
    time.now = 8;
    connection.failed(Object.assign(new Error('gone'), { code: 'EPIPE', syscall: 'write' }));
    expect(since()).toEqual(['ended 8', 'two reconnects 8', 'cancel', 'resend']);
  });
});

describe('a connection that is opened ahead', () => {
  it('is reported when it is open, and sends its first request as such', () => {
    const { context, request, read, since } = world();
    const connection = new SocketConnection(context, null);
    const socket = new Sink();
    connection.opened(socket as unknown as Socket);
    expect(since()).toEqual(['opened ahead']);
    connection.begin(request('one'), instant(2));
    read(3, answer());
    expect(since()).toEqual([
      'one connected 2 ahead',
      'one sent 2',
      'one headers 3 200',
      'one chunk 3 x',
      'idle',
      'one end 3',
    ]);
  });

  it('has no end of the server to report if it does not open', () => {
    const { context, since } = world();
    new SocketConnection(context, null).failed(new Error('refused'));
    expect(since()).toEqual([]);
  });

  it('is a new one for a request that comes before it is open', () => {
    const { context, request, time, since } = world();
    const connection = new SocketConnection(context, null);
    connection.begin(request('one'), instant(2));
    expect(since()).toEqual([]);
    expect(connection.isOpen).toBe(false);
    time.now = 4;
    connection.opened(new Sink() as unknown as Socket);
    expect(since()).toEqual(['one connected 4 new', 'one sent 4']);
  });
});
