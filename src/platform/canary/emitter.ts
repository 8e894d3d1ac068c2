import { type AddressInfo, createServer, type Socket } from 'node:net';
import { canaryPhaseCount, canaryEventInterval } from '../../model/result/canary-timing.ts';
import { onInterrupt } from '../process/interrupts.ts';
import { stampedChunk, stampedHead } from './stamp.ts';

/**
 * The canary's emitter, a process of its own: says its port, and answers each connection's request with
 * a stream of stamped events that ends with the connection. It outlives Ctrl-C, which is the run's to
 * handle, and ends when its standard input does: with whoever started it, however that ended.
 */

/** The streams of each beat. */
const streamsByPhase = Array.from({ length: canaryPhaseCount }, () => new Set<Socket>());

/** Each loop shares its streams evenly among the beats: a request's path names its own, as `/1`. */
const stream = (socket: Socket, request: string): void => {
  const phaseStreams =
    streamsByPhase[Number(/^GET \/(\d)/.exec(request)?.[1] ?? 0) % canaryPhaseCount]!;
  phaseStreams.add(socket);
  socket.once('close', () => phaseStreams.delete(socket));
  socket.write(stampedHead, 'latin1');
};

const emit = (socket: Socket): void => {
  // Bounds what waits here for a reader that does not read; what the kernel holds is told late, as it is.
  if (socket.writableLength === 0) socket.write(stampedChunk(process.hrtime()), 'latin1');
};

const phaseGap = canaryEventInterval / canaryPhaseCount;
let phase = 0;
let phaseTimer: NodeJS.Timeout;
/** Beats keep their places in time; those of a time in which this process was held up are left out. */
const schedulePhase = (due: number): void => {
  // Node warns of less.
  const wait = Math.max(1, due - performance.now());
  phaseTimer = setTimeout(() => {
    phase = (phase + 1) % canaryPhaseCount;
    for (const socket of streamsByPhase[phase]!) emit(socket);
    schedulePhase(due + phaseGap * Math.max(1, Math.ceil((performance.now() - due) / phaseGap)));
  }, wait);
};
schedulePhase(performance.now());

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => undefined);
  socket.once('data', (bytes) => stream(socket, bytes.toString('latin1')));
});
const release = onInterrupt(() => undefined);
const shutDown = (): void => {
  release();
  clearTimeout(phaseTimer);
  server.close();
  for (const socket of streamsByPhase.flatMap((phaseStreams) => [...phaseStreams]))
    socket.destroy();
};
process.stdin.once('end', shutDown).once('close', shutDown).resume();
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${port}\n`);
});
