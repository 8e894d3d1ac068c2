import type { Socket } from 'node:net';
import { closeConnection, resetConnection } from './stream-ends.ts';
import type { FaultContext } from './fault.ts';

/** Faults below the answer: what is written reaches the wire late, slowly, or not at all. */

type Deliver = (bytes: Buffer, onTaken: () => void, send: (part: Buffer) => void) => void;

const writerOf = (socket: Socket): Socket['write'] => socket.write.bind(socket);

/**
 * Lets `deliver` hand over whatever is written for this answer, piece by piece in order; it calls
 * `taken` when it is done with one. The socket is itself again when the answer has ended.
 */
const interceptWrites = ({ exchange }: FaultContext, deliver: Deliver): void => {
  const { socket } = exchange.request;
  const write = writerOf(socket);
  const waiting: { bytes: Buffer; onTaken: () => void }[] = [];
  let isBusy = false;
  const next = (): void => {
    const piece = waiting.shift();
    isBusy = piece !== undefined;
    if (piece === undefined) return;
    const onTaken = (): void => {
      piece.onTaken();
      next();
    };
    deliver(piece.bytes, onTaken, (part) => {
      if (part.length > 0 && !socket.destroyed) write(part);
    });
  };
  const interceptedWrite = (data: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    const [encoding] = rest.filter((item) => typeof item === 'string');
    const [callback] = rest.filter((item) => typeof item === 'function');
    const bytes =
      typeof data === 'string'
        ? Buffer.from(data, encoding as BufferEncoding | undefined)
        : Buffer.from(data);
    // Whoever writes counts on being told later: Node ends a message within the call, and lets its socket go.
    const onTaken = (): void => queueMicrotask(() => (callback as (() => void) | undefined)?.());
    waiting.push({ bytes, onTaken });
    if (!isBusy) next();
    return true;
  };
  socket.write = interceptedWrite;
  exchange.response.once('close', () => {
    // As it was born, so that a kept connection with many faults keeps none of them.
    Reflect.deleteProperty(socket, 'write');
  });
};

/** Nothing reaches the wire before its time. */
export const slowHead = (faulted: FaultContext): void => {
  const { clock, delay } = faulted;
  const due = clock.now() + delay;
  interceptWrites(faulted, (bytes, onTaken, send) => {
    clock.at(due, () => {
      send(bytes);
      onTaken();
    });
  });
};

/** One byte at a time. */
export const dribble = (faulted: FaultContext): void => {
  const { clock, delay } = faulted;
  interceptWrites(faulted, (bytes, onTaken, send) => {
    const from = (position: number): void => {
      if (position >= bytes.length) {
        onTaken();
        return;
      }
      send(bytes.subarray(position, position + 1));
      clock.at(clock.now() + delay, () => from(position + 1));
    };
    from(0);
  });
};

/** The head and some bytes behind it, then `ending`. */
const cutBytes =
  (endConnection: (faulted: FaultContext) => void) =>
  (faulted: FaultContext): void => {
    let left: number | null = null;
    let isCut = false;
    interceptWrites(faulted, (bytes, onTaken, send) => {
      if (isCut) return;
      const head = left === null ? bytes.indexOf('\r\n\r\n') + 4 : 0;
      const room: number = (left ?? faulted.after) + head;
      send(bytes.subarray(0, room));
      left = room - bytes.length;
      if (left >= 0) {
        onTaken();
        return;
      }
      isCut = true;
      faulted.clock.at(faulted.clock.now() + faulted.delay, () => endConnection(faulted));
    });
  };

export const resetMidBody = cutBytes(resetConnection);
export const finMidBody = cutBytes(closeConnection);
export const stallMidBody = cutBytes(() => undefined);

const changeContentLength =
  (difference: number) =>
  ({ exchange }: FaultContext): void => {
    exchange.rewriteHeaders(({ 'content-length': length, ...headers }) =>
      length === undefined
        ? headers
        : {
            ...headers,
            'content-length': String(Math.max(1, Number(length) + difference)),
            connection: 'close',
          },
    );
  };

export const lengthTooLong = changeContentLength(100);
export const lengthTooShort = changeContentLength(-10);

export const wrongContentType = ({ exchange }: FaultContext): void =>
  exchange.rewriteHeaders((headers) => ({ ...headers, 'content-type': 'text/plain' }));
