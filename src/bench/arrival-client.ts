import net from 'node:net';
import { createInterface } from 'node:readline';
import type { TransportName } from '../model/exchange.ts';
import { startClock } from '../platform/clock.ts';
import { openTransport } from '../platform/open-transport.ts';
import { type Lateness, latenessOf } from './lateness.ts';
import { readStamps } from '../platform/canary/stamp.ts';

/**
 * Takes many stamped streams at once and says how far its instants of arrival lie from the stamps, by
 * one of our transports or by the least that Node can do: a socket whose reads go into one buffer.
 */

interface Order {
  readonly port: number;
  readonly client: TransportName | 'net';
  readonly streams: number;
  /** Between two events of a stream, in ms. */
  readonly gap: number;
  readonly seconds: number;
}

export interface Arrivals {
  readonly error: Lateness;
  /** Microseconds of this process for each event. */
  readonly cpu: number;
  readonly events: number;
}

const warmUp = 2000;
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const order = JSON.parse((await lines.next()).value as string) as Order;
const { port, client, streams, gap, seconds } = order;
const clock = startClock();

const room = Math.ceil((streams * seconds * 1000 * 1.5) / gap);
const stamps = new Float64Array(room);
const instants = new Float64Array(room);
let events = 0;
let isMeasured = false;

/** One read's instant, in the clock that the stamps are of. */
let readAt = 0;
const note = (stamp: number): void => {
  if (!isMeasured || events === room) return;
  stamps[events] = stamp;
  instants[events] = readAt;
  events += 1;
};

const takeByNet = (): void => {
  const callback = (length: number, bytes: Uint8Array): boolean => {
    readAt = clock.now() + clock.machineZero;
    readStamps(bytes, length, note);
    return true;
  };
  const buffer = Buffer.alloc(64 * 1024);
  const onread = { buffer, callback };
  const socket = net.connect({ port, host: '127.0.0.1', noDelay: true, onread }, () =>
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'),
  );
};

const takeByTransport = (name: TransportName): (() => void) => {
  const wire = { http2: false, proxy: { kind: 'none' }, caFile: null, verifyTls: true } as const;
  const url = `http://127.0.0.1:${port}`;
  const transport = openTransport(name, { url, wire, certificates: null }, clock);
  return () =>
    transport.send(
      { method: 'GET', path: '/', headers: {}, body: null },
      {
        ...{ onConnected: () => undefined, onSent: () => undefined, onHeaders: () => undefined },
        onChunk: (at, bytes) => {
          readAt = at + clock.machineZero;
          readStamps(bytes, bytes.length, note);
        },
        onEnd: () => {
          throw new Error('a stream ended');
        },
        onFailure: (_, cause, detail) => {
          throw new Error(`${cause}: ${detail}`);
        },
      },
    );
};

const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

const take = client === 'net' ? takeByNet : takeByTransport(client);
for (let n = 0; n < streams; n += 1) {
  take();
  // Spread over several gaps, as streams begin in life.
  if (n % 10 === 9) await sleep((10 * 4 * gap) / streams);
}
await sleep(warmUp);
const before = process.cpuUsage();
isMeasured = true;
await sleep(seconds * 1000);
isMeasured = false;
const { user, system } = process.cpuUsage(before);
const arrivals: Arrivals = {
  error: latenessOf([...stamps.subarray(0, events)], [...instants.subarray(0, events)]),
  cpu: (user + system) / events,
  events,
};
console.log(JSON.stringify(arrivals));
