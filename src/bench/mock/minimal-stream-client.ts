import net from 'node:net';
import { createInterface } from 'node:readline';
import { benchApiKey } from '../harness/small-chat.ts';

/**
 * A client for many streams at once that does as little as it can: it opens the connections, says
 * `open`, sends the request on each of them when it is told to, and says `done` when all have ended.
 */

interface MinimalStreamClientOptions {
  readonly port: number;
  readonly streams: number;
  readonly body: string;
  /** Requests are spread over so many milliseconds. */
  readonly spread: number;
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const input = createInterface({ input: process.stdin });
const lines = input[Symbol.asyncIterator]();
const { port, streams, body, spread } = JSON.parse(
  (await lines.next()).value as string,
) as MinimalStreamClientOptions;

const end = Buffer.from('data: [DONE]');
const open = (): Promise<net.Socket> =>
  new Promise((resolve, reject) => {
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
const sockets: net.Socket[] = [];
for (let i = 0; i < streams; i += 1) sockets.push(await open());
say('open');
await lines.next();

let ended = 0;
const request = (serial: number): string =>
  `POST /v1/chat/completions HTTP/1.1\r\nhost: weir\r\nauthorization: Bearer ${benchApiKey}\r\n` +
  `x-request-id: stream-${serial}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
for (const [serial, socket] of sockets.entries()) {
  socket.on('data', (bytes: Buffer) => {
    if (!bytes.includes(end)) return;
    ended += 1;
    if (ended === streams) say('done');
  });
  setTimeout(() => socket.write(request(serial)), (serial * spread) / streams);
}
