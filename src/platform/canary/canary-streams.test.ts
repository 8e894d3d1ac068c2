import { type AddressInfo, type Socket, createServer } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type CanaryStreams, openCanaryStreams } from './canary-streams.ts';
import { stampedChunk, stampedHead } from './stamp.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close();
});

/** An emitter by hand: its sockets once each has asked. */
const emitterByHand = async (): Promise<{ port: number; sockets: readonly Socket[] }> => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      sockets.push(socket);
      socket.write(stampedHead);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  open.push(server);
  return { port: (server.address() as AddressInfo).port, sockets };
};

const watched = async (port: number, transport: 'socket' | 'undici'): Promise<CanaryStreams> => {
  const streams = await openCanaryStreams({ port, streams: 3, transport });
  open.push(streams);
  return streams;
};

describe.each(['socket', 'undici'] as const)('canary streams by the transport %s', (transport) => {
  it('measure how long events wait for their event loop', async () => {
    const { port, sockets } = await emitterByHand();
    const streams = await watched(port, transport);
    for (const socket of sockets) socket.write(stampedChunk(process.hrtime()));
    // This event loop is blocked.
    const end = performance.now() + 40;
    while (performance.now() < end);
    const errors: [number, number][] = [];
    await vi.waitFor(() => {
      errors.push(...streams.take().errors);
      expect(errors.reduce((sum, [, events]) => sum + events, 0)).toBe(3);
    });
    for (const [error] of errors) expect(error).toBeGreaterThanOrEqual(39);
  });

  it('do not count events that were sent before the run began', async () => {
    const { port, sockets } = await emitterByHand();
    const streams = await watched(port, transport);
    streams.begin(60_000);
    for (const socket of sockets) socket.write(stampedChunk(process.hrtime()));
    const [seconds, nanoseconds] = process.hrtime();
    for (const socket of sockets) socket.write(stampedChunk([seconds + 61, nanoseconds]));
    // Those of a later stamp are behind the others in each stream.
    const errors: [number, number][] = [];
    await vi.waitFor(() => {
      errors.push(...streams.take().errors);
      expect(errors.reduce((sum, [error, events]) => sum + (error === 0 ? events : 0), 0)).toBe(3);
    });
    expect(errors.every(([error]) => error === 0)).toBe(true);
  });

  it('are counted while they are open', async () => {
    const { port, sockets } = await emitterByHand();
    const streams = await watched(port, transport);
    expect(streams.take()).toEqual({ streams: 3, errors: [], outside: [] });
    sockets[0]?.destroy();
    await vi.waitFor(() => expect(streams.take().streams).toBe(2));
  });

  it('are absent if nothing listens', async () => {
    const { port } = await emitterByHand();
    await Promise.all(open.splice(0).map((server) => server.close()));
    expect((await watched(port, transport)).take()).toEqual({
      streams: 0,
      errors: [],
      outside: [],
    });
  });
});
