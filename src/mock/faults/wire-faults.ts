import { closeConnection, resetConnection } from './stream-ends.ts';
import type { FaultContext } from './fault.ts';

/** Faults below HTTP: bytes reach the wire late, slowly, or not at all. */

type Deliver = (bytes: Buffer, onTaken: () => void, send: (part: Buffer) => void) => void;

/**
 * Passes everything that is written for this answer to `deliver`, piece by piece in order; `deliver` calls
 * `onTaken` when it is done with a piece. The socket is restored when the answer has ended.
 */
const interceptWrites = ({ exchange }: FaultContext, deliver: Deliver): void => {
  const { socket } = exchange.request;
  const write = socket.write.bind(socket);
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
    // Calls back later: if called at once, Node would end the message within this call and release its socket.
    const onTaken = (): void => queueMicrotask(() => (callback as (() => void) | undefined)?.());
    waiting.push({ bytes, onTaken });
    if (!isBusy) next();
    return true;
  };
  socket.write = interceptedWrite;
  exchange.response.once('close', () => {
    // Restores the prototype's method, so that faults do not pile up on a kept connection.
    Reflect.deleteProperty(socket, 'write');
  });
};

export const slowHead = (context: FaultContext): void => {
  const { clock, delay } = context;
  const due = clock.now() + delay;
  interceptWrites(context, (bytes, onTaken, send) => {
    clock.at(due, () => {
      send(bytes);
      onTaken();
    });
  });
};

export const dribble = (context: FaultContext): void => {
  const { clock, delay } = context;
  interceptWrites(context, (bytes, onTaken, send) => {
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

/** The head and some bytes of the body, then `endConnection`. */
const cutBytes =
  (endConnection: (context: FaultContext) => void) =>
  (context: FaultContext): void => {
    let left: number | null = null;
    let isCut = false;
    interceptWrites(context, (bytes, onTaken, send) => {
      if (isCut) return;
      const head = left === null ? bytes.indexOf('\r\n\r\n') + 4 : 0;
      const room: number = (left ?? context.after) + head;
      send(bytes.subarray(0, room));
      left = room - bytes.length;
      if (left >= 0) {
        onTaken();
        return;
      }
      isCut = true;
      context.clock.at(context.clock.now() + context.delay, () => endConnection(context));
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
