import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { followLive, openLive, type OpenedLive } from './live-server.fixture.ts';

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const ask = async (
  { port, pathname }: OpenedLive,
  { method = 'GET', path, headers = {} }: Asked,
) => {
  const asked = request({ host: '127.0.0.1', port, method, path: path ?? pathname, headers });
  asked.end();
  const [response] = await once(asked, 'response');
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
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
    const live = await openLive();
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
    const live = await openLive();
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
    const live = await openLive();
    for (const host of ['attacker.example', `attacker.example:${live.port}`, '127.0.0.1:1']) {
      expect((await ask(live, { headers: { host } })).status).toBe(403);
    }
    const host = `localhost:${live.port}`;
    expect((await ask(live, { headers: { host } })).status).toBe(200);
  });

  it('refuses other origins, and stops only by POST from the page itself', async () => {
    const live = await openLive();
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
    const { port } = await openLive();
    const socket = connect(port, '127.0.0.2');
    await expect(once(socket, 'connect')).rejects.toThrow('ECONNREFUSED');
  });

  it('sends updates to all readers, the newest to one that comes later, and the last to all', async () => {
    const live = await openLive();
    const first = readFrom(await followLive(live));
    await vi.waitFor(() => expect(live.counts).toEqual([1]));
    live.server.send('page', 'one\ntwo');
    await vi.waitFor(() => expect(first.all).toContain('event: page\ndata: "one\\ntwo"\n\n'));
    const second = readFrom(await followLive(live));
    await vi.waitFor(() => expect(second.all).toContain('"one\\ntwo"'));
    await live.server.finish('finished', 'report');
    for (const reader of [first, second]) {
      await vi.waitFor(() => expect(reader.all).toContain('event: finished\ndata: "report"\n\n'));
    }
    expect(live.counts).toEqual([1, 2, 1, 0]);
    await expect(ask(live, {})).rejects.toThrow('ECONNREFUSED');
  });

  it('has eight readers at most', async () => {
    const live = await openLive();
    for (let i = 0; i < 8; i += 1) await followLive(live);
    await vi.waitFor(() => expect(live.counts.at(-1)).toBe(8));
    const ninth = await ask(live, { path: `${live.pathname}events` });
    expect([ninth.status, ninth.body]).toEqual([503, expect.stringContaining('8 readers')]);
  });
});
