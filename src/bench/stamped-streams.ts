import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { realClock } from '../mock/real-clock.ts';
import { stampedChunk, stampedHead } from '../platform/canary/stamp.ts';

/**
 * Streams whose every event says when it was handed to the socket. Reads an `Order` line and says its
 * port. A stream begins with a connection's request and goes on until the connection is closed.
 */

interface Order {
  /** Between two events of a stream, in ms. */
  readonly gap: number;
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { gap } = JSON.parse((await lines.next()).value as string) as Order;

const clock = realClock();

const stream = (socket: Socket): void => {
  socket.write(stampedHead, 'latin1');
  const first = clock.now() + gap;
  let step = 0;
  const run = (): void => {
    if (socket.destroyed) return;
    socket.write(stampedChunk(process.hrtime()), 'latin1');
    step += 1;
    clock.at(first + step * gap, run);
  };
  clock.at(first, run);
};

const server = createServer({ noDelay: true }, (socket) => {
  socket.once('data', () => stream(socket));
  socket.on('error', () => undefined);
});
server.listen(0, '127.0.0.1', () => console.log(String((server.address() as AddressInfo).port)));
