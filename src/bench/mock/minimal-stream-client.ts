import net from 'node:net';
import { rawRequest } from '../harness/chat-bytes.ts';
import { nextLine, readOptions } from '../harness/child-input.ts';

/**
 * A minimal client for many streams at once: opens the connections, prints `open`, sends the requests at the next
 * line that it reads, and prints `done` when all streams have ended.
 */

export interface StreamClientOptions {
  readonly port: number;
  readonly streams: number;
  readonly body: string;
  /** The requests begin evenly over this time, in ms. */
  readonly spread: number;
}

const { port, streams, body, spread } = await readOptions<StreamClientOptions>();

const end = Buffer.from('data: [DONE]');
const open = (): Promise<net.Socket> =>
  new Promise((resolve, reject) => {
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
const sockets: net.Socket[] = [];
for (let i = 0; i < streams; i += 1) sockets.push(await open());
console.log('open');
await nextLine();

let ended = 0;
for (const [serial, socket] of sockets.entries()) {
  socket.on('data', (bytes: Buffer) => {
    if (!bytes.includes(end)) return;
    ended += 1;
    if (ended === streams) console.log('done');
  });
  const request = rawRequest(body, `stream-${serial}`);
  setTimeout(() => socket.write(request), (serial * spread) / streams);
}
