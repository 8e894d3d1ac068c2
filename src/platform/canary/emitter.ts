import { type AddressInfo, createServer, type Socket } from 'node:net';
import { canaryPhaseCount, canaryEventInterval } from '../../model/result/canary-timing.ts';
import { onInterrupt } from '../process/interrupts.ts';
import { stampedChunk, stampedHead } from './stamp.ts';

/**
 * The canary's emitter, a separate process: prints its port, and answers each connection's request with
 * a stream of stamped events that ends with the connection. It ignores Ctrl-C, which the run
 * handles, and ends with its standard input, that is with the process that started it.
 */

const streamsByPhase = Array.from({ length: canaryPhaseCount }, () => new Set<Socket>());

/** Each event loop divides its streams evenly among the phases; a request's path names its phase, as `/1`. */
const stream = (socket: Socket, request: string): void => {
  const phaseStreams =
    streamsByPhase[Number(/^GET \/(\d)/.exec(request)?.[1] ?? 0) % canaryPhaseCount]!;
  phaseStreams.add(socket);
  socket.once('close', () => phaseStreams.delete(socket));
  socket.write(stampedHead, 'latin1');
};

const emit = (socket: Socket): void => {
  // Bounds the memory for a reader that does not read.
  if (socket.writableLength === 0) socket.write(stampedChunk(process.hrtime()), 'latin1');
};

const phaseGap = canaryEventInterval / canaryPhaseCount;
let phase = 0;
let phaseTimer: NodeJS.Timeout;
/** Phases keep to their schedule; those missed while this process was delayed are skipped. */
const schedulePhase = (due: number): void => {
  // Node warns about less than 1 ms.
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
