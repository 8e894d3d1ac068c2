import type net from 'node:net';
import { emptyHistogram, type EncodedHistogram } from '../../model/measures/histogram.ts';
import { openBareSocket } from '../harness/bare-client.ts';
import { rawRequest, smallChat, smallChatJson, tokenText } from '../harness/chat-bytes.ts';
import { readOptions } from '../harness/child-input.ts';
import { startDueAt, streamShare, type StartLoadOptions } from './start-load.ts';

/**
 * The reference for an open load: the same rate by a minimal process, which checks the clock on a timer and after each
 * read. Its lag and its cost are the machine's. Reads `BareStartsOptions` and prints `BareStarts`.
 */

export interface BareStarts {
  /** Of each measured second, in ms. */
  readonly lags: readonly EncodedHistogram[];
  /** Tokens received in these seconds, by their bytes. */
  readonly tokens: number;
  /** CPU time of the process in these seconds, in seconds. */
  readonly cpu: number;
}

export interface BareStartsOptions extends StartLoadOptions {
  readonly port: number;
  /** `when due` costs the least, `each millisecond` is the most punctual. */
  readonly wakes: 'each millisecond' | 'when due';
}

const options = await readOptions<BareStartsOptions>();
const { port, wakes, inFlight, rampSeconds, warmUp, seconds } = options;
const share = streamShare(options);
const chatRequest = Buffer.from(rawRequest(smallChatJson));
const streamRequest = Buffer.from(rawRequest(JSON.stringify({ ...smallChat, stream: true })));

const idleSockets: net.Socket[] = [];
const streaming = new Set<net.Socket>();
const [zeroDigit, lineFeed] = [48, 10];

/** Whether a read ends an answer: it is no chunk of a stream, or the last one. */
const endsAnswer = (bytes: Uint8Array, length: number, isStream: boolean): boolean =>
  !isStream || (bytes[length - 5] === zeroDigit && bytes[length - 6] === lineFeed);

let inFlightCount = 0;
let streamedBytes = 0;
let cpuBefore: NodeJS.CpuUsage | undefined;

const open = (request: Buffer): net.Socket => {
  const socket = openBareSocket(port, request, (length, bytes) => {
    const isStream = streaming.has(socket);
    if (isStream && cpuBefore) streamedBytes += length;
    if (endsAnswer(bytes, length, isStream)) {
      streaming.delete(socket);
      inFlightCount -= 1;
      idleSockets.push(socket);
    }
    startDue();
  });
  return socket;
};

const lags = Array.from({ length: seconds }, () => emptyHistogram(2));
const beganAt = performance.now();
let dueCount = 0;

const start = (isStream: boolean): void => {
  inFlightCount += 1;
  const request = isStream ? streamRequest : chatRequest;
  const idle = idleSockets.pop();
  const socket = idle ?? open(request);
  idle?.write(request);
  if (isStream) streaming.add(socket);
};

function startDue(): void {
  const now = performance.now() - beganAt;
  for (;;) {
    const due = startDueAt(options, dueCount);
    if (due > now) return;
    const isStream = Math.floor((dueCount + 1) * share) > Math.floor(dueCount * share);
    dueCount += 1;
    if (inFlightCount === inFlight) continue;
    lags[Math.floor(due / 1000) - rampSeconds - warmUp]?.record(performance.now() - beganAt - due);
    start(isStream);
  }
}

const finish = (): void => {
  const tokens = streamedBytes / tokenText([0, 0]).length;
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpu = (user + system) / 1e6;
  const output: BareStarts = { lags: lags.map((second) => second.toJSON()), tokens, cpu };
  console.log(JSON.stringify(output));
};

const wakeWhenDue = (): void => {
  startDue();
  const left = startDueAt(options, dueCount) - (performance.now() - beganAt);
  setTimeout(wakeWhenDue, Math.max(0, left));
};

if (wakes === 'when due') wakeWhenDue();
else setInterval(startDue, 1);
setTimeout(() => (cpuBefore = process.cpuUsage()), (rampSeconds + warmUp) * 1000);
setTimeout(finish, (rampSeconds + warmUp + seconds) * 1000);
