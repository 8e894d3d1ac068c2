// @gate 2 s
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { tries } from '../../model/tries.fixture.ts';
import { cleanHeap } from '../host/clean-heap.ts';
import { type LiveServer, openLiveServer } from './live-server.ts';

const servers: LiveServer[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => server.finish('gone', '')));
});

const opened = async () => {
  const onStop = vi.fn<() => void>();
  const counts: number[] = [];
  const server = await openLiveServer(0, {
    page: () => '<p>page</p>',
    onStop,
    onReaders: (count) => counts.push(count),
  });
  servers.push(server);
  const { origin, host, pathname, port } = new URL(server.address);
  return { server, onStop, counts, origin, host, pathname, port: Number(port) };
};
type Opened = Awaited<ReturnType<typeof opened>>;

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const ask = async ({ port, pathname }: Opened, { method = 'GET', path, headers = {} }: Asked) => {
  const asked = request({ host: '127.0.0.1', port, method, path: path ?? pathname, headers });
  asked.end();
  const [response] = await once(asked, 'response');
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
};

/** Opens the stream of updates on a bare socket. */
const follow = async ({ port, pathname, host }: Opened): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(`GET ${pathname}events HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  return socket;
};

const readFrom = (socket: Socket): { all: string } => {
  const received = { all: '' };
  socket.setEncoding('utf8').on('data', (part: string) => {
    received.all += part;
  });
  return received;
};

describe('the server of a live page', () => {
  it('serves the page to whoever knows the token, and lets nothing keep or embed it', async () => {
    const live = await opened();
    expect(live.pathname).toMatch(/^\/[\w-]{32}\/$/);
    const { status, body, headers } = await ask(live, {});
    expect([status, body]).toEqual([200, '<p>page</p>']);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
  });

  it('shows nothing to other tokens and paths', async () => {
    const live = await opened();
    const other = `/${'A'.repeat(32)}/`;
    const paths = ['/', '/favicon.ico', other, `${other}events`, `${live.pathname}constructor`];
    for (const path of [...paths, live.pathname.slice(0, -1), `${live.pathname}events/`]) {
      const { status, body } = await ask(live, { path });
      expect([path, status]).toEqual([path, 404]);
      expect(body).not.toContain('page</p>');
    }
    const { status } = await ask(live, {
      method: 'POST',
      path: `${other}stop`,
      headers: { origin: live.origin },
    });
    expect(status).toBe(404);
    expect(live.onStop).not.toHaveBeenCalled();
  });

  it('refuses a Host that is not its own: a name that points to this machine', async () => {
    const live = await opened();
    for (const host of ['attacker.example', `attacker.example:${live.port}`, '127.0.0.1:1']) {
      expect((await ask(live, { headers: { host } })).status).toBe(403);
    }
    const host = `localhost:${live.port}`;
    expect((await ask(live, { headers: { host } })).status).toBe(200);
  });

  it('refuses other origins, and stops only by POST from the page itself', async () => {
    const live = await opened();
    const path = `${live.pathname}stop`;
    const post = (headers: Readonly<Record<string, string>>) =>
      ask(live, { method: 'POST', path, headers });
    for (const origin of ['http://attacker.example', 'null', `https://${live.host}`]) {
      expect((await post({ origin })).status).toBe(403);
      expect((await ask(live, { headers: { origin } })).status).toBe(403);
    }
    expect((await post({})).status).toBe(403);
    const got = await ask(live, { path, headers: { origin: live.origin } });
    expect([got.status, got.headers.allow]).toEqual([405, 'POST']);
    expect(live.onStop).not.toHaveBeenCalled();
    expect((await post({ origin: live.origin })).status).toBe(202);
    expect(live.onStop).toHaveBeenCalledTimes(1);
  });

  it('listens at 127.0.0.1 only', async () => {
    const { port } = await opened();
    const socket = connect(port, '127.0.0.2');
    await expect(once(socket, 'connect')).rejects.toThrow('ECONNREFUSED');
  });

  it('sends updates to all readers, the newest to one that comes later, and the last to all', async () => {
    const live = await opened();
    const first = readFrom(await follow(live));
    await vi.waitFor(() => expect(live.counts).toEqual([1]));
    live.server.send('page', 'one\ntwo');
    await vi.waitFor(() => expect(first.all).toContain('event: page\ndata: "one\\ntwo"\n\n'));
    const second = readFrom(await follow(live));
    await vi.waitFor(() => expect(second.all).toContain('"one\\ntwo"'));
    await live.server.finish('finished', 'report');
    for (const reader of [first, second]) {
      await vi.waitFor(() => expect(reader.all).toContain('event: finished\ndata: "report"\n\n'));
    }
    expect(live.counts).toEqual([1, 2, 1, 0]);
    await expect(ask(live, {})).rejects.toThrow('ECONNREFUSED');
  });

  it('keeps one update at most for a reader that does not read, and ends without it', async () => {
    const live = await opened();
    const slow = await follow(live);
    slow.pause();
    await vi.waitFor(() => expect(live.counts).toEqual([1]));
    const large = 'x'.repeat(1_000_000);
    const before = process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed;
    const count = tries(300);
    for (let i = 0; i < count; i += 1) {
      live.server.send('page', large);
      await new Promise(setImmediate);
    }
    cleanHeap();
    const { arrayBuffers, heapUsed } = process.memoryUsage();
    // Garbage that waits for its collector is not kept.
    expect(arrayBuffers + heapUsed - before).toBeLessThan((count * large.length) / 3);
    const begun = performance.now();
    await live.server.finish('finished', 'report');
    expect(performance.now() - begun).toBeLessThan(5000);
  });

  it('disconnects a reader that has accepted nothing for half a minute, and no other', async () => {
    const live = await opened();
    const reader = await follow(live);
    await vi.waitFor(() => expect(live.counts).toEqual([1]));
    let time = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => time);
    onTestFinished(() => clock.mockRestore());
    const large = 'x'.repeat(20_000_000);
    const sendAfter = async (seconds: number, data: string): Promise<number | undefined> => {
      time += seconds * 1000;
      live.server.send('page', data);
      await new Promise((resolve) => setTimeout(resolve, 5));
      return live.counts.at(-1);
    };
    // The reader has had everything until it no longer reads.
    expect(await sendAfter(20, 'a')).toBe(1);
    expect(await sendAfter(20, 'b')).toBe(1);
    reader.pause();
    expect(await sendAfter(0, large)).toBe(1);
    expect(await sendAfter(29, 'c')).toBe(1);
    await sendAfter(2, 'd');
    await vi.waitFor(() => expect(live.counts).toEqual([1, 0]));
  });

  it('has eight readers at most', async () => {
    const live = await opened();
    for (let i = 0; i < 8; i += 1) await follow(live);
    await vi.waitFor(() => expect(live.counts.at(-1)).toBe(8));
    const ninth = await ask(live, { path: `${live.pathname}events` });
    expect([ninth.status, ninth.body]).toEqual([503, expect.stringContaining('8 readers')]);
  });
});
