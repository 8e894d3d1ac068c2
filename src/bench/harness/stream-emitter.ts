import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import tls from 'node:tls';
import { realClock } from '../../mock/clock/real-clock.ts';
import type { Certificate } from './self-signed-certificate.ts';
import { beginningText, endingText, tokenText } from './stream-text.ts';

/**
 * Chat streams whose every event says when it was handed to the socket. Reads a `StreamEmitterOptions` line
 * and says its port; each further line it answers with a `StreamCounts`.
 */

export interface StreamEmitterOptions {
  /** Between two events of a stream, in ms; 0: as fast as the socket takes them, many at once and without stamps. */
  readonly gap: number;
  /** Events with a token in each stream; `null`: until the connection is closed. */
  readonly tokens: number | null;
  /** `null`: plain. */
  readonly certificate: Certificate | null;
}

/** What there was so far; streams that broke off have not ended. */
export interface StreamCounts {
  /** When it was counted, in ms; only differences tell something. */
  readonly at: number;
  /** Events with a token. */
  readonly events: number;
  readonly begun: number;
  readonly ended: number;
}

const lines = createInterface({ input: process.stdin });
const options = await new Promise<StreamEmitterOptions>((resolve) =>
  lines.once('line', (line) => resolve(JSON.parse(line) as StreamEmitterOptions)),
);
const { gap, certificate } = options;
const tokens = options.tokens ?? Number.POSITIVE_INFINITY;
const ending = endingText(tokens);
const clock = realClock();
let events = 0;
let begun = 0;
let ended = 0;

const finish = (socket: Socket): void => {
  ended += 1;
  socket.write(ending, 'latin1');
};

const emit = (socket: Socket): void => {
  const first = clock.now() + gap;
  let step = 0;
  clock.series(first, {
    run: () => {
      if (socket.destroyed) return null;
      socket.write(tokenText(process.hrtime()), 'latin1');
      events += 1;
      step += 1;
      if (step < tokens) return first + step * gap;
      finish(socket);
      return null;
    },
  });
};

/** Events that are written at once where nothing paces them. */
const eventsPerWrite = 256;
const eventBatch = Buffer.from(
  Array.from({ length: eventsPerWrite }, (_, n) => tokenText([n, 0])).join(''),
);

const sendWithoutPacing = (socket: Socket): void => {
  let left = tokens;
  const run = (): void => {
    while (left > 0) {
      if (socket.destroyed) return;
      left -= eventsPerWrite;
      events += eventsPerWrite;
      if (!socket.write(eventBatch)) return void socket.once('drain', run);
    }
    finish(socket);
  };
  run();
};

const answer = (socket: Socket, request: string): void => {
  if (request.startsWith('GET /v1/models')) {
    // What looks at a target before a run gets an answer that says enough.
    socket.write('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n');
    return;
  }
  begun += 1;
  socket.write(beginningText, 'latin1');
  if (gap > 0) emit(socket);
  else sendWithoutPacing(socket);
};

const isComplete = (request: string): boolean => {
  const head = request.indexOf('\r\n\r\n');
  const length = Number(/content-length: (\d+)/i.exec(request)?.[1] ?? 0);
  return head >= 0 && request.length - head - 4 >= length;
};

const serve = (socket: Socket): void => {
  let request = '';
  socket.on('data', (bytes) => {
    request += bytes.toString('latin1');
    if (!isComplete(request)) return;
    answer(socket, request);
    request = '';
  });
  socket.on('error', () => undefined);
};

const server =
  certificate === null
    ? createServer({ noDelay: true }, serve)
    : tls.createServer({ ...certificate, noDelay: true }, serve);
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
  console.log(String((server.address() as AddressInfo).port)),
);
lines.on('line', () => {
  const count: StreamCounts = { at: clock.now(), events, begun, ended };
  console.log(JSON.stringify(count));
});
