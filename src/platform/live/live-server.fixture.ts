import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished, vi } from 'vitest';
import { openLiveServer } from './live-server.ts';

/** Servers of live pages, and readers on bare sockets, until the test has finished. */

export const openLive = async () => {
  const onStop = vi.fn<() => void>();
  const counts: number[] = [];
  const server = await openLiveServer(0, {
    page: () => '<p>page</p>',
    onStop,
    onReaders: (count) => counts.push(count),
  });
  onTestFinished(() => server.finish('gone', ''));
  const { origin, host, pathname, port } = new URL(server.address);
  return { server, onStop, counts, origin, host, pathname, port: Number(port) };
};
export type OpenedLive = Awaited<ReturnType<typeof openLive>>;

/** Opens the stream of updates on a bare socket. */
export const followLive = async ({ port, pathname, host }: OpenedLive): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(`GET ${pathname}events HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  return socket;
};
