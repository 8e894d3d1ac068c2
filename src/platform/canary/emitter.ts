import { type AddressInfo, createServer, type Socket } from 'node:net';
import { canaryBeats, canaryGap } from '../../model/canary-beats.ts';
import { onInterrupt } from '../interrupts.ts';
import { stampedChunk, stampedHead } from './stamp.ts';

/**
 * The canary's emitter, a process of its own: says its port, and answers each connection's request with
 * a stream of stamped events that ends with the connection. It outlives Ctrl-C, which is the run's to
 * handle, and ends when its standard input does: with whoever started it, however that ended.
 */

/** The streams of each beat. */
const turns = Array.from({ length: canaryBeats }, () => new Set<Socket>());

/** Each loop shares its streams evenly among the beats: a request's path names its own, as `/1`. */
const stream = (socket: Socket, request: string): void => {
  const turn = turns[Number(/^GET \/(\d)/.exec(request)?.[1] ?? 0) % canaryBeats]!;
  turn.add(socket);
  socket.once('close', () => turn.delete(socket));
  socket.write(stampedHead, 'latin1');
};

const emit = (socket: Socket): void => {
  // Bounds what waits here for a reader that does not read; what the kernel holds is told late, as it is.
  if (socket.writableLength === 0) socket.write(stampedChunk(process.hrtime()), 'latin1');
};

const apart = canaryGap / canaryBeats;
let beat = 0;
let beating: NodeJS.Timeout;
/** Beats keep their places in time; those of a time in which this process was held up are left out. */
const beatAt = (due: number): void => {
  // Node warns of less.
  const wait = Math.max(1, due - performance.now());
  beating = setTimeout(() => {
    beat = (beat + 1) % canaryBeats;
    for (const socket of turns[beat]!) emit(socket);
    beatAt(due + apart * Math.max(1, Math.ceil((performance.now() - due) / apart)));
  }, wait);
};
beatAt(performance.now());

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => undefined);
  socket.once('data', (bytes) => stream(socket, bytes.toString('latin1')));
});
const release = onInterrupt(() => undefined);
const leave = (): void => {
  release();
  clearTimeout(beating);
  server.close();
  for (const socket of turns.flatMap((turn) => [...turn])) socket.destroy();
};
process.stdin.once('end', leave).once('close', leave).resume();
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${port}\n`);
});
