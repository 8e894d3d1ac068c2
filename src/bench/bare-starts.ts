import net from 'node:net';
import { createInterface } from 'node:readline';
import { emptyHistogram, type EncodedHistogram } from '../model/histogram.ts';
import { bareRequest, chat, chatText } from './small-chat.ts';
import { dueOf, streamShare, type StartOrder } from './start-order.ts';
import { tokenText } from './stream-text.ts';

/**
 * The ruler for start lag: an open load of the same rate by a process that does only the
 * indispensable, a timer of one millisecond and a look at the clock in each read. How late even these
 * starts are is the machine's doing. Reads an `Order` line and says `BareStarts`.
 */

export interface BareStarts {
  /** Of each measured second, in ms. */
  readonly lags: readonly EncodedHistogram[];
  /** Tokens that streams brought in these seconds, by their bytes. */
  readonly tokens: number;
}

interface Order extends StartOrder {
  readonly port: number;
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const order = JSON.parse((await lines.next()).value as string) as Order;
const { port, inFlight, rising, warmUp, seconds } = order;
const share = streamShare(order);

const asked = bareRequest(chatText);
const streamAsked = bareRequest(JSON.stringify({ ...chat, stream: true }));

const idle: net.Socket[] = [];
const buffer = Buffer.alloc(64 * 1024);
const [zeroDigit, lineFeed] = [48, 10];

/** Whether what was read ends an answer: no chunk of a stream, or the last one. */
const endsAnswer = (length: number, isStream: boolean): boolean =>
  !isStream || (buffer[length - 5] === zeroDigit && buffer[length - 6] === lineFeed);

const streaming = new Set<net.Socket>();
let flying = 0;
/** What streams brought while it was measured. */
let bytes = 0;
let isMeasured = false;

const open = (request: Buffer): net.Socket => {
  const callback = (length: number): boolean => {
    const isStream = streaming.has(socket);
    if (isStream && isMeasured) bytes += length;
    if (endsAnswer(length, isStream)) {
      streaming.delete(socket);
      flying -= 1;
      idle.push(socket);
    }
    beginDue();
    return true;
  };
  const options = { port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } };
  const socket = net.connect(options, () => socket.write(request));
  return socket;
};

const lags = Array.from({ length: seconds }, () => emptyHistogram(2));
const zero = performance.now();
/** Of those that were due. */
let passed = 0;

const begin = (isStream: boolean): void => {
  flying += 1;
  const request = isStream ? streamAsked : asked;
  const free = idle.pop();
  const socket = free ?? open(request);
  free?.write(request);
  if (isStream) streaming.add(socket);
};

function beginDue(): void {
  const now = performance.now() - zero;
  for (let due = dueOf(order, passed); due <= now; due = dueOf(order, passed)) {
    const isStream = Math.floor((passed + 1) * share) > Math.floor(passed * share);
    passed += 1;
    if (flying === inFlight) continue;
    lags[Math.floor(due / 1000) - rising - warmUp]?.record(performance.now() - zero - due);
    begin(isStream);
  }
}

setInterval(beginDue, 1);
setTimeout(
  () => {
    isMeasured = true;
  },
  (rising + warmUp) * 1000,
);
setTimeout(
  () => {
    const told: BareStarts = {
      lags: lags.map((second) => second.toJSON()),
      tokens: bytes / tokenText([0, 0]).length,
    };
    console.log(JSON.stringify(told));
  },
  (rising + warmUp + seconds) * 1000,
);
