import { type AddressInfo, createServer, type Socket } from 'node:net';
import { canaryEventInterval, canaryStreamCount } from '../../model/result/canary-timing.ts';
import { onInterrupt } from '../process/interrupts.ts';
import { stampedChunk, stampedHead } from './stamp.ts';

/**
 * This is the program of the canary's emitter, a separate process. It prints its port, and answers each request with an
 * endless stream of events. Each event contains its time of sending. The process ignores Ctrl-C, which the run handles,
 * and ends when its standard input ends, so it never outlives its parent process.
 */

/**
 * The sockets that send in each time slot. Time is divided into slots of equal length. The streams of an event loop
 * take turns: each stream sends in its own slot.
 */
const timeSlots = Array.from({ length: canaryStreamCount }, () => new Set<Socket>());

/**
 * Adds a stream to a time slot. The path of the request, such as `/1`, names the slot. An event loop has at most one
 * stream in each slot.
 */
const stream = (socket: Socket, request: string): void => {
  const sockets = timeSlots[Number(/^GET \/(\d+)/.exec(request)?.[1] ?? 0) % canaryStreamCount]!;
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
  socket.write(stampedHead, 'latin1');
};

const emit = (socket: Socket): void => {
  // An event is skipped if the previous event is still waiting to be sent, so memory stays bounded.
  if (socket.writableLength === 0) socket.write(stampedChunk(process.hrtime()), 'latin1');
};

const slotTime = canaryEventInterval / canaryStreamCount;
let timer: NodeJS.Timeout;
/**
 * Sends events at a random moment of time slot `number`. If events were sent at regular moments, and the event loop
 * paused with the same period, either no event or every event would fall into a pause. Slots that passed while this
 * process was delayed are skipped.
 */
const scheduleSlot = (number: number): void => {
  const wait = (number + Math.random()) * slotTime - performance.now();
  // The timeout is at least 1 ms, since Node prints a warning about shorter timers.
  timer = setTimeout(
    () => {
      for (const socket of timeSlots[number % canaryStreamCount]!) emit(socket);
      scheduleSlot(Math.max(number + 1, Math.floor(performance.now() / slotTime)));
    },
    Math.max(1, wait),
  );
};
scheduleSlot(Math.ceil(performance.now() / slotTime));

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => undefined);
  socket.once('data', (bytes) => stream(socket, bytes.toString('latin1')));
});
const release = onInterrupt(() => undefined);
const shutDown = (): void => {
  release();
  clearTimeout(timer);
  server.close();
  for (const socket of timeSlots.flatMap((sockets) => [...sockets])) socket.destroy();
};
process.stdin.once('end', shutDown).once('close', shutDown).resume();
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${port}\n`);
});
