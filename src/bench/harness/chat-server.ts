import { createServer, type Socket } from 'node:net';
import tls from 'node:tls';
import { realClock } from '../../mock/clock/real-clock.ts';
import { beginningText, endingText, fixedAnswer, tokenText } from './chat-bytes.ts';
import { listenAndPrintPort, nextLine, readOptions } from './child-input.ts';

/**
 * The server that clients are measured against. It has no HTTP parser, since it must cost less than its clients. A
 * chat gets one fixed answer; a streamed chat gets tokens that carry the time at which they were written.
 * Reads `ChatServerOptions`, prints its port, and answers each further line: `times` with the times of tokens of the
 * streams since the last such line, in the form of the mock's trace log (`SentTimes`), any other with `StreamCounts`.
 */

export interface ChatServerOptions {
  /** Time between two tokens of a stream, in ms; 0 sends them as fast as the socket takes them, many in one write and without times. */
  readonly gap: number;
  /** Tokens in each stream, or as many as its request asks for; `null` sends until the connection is closed. */
  readonly tokens: number | 'asked' | null;
  /** Whether a paced token carries no time; instead, the server keeps when it was due and when it was sent. */
  readonly keepsTimes?: true;
  /** PEM texts, to speak TLS. */
  readonly certificate: { readonly key: string; readonly cert: string } | null;
}

/** Counts since the start; interrupted streams never end. */
export interface StreamCounts {
  /** The time of counting, in ms; only differences have a meaning. */
  readonly at: number;
  /** Events with a token. */
  readonly events: number;
  readonly begun: number;
  readonly ended: number;
}

/** When each token of a stream was due and when it was written to the socket, in ms of the machine's monotonic clock. */
export interface SentTimes {
  readonly requestId: string;
  readonly due: number[];
  readonly sent: number[];
}

const options = await readOptions<ChatServerOptions>();
const { gap, certificate, keepsTimes } = options;
const clock = realClock();
let events = 0;
let begun = 0;
let ended = 0;

let lines: SentTimes[] = [];

const requestIdOf = (request: Buffer): string =>
  /\r\nx-request-id: ([^\r]*)/i.exec(request.toString('latin1'))?.[1] ?? '';

const tokensOf = (request: Buffer): number => {
  if (options.tokens !== 'asked') return options.tokens ?? Number.POSITIVE_INFINITY;
  return Number(/"max_tokens":(\d+)/.exec(request.toString())?.[1]);
};

const finish = (socket: Socket, tokens: number): void => {
  ended += 1;
  socket.write(endingText(tokens), 'latin1');
};

const plainToken = tokenText([0, 0]);

const streamPaced = (socket: Socket, request: Buffer): void => {
  const tokens = tokensOf(request);
  const first = clock.now() + gap;
  const times: SentTimes = { requestId: keepsTimes ? requestIdOf(request) : '', due: [], sent: [] };
  if (keepsTimes) lines.push(times);
  let step = 0;
  clock.series(first, {
    run: () => {
      if (socket.destroyed) return null;
      if (keepsTimes) {
        times.due.push(first + step * gap);
        times.sent.push(clock.now());
      }
      socket.write(keepsTimes ? plainToken : tokenText(process.hrtime()), 'latin1');
      events += 1;
      step += 1;
      if (step < tokens) return first + step * gap;
      finish(socket, tokens);
      return null;
    },
  });
};

const eventsPerWrite = 256;
const batchOf = (count: number): Buffer =>
  Buffer.from(Array.from({ length: count }, (_, n) => tokenText([n, 0])).join(''));
const fullBatch = batchOf(eventsPerWrite);

const streamUnpaced = (socket: Socket, request: Buffer): void => {
  const tokens = tokensOf(request);
  let left = tokens;
  const run = (): void => {
    while (left > 0) {
      if (socket.destroyed) return;
      const count = Math.min(left, eventsPerWrite);
      left -= count;
      events += count;
      const batch = count === eventsPerWrite ? fullBatch : batchOf(count);
      if (!socket.write(batch)) return void socket.once('drain', run);
    }
    finish(socket, tokens);
  };
  run();
};

const closingBrace = 125;
const letterG = 71;

/** Whether the bytes of a read end a request: the body of a chat, or the GET of a preflight. */
const endsRequest = (bytes: Uint8Array): boolean =>
  bytes.at(-1) === closingBrace || bytes[0] === letterG;

const serve = (socket: Socket): void => {
  socket.on('data', (bytes: Buffer) => {
    if (!endsRequest(bytes)) return;
    if (!bytes.includes('"stream":true')) {
      socket.write(fixedAnswer);
      return;
    }
    begun += 1;
    socket.write(beginningText, 'latin1');
    (gap > 0 ? streamPaced : streamUnpaced)(socket, bytes);
  });
  socket.on('error', () => undefined);
};

listenAndPrintPort(
  certificate === null
    ? createServer({ noDelay: true }, serve)
    : tls
        .createServer({ ...certificate, noDelay: true }, serve)
        .on('tlsClientError', () => undefined),
);
for (let line = await nextLine(); line !== null; line = await nextLine()) {
  const counts: StreamCounts = { at: clock.now(), events, begun, ended };
  console.log(JSON.stringify(line === 'times' ? { lines } : counts));
  if (line === 'times') lines = [];
}
