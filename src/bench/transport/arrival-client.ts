import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import type { ExchangeObserver, TransportName } from '../../model/observation/exchange.ts';
import { readStamps } from '../../platform/canary/stamp.ts';
import { directWire } from '../../platform/connection/connector.ts';
import { startClock } from '../../platform/host/clock.ts';
import { openTransport } from '../../platform/http/open-transport.ts';
import { ignoreExchange, openBareSocket } from '../harness/bare-client.ts';
import { rawRequest } from '../harness/chat-bytes.ts';
import { readOptions } from '../harness/child-input.ts';
import { type Lateness, latenessOf } from '../harness/statistics.ts';

/**
 * Reads many streams at once and compares arrival times with the times that the events carry. Prints a line when it
 * begins to measure, and `Arrivals` at its end.
 */

export interface ArrivalClientOptions {
  readonly url: string;
  /** One of our transports, or `net`, the minimal Node client: a socket that reads into one buffer. */
  readonly client: TransportName | 'net';
  readonly streams: number;
  /** Between two events of a stream, in ms. */
  readonly gap: number;
  readonly seconds: number;
  /** The server's certificate, PEM; `null` without TLS. */
  readonly certificate: string | null;
}

export interface Arrivals {
  readonly error: Lateness;
  /** CPU time of this process per event, in microseconds. */
  readonly cpu: number;
  /** Events per second. */
  readonly rate: number;
}

/** Once all streams have begun, in ms. */
const warmUp = 2000;
const options = await readOptions<ArrivalClientOptions>();
const { url, client, streams, gap, seconds, certificate } = options;
const clock = startClock();
const body = '{"stream":true}';

const capacity = Math.ceil((streams * seconds * 1000 * 1.5) / gap);
const stamps = new Float64Array(capacity);
const arrivedAt = new Float64Array(capacity);
let events = 0;
let begunStreams = 0;
let isMeasured = false;

/** The time of one read, on the clock of the stamps. */
let readAt = 0;
const note = (stamp: number): void => {
  if (!isMeasured || events === capacity) return;
  stamps[events] = stamp;
  arrivedAt[events] = readAt;
  events += 1;
};

/** Made once, as a program does that opens many connections. */
const secureContext =
  certificate === null ? undefined : tls.createSecureContext({ ca: certificate });
const rawBytes = Buffer.from(rawRequest(body));

const openNetStream = (): void => {
  let isFirst = true;
  const onRead = (length: number, bytes: Uint8Array): void => {
    readAt = clock.now() + clock.machineZero;
    if (isFirst) begunStreams += 1;
    isFirst = false;
    readStamps(bytes.subarray(0, length), note);
  };
  openBareSocket(Number(new URL(url).port), rawBytes, onRead, secureContext);
};

const transportStreamOpener = (name: TransportName): (() => void) => {
  const target = { url, wire: directWire, certificates: certificate };
  const transport = openTransport(name, target, clock);
  const headers = { 'content-type': 'application/json' };
  const request = { method: 'POST', path: '/', headers, body: Buffer.from(body) } as const;
  const observer: ExchangeObserver = {
    ...ignoreExchange,
    onHeaders: () => {
      begunStreams += 1;
    },
    onChunk: (at, bytes) => {
      readAt = at + clock.machineZero;
      readStamps(bytes, note);
    },
    onEnd: () => {
      throw new Error('a stream ended');
    },
  };
  return () => transport.send(request, observer);
};

const openStream = client === 'net' ? openNetStream : transportStreamOpener(client);
/** Streams begin over this time, in ms: several gaps, as in practice, and time for each TLS handshake. */
const spread = certificate === null ? 4 * gap : 2 * streams;
for (let n = 0; n < streams; n += 1) {
  openStream();
  if (n % 10 === 9) await sleep((10 * spread) / streams);
}
const haveAllBegun = (): boolean => begunStreams === streams;
while (!haveAllBegun()) await sleep(gap);
await sleep(warmUp);
console.log('measuring');
const before = { at: clock.now(), cpu: process.cpuUsage() };
isMeasured = true;
await sleep(seconds * 1000);
isMeasured = false;
const { user, system } = process.cpuUsage(before.cpu);
const elapsed = clock.now() - before.at;
const times = Array.from({ length: events }, (_, i) => ({ due: stamps[i]!, sent: arrivedAt[i]! }));
const arrivals: Arrivals = {
  error: latenessOf(times),
  cpu: (user + system) / events,
  rate: (events / elapsed) * 1000,
};
console.log(JSON.stringify(arrivals));
