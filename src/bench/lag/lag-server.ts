import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { endsRequest, fixedAnswer } from '../harness/fixed-answer.ts';
import { beginningText, endingText, tokenText } from '../harness/stream-text.ts';

/**
 * Answers chats at once, as the fast server does, and a chat that asks for a stream with a token every
 * `gap` ms. Reads an `LagServerOptions` line and says its port.
 */

interface LagServerOptions {
  /** Between two tokens of a stream, in whole ms. */
  readonly gap: number;
  /** Of each stream. */
  readonly tokens: number;
}

interface Stream {
  readonly socket: Socket;
  left: number;
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { gap, tokens } = JSON.parse((await lines.next()).value as string) as LagServerOptions;

const token = tokenText([0, 0]);
const end = token + endingText(tokens);

/** Streams by the millisecond, of the gap's, in which their tokens are due. */
const slots = Array.from({ length: gap }, () => new Set<Stream>());
const millisecond = (): number => Math.floor(performance.now());

const advance = (slot: Set<Stream>): void => {
  for (const stream of slot) {
    stream.left -= 1;
    stream.socket.write(stream.left > 0 ? token : end, 'latin1');
    if (stream.left === 0 || stream.socket.destroyed) slot.delete(stream);
  }
};

let passed = millisecond();
setInterval(() => {
  for (const now = millisecond(); passed < now; passed += 1) advance(slots[passed % gap]!);
}, 1);

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('data', (bytes: Buffer) => {
    if (!endsRequest(bytes)) return;
    if (bytes.includes('"stream":true')) {
      socket.write(beginningText, 'latin1');
      slots[millisecond() % gap]!.add({ socket, left: tokens });
    } else socket.write(fixedAnswer);
  });
  socket.on('error', () => undefined);
});
server.listen(0, '127.0.0.1', () => console.log(String((server.address() as AddressInfo).port)));
