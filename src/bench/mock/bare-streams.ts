import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { realClock } from '../../mock/clock/real-clock.ts';

/**
 * The ruler for the mock's punctuality: the same number of tokens of the same size at the same
 * instants, written to sockets by a process that does nothing else. How late even these come is the
 * machine's doing. Reads an `BareStreamsOptions` line, says its port, and at the end of each load the instants, as the mock's truth has them.
 */

interface BareStreamsOptions {
  /** One after the other. */
  readonly loads: readonly { readonly streams: number; readonly tokens: number }[];
  readonly gap: number;
  readonly ttft: number;
}

const input = createInterface({ input: process.stdin });
const lines = input[Symbol.asyncIterator]();
const { loads, gap, ttft } = JSON.parse((await lines.next()).value as string) as BareStreamsOptions;

const token = `data: ${JSON.stringify({ delta: 'x'.repeat(200) })}\n\n`;
const clock = realClock();
let load = 0;
let loadLines: { due: number[]; sent: number[] }[] = [];
let ended = 0;

const finish = (streams: number): void => {
  ended += 1;
  if (ended < streams) return;
  console.log(JSON.stringify({ lines: loadLines }));
  load += 1;
  loadLines = [];
  ended = 0;
};

const stream = (socket: Socket): void => {
  // A client opens no more connections than the load has streams.
  const { streams, tokens } = loads[load]!;
  const first = clock.now() + ttft;
  const due: number[] = [];
  const sent: number[] = [];
  loadLines.push({ due, sent });
  let step = 0;
  const run = (): number | null => {
    const instant = first + step * gap;
    step += 1;
    const isLast = step === tokens;
    due.push(instant);
    sent.push(clock.now());
    socket.write(isLast ? `${token}data: [DONE]\n\n` : token, 'latin1');
    if (!isLast) return first + step * gap;
    finish(streams);
    return null;
  };
  clock.series(first, { run });
};

const server = createServer({ noDelay: true }, (socket) => {
  socket.once('data', () => stream(socket));
  socket.on('error', () => undefined);
});
server.listen(0, '127.0.0.1', () => console.log(String((server.address() as AddressInfo).port)));
