import net from 'node:net';
import { createInterface } from 'node:readline';
import { emptyHistogram, type EncodedHistogram } from '../../model/measures/histogram.ts';
import { bareRequest, smallChat, smallChatJson } from '../harness/small-chat.ts';
import { startDueAt, streamShare, type StartLoadOptions } from './start-load.ts';
import { tokenText } from '../harness/stream-text.ts';

/**
 * The ruler for start lag: an open load of the same rate by a process that does only the
 * indispensable, a timer of one millisecond and a look at the clock in each read. How late even these
 * starts are is the machine's doing. Reads an `BareStartsOptions` line and says `BareStarts`.
 */

export interface BareStarts {
  /** Of each measured second, in ms. */
  readonly lags: readonly EncodedHistogram[];
  /** Tokens that streams brought in these seconds, by their bytes. */
  readonly tokens: number;
}

interface BareStartsOptions extends StartLoadOptions {
  readonly port: number;
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const loadOptions = JSON.parse((await lines.next()).value as string) as BareStartsOptions;
const { port, inFlight, rampSeconds: rising, warmUp, seconds } = loadOptions;
const share = streamShare(loadOptions);

const chatRequest = bareRequest(smallChatJson);
const streamRequest = bareRequest(JSON.stringify({ ...smallChat, stream: true }));

const idleSockets: net.Socket[] = [];
const buffer = Buffer.alloc(64 * 1024);
const [zeroDigit, lineFeed] = [48, 10];

/** Whether what was read ends an answer: no chunk of a stream, or the last one. */
const endsAnswer = (length: number, isStream: boolean): boolean =>
  !isStream || (buffer[length - 5] === zeroDigit && buffer[length - 6] === lineFeed);

const streaming = new Set<net.Socket>();
let inFlightCount = 0;
/** What streams brought while it was measured. */
let bytes = 0;
let isMeasured = false;

const open = (request: Buffer): net.Socket => {
  const callback = (length: number): boolean => {
    const isStream = streaming.has(socket);
    if (isStream && isMeasured) bytes += length;
    if (endsAnswer(length, isStream)) {
      streaming.delete(socket);
      inFlightCount -= 1;
      idleSockets.push(socket);
    }
    beginDue();
    return true;
  };
  const options = { port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } };
  const socket = net.connect(options, () => socket.write(request));
  return socket;
};

const lags = Array.from({ length: seconds }, () => emptyHistogram(2));
const startedAt = performance.now();
/** Of those that were due. */
let dueCount = 0;

const begin = (isStream: boolean): void => {
  inFlightCount += 1;
  const request = isStream ? streamRequest : chatRequest;
  const free = idleSockets.pop();
  const socket = free ?? open(request);
  free?.write(request);
  if (isStream) streaming.add(socket);
};

function beginDue(): void {
  const now = performance.now() - startedAt;
  for (
    let due = startDueAt(loadOptions, dueCount);
    due <= now;
    due = startDueAt(loadOptions, dueCount)
  ) {
    const isStream = Math.floor((dueCount + 1) * share) > Math.floor(dueCount * share);
    dueCount += 1;
    if (inFlightCount === inFlight) continue;
    lags[Math.floor(due / 1000) - rising - warmUp]?.record(performance.now() - startedAt - due);
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
    const output: BareStarts = {
      lags: lags.map((second) => second.toJSON()),
      tokens: bytes / tokenText([0, 0]).length,
    };
    console.log(JSON.stringify(output));
  },
  (rising + warmUp + seconds) * 1000,
);
