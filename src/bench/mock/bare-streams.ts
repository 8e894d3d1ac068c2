import { createServer, type Socket } from 'node:net';
import { realClock } from '../../mock/clock/real-clock.ts';
import { listenAndPrintPort, readOptions } from '../harness/child-input.ts';

/**
 * The reference for the lateness of the mock's tokens: a process that only writes the same number of tokens of
 * the same size at the same times. Its lateness is the machine's. Reads `BareStreamsOptions`, prints its port and, at
 * the end of each load, the due and sent times in the form of the mock's trace log.
 */

export interface BareStreamsOptions {
  /** One after the other. */
  readonly loads: readonly { readonly streams: number; readonly tokens: number }[];
  readonly gap: number;
  readonly ttft: number;
}

const { loads, gap, ttft } = await readOptions<BareStreamsOptions>();
const token = `data: ${JSON.stringify({ delta: 'x'.repeat(200) })}\n\n`;
const clock = realClock();
let load = 0;
let lines: { due: number[]; sent: number[] }[] = [];
let ended = 0;

const finish = (streams: number): void => {
  ended += 1;
  if (ended < streams) return;
  console.log(JSON.stringify({ lines }));
  load += 1;
  lines = [];
  ended = 0;
};

const stream = (socket: Socket): void => {
  // A client opens no more connections than the load has streams.
  const { streams, tokens } = loads[load]!;
  const first = clock.now() + ttft;
  const due: number[] = [];
  const sent: number[] = [];
  lines.push({ due, sent });
  let step = 0;
  const run = (): number | null => {
    due.push(first + step * gap);
    sent.push(clock.now());
    step += 1;
    const isLast = step === tokens;
    socket.write(isLast ? `${token}data: [DONE]\n\n` : token, 'latin1');
    if (!isLast) return first + step * gap;
    finish(streams);
    return null;
  };
  clock.series(first, { run });
};

listenAndPrintPort(
  createServer({ noDelay: true }, (socket) => {
    socket.once('data', () => stream(socket));
    socket.on('error', () => undefined);
  }),
);
