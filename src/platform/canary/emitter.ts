import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onInterrupt } from '../interrupts.ts';
import { stampedChunk, stampedHead } from './stamp.ts';

/**
 * The canary's emitter, a process of its own: says its port, and answers each connection's request with
 * a stream of stamped events that ends with the connection. It outlives Ctrl-C, which is the run's to
 * handle, and ends when its standard input does: with whoever started it, however that ended.
 */

/** Between two events of a stream, in ms: as many as a usual model's tokens. */
const gap = 50;

/** Streams begin spread over a gap, however many there are: multiples of the golden section lie as evenly as can be. */
const phaseOf = (number: number): number => ((number * 0.618_034) % 1) * gap;

const stream = (socket: Socket, number: number): void => {
  const emit = (): void => {
    // A reader that stands still is told of a few late events, not of all that it missed.
    if (socket.writableLength > 0) return;
    socket.write(stampedChunk(process.hrtime()), 'latin1');
  };
  let ticking: NodeJS.Timeout | undefined;
  const waiting = setTimeout(() => {
    ticking = setInterval(emit, gap);
  }, phaseOf(number));
  socket.once('close', () => {
    clearTimeout(waiting);
    clearInterval(ticking);
  });
  socket.write(stampedHead, 'latin1');
};

const open = new Set<Socket>();
let streams = 0;
const server = createServer({ noDelay: true }, (socket) => {
  open.add(socket);
  socket.on('error', () => undefined);
  socket.once('close', () => open.delete(socket));
  socket.once('data', () => {
    streams += 1;
    stream(socket, streams);
  });
});
const release = onInterrupt(() => undefined);
process.stdin
  .once('close', () => {
    release();
    server.close();
    for (const socket of open) socket.destroy();
  })
  .resume();
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${port}\n`);
});
