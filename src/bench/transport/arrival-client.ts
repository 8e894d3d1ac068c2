import net from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import type { TransportName } from '../../model/observation/exchange.ts';
import { startClock } from '../../platform/host/clock.ts';
import { directWire } from '../../platform/connection/connector.ts';
import { openTransport } from '../../platform/http/open-transport.ts';
import { type Lateness, latenessOf } from '../harness/lateness.ts';
import { readStamps } from '../../platform/canary/stamp.ts';

/**
 * Takes many stamped streams at once and says how far its instants of arrival lie from the stamps, by
 * one of our transports or by the least that Node can do: a socket whose reads go into one buffer. Says a
 * line when it begins to measure, and `Arrivals` in another at its end.
 */

export interface ArrivalClientOptions {
  readonly port: number;
  readonly client: TransportName | 'net';
  readonly streams: number;
  /** Between two events of a stream, in ms. */
  readonly gap: number;
  readonly seconds: number;
  /** The server's certificate, PEM, to speak TLS; `null`: plain. */
  readonly certificate: string | null;
}

export interface Arrivals {
  readonly error: Lateness;
  /** Microseconds of this process for each event. */
  readonly cpu: number;
  /** Events a second. */
  readonly rate: number;
}

/** From when all streams flow, in ms. */
const warmUp = 2000;
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const options = JSON.parse((await lines.next()).value as string) as ArrivalClientOptions;
const { port, client, streams, gap, seconds, certificate } = options;
const clock = startClock();

const capacity = Math.ceil((streams * seconds * 1000 * 1.5) / gap);
const stamps = new Float64Array(capacity);
const instants = new Float64Array(capacity);
let events = 0;
let flowingStreams = 0;
let isMeasured = false;

/** One read's instant, in the clock that the stamps are of. */
let readAt = 0;
const note = (stamp: number): void => {
  if (!isMeasured || events === capacity) return;
  stamps[events] = stamp;
  instants[events] = readAt;
  events += 1;
};

/** Made once, as a program does that opens many connections. */
const secureContext = certificate === null ? null : tls.createSecureContext({ ca: certificate });

/** Of all streams: what is read is done with before the next read. */
const buffer = Buffer.alloc(64 * 1024);

const openNetStream = (): void => {
  let isFirst = true;
  const callback = (length: number, bytes: Uint8Array): boolean => {
    readAt = clock.now() + clock.machineZero;
    if (isFirst) flowingStreams += 1;
    isFirst = false;
    readStamps(bytes.subarray(0, length), note);
    return true;
  };
  const onread = { buffer, callback };
  const connectOptions = { port, host: '127.0.0.1', noDelay: true, onread };
  const request = 'POST / HTTP/1.1\r\nhost: x\r\n\r\n';
  const socket: net.Socket =
    secureContext === null
      ? net.connect(connectOptions, () => socket.write(request))
      : tls.connect({ ...connectOptions, secureContext }, () => socket.write(request));
};

const transportStreamOpener = (name: TransportName): (() => void) => {
  const url = `${certificate === null ? 'http' : 'https'}://127.0.0.1:${port}`;
  const transport = openTransport(
    name,
    { url, wire: directWire, certificates: certificate },
    clock,
  );
  return () =>
    transport.send(
      { method: 'POST', path: '/', headers: {}, body: null },
      {
        onConnected: () => undefined,
        onSent: () => undefined,
        onHeaders: () => {
          flowingStreams += 1;
        },
        onChunk: (at, bytes) => {
          readAt = at + clock.machineZero;
          readStamps(bytes, note);
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

const openStream = client === 'net' ? openNetStream : transportStreamOpener(client);
/** Of beginnings, in ms: several gaps, as streams begin in life, and time for each handshake. */
const spread = certificate === null ? 4 * gap : 2 * streams;
for (let n = 0; n < streams; n += 1) {
  openStream();
  if (n % 10 === 9) await sleep((10 * spread) / streams);
}
const areAllFlowing = (): boolean => flowingStreams === streams;
while (!areAllFlowing()) await sleep(gap);
await sleep(warmUp);
console.log('measuring');
const before = { at: clock.now(), cpu: process.cpuUsage() };
isMeasured = true;
await sleep(seconds * 1000);
isMeasured = false;
const { user, system } = process.cpuUsage(before.cpu);
const elapsed = clock.now() - before.at;
const arrivals: Arrivals = {
  error: latenessOf(
    Array.from({ length: events }, (_, i) => ({ due: stamps[i]!, sent: instants[i]! })),
  ),
  cpu: (user + system) / events,
  rate: (events / elapsed) * 1000,
};
console.log(JSON.stringify(arrivals));
