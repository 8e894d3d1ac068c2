import { streamEnd } from '../../../contract/chat.ts';
import type { Clock } from '../../../model/clock.ts';
import type {
  BrokenCause,
  Exchange,
  Transport,
  WireRequest,
} from '../../../model/observation/exchange.ts';
import { decodeBody, encodingOf } from '../../../traffic/answer/content-encoding.ts';
import type { ReceivedAnswer } from '../reading/check-answer.ts';

export interface ExchangeDeadlines {
  readonly total: number;
  /** The maximum time without a byte, in ms. */
  readonly idle: number;
  /** A stream may stay open for at most this many ms after its last line. */
  readonly afterEnd: number;
}

/** The interval between checks of deadlines, in ms. */
const pollInterval = 25;

/**
 * The maximum size of audio in bytes. All answers stay in memory until they are judged, so each answer must be small.
 * Twenty seconds of speech fit in any usual format.
 */
const maxAudioBytes = 4 * 1024 * 1024;
const maxTextBytes = 1024 * 1024;
/** The maximum size of an incomplete answer in bytes. The end of such an answer is not judged. */
const maxBrokenBytes = 64 * 1024;

const lastLines = ['\n', '\r'].map((end) => Buffer.from(`${streamEnd}${end}`));
/** The number of bytes at the end of a body in which the last line of a stream is searched for. */
const tailBytes = 64;

const hasLastLine = (chunks: readonly Buffer[]): boolean => {
  const tail = Buffer.concat(chunks.slice(-tailBytes)).subarray(-tailBytes);
  return lastLines.some((line) => tail.includes(line));
};

/**
 * Decodes a body that was compressed although the request asked for none. A body that cannot be decoded stays
 * unchanged.
 */
const decoded = (headers: Readonly<Record<string, string>>, body: Buffer, most: number) => {
  const encoding = encodingOf(headers);
  return {
    status: null,
    headers,
    encoding,
    body: decodeBody(body, encoding, most) ?? body,
  };
};

/** Returns the name of the deadline that has passed; `null` if no deadline has passed. */
const whyLate = (
  { total, idle }: ExchangeDeadlines,
  sinceBegin: number,
  sinceByte: number,
): readonly [BrokenCause, string] | null => {
  if (sinceBegin > total) return ['deadline-total', `no whole answer within ${total / 1000} s`];
  return sinceByte > idle ? ['deadline-idle', `nothing came for ${idle / 1000} s`] : null;
};

/**
 * Sends one request. Resolves with what came before its deadlines and within its maximum size. The promise never
 * rejects. Redirects are not followed.
 */
export const sendCheckRequest = (
  { transport, clock }: { readonly transport: Transport; readonly clock: Clock },
  request: WireRequest,
  deadlines: ExchangeDeadlines,
  { isStream, isAudio }: { readonly isStream: boolean; readonly isAudio: boolean },
): Promise<ReceivedAnswer> =>
  new Promise((resolve) => {
    let exchange: Exchange | null = null;
    let head: { status: number; headers: Readonly<Record<string, string>> } | null = null;
    let isLeftOpen = false;
    let failed: ReceivedAnswer['failure'] = null;
    const most = isAudio ? maxAudioBytes : maxTextBytes;
    const chunks: Buffer[] = [];
    let size = 0;
    const begun = clock.now();
    let lastAt: number = begun;
    const stop = clock.every(pollInterval, () => {
      const now = clock.now();
      isLeftOpen = isStream && now - lastAt > deadlines.afterEnd && hasLastLine(chunks);
      const late = isLeftOpen
        ? (['deadline-idle', 'left open'] as const)
        : whyLate(deadlines, now - begun, now - lastAt);
      if (late !== null) exchange?.abort(...late);
    });
    const end = (): void => {
      stop();
      const failure = isLeftOpen ? null : failed;
      const whole = Buffer.concat(chunks);
      const body = failure === null ? whole : Buffer.from(whole.subarray(0, maxBrokenBytes));
      resolve({
        ...decoded(head?.headers ?? {}, body, most),
        ...head,
        failure,
        isLeftOpen,
        took: clock.now() - begun,
      });
    };
    exchange = transport.send(request, {
      onConnected: () => undefined,
      onReconnect: () => undefined,
      onSent: (at) => {
        lastAt = at;
      },
      onHeaders: (at, status, headers) => {
        lastAt = at;
        head = { status, headers };
      },
      onChunk: (at, bytes) => {
        lastAt = at;
        size += bytes.length;
        if (size > most) exchange?.abort('too-large', `more than ${most} bytes`);
        else if (bytes.length > 0) chunks.push(Buffer.from(bytes));
      },
      onEnd: end,
      onFailure: (_, cause, detail) => {
        failed = { cause, detail };
        end();
      },
    });
  });
