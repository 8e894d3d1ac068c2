import { setTimeout as sleep } from 'node:timers/promises';
import { readStamps } from '../../platform/canary/stamp.ts';
import { readOptions } from '../harness/child-input.ts';
import { type Lateness, latenessOf } from '../harness/statistics.ts';
import {
  machineNow,
  type StreamClient,
  streamOpener,
  type StreamTarget,
} from './stream-openers.ts';

/**
 * Reads many streams at once and compares arrival times with the times that the events carry. Prints a line when it
 * begins to measure, and `Arrivals` at its end.
 */

export interface ArrivalClientOptions extends StreamTarget {
  readonly client: StreamClient;
  readonly streams: number;
  /** Between two events of a stream, in ms. */
  readonly gap: number;
  readonly seconds: number;
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
const { client, streams, gap, seconds, certificate } = options;

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

const listener = {
  onBegun: () => {
    begunStreams += 1;
  },
  onRead: (at: number, bytes: Uint8Array) => {
    readAt = at;
    readStamps(bytes, note);
  },
  onEnd: () => {
    throw new Error('a stream ended');
  },
};
const openStream = streamOpener(client, options);
/** Streams begin over this time, in ms: several gaps, as in practice, and time for each TLS handshake. */
const spread = certificate === null ? 4 * gap : 2 * streams;
for (let n = 0; n < streams; n += 1) {
  openStream(`weir-bench-0-${n}`, listener);
  if (n % 10 === 9) await sleep((10 * spread) / streams);
}
const haveAllBegun = (): boolean => begunStreams === streams;
while (!haveAllBegun()) await sleep(gap);
await sleep(warmUp);
console.log('measuring');
const before = { at: machineNow(), cpu: process.cpuUsage() };
isMeasured = true;
await sleep(seconds * 1000);
isMeasured = false;
const { user, system } = process.cpuUsage(before.cpu);
const elapsed = machineNow() - before.at;
const times = Array.from({ length: events }, (_, i) => ({ due: stamps[i]!, sent: arrivedAt[i]! }));
const arrivals: Arrivals = {
  error: latenessOf(times),
  cpu: (user + system) / events,
  rate: (events / elapsed) * 1000,
};
console.log(JSON.stringify(arrivals));
