import type { Socket } from 'node:net';
import { fin, reset } from './ends.ts';
import type { Faulted } from './fault.ts';

/** Faults below the answer: what is written reaches the wire late, slowly, or not at all. */

type Deliver = (bytes: Buffer, taken: () => void, send: (part: Buffer) => void) => void;

const writerOf = (socket: Socket): Socket['write'] => socket.write.bind(socket);

/**
 * Lets `deliver` hand over whatever is written for this answer, piece by piece in order; it calls
 * `taken` when it is done with one. The socket is itself again when the answer has ended.
 */
const takeOver = ({ exchange }: Faulted, deliver: Deliver): void => {
  const { socket } = exchange.request;
  const write = writerOf(socket);
  const waiting: { bytes: Buffer; taken: () => void }[] = [];
  let isBusy = false;
  const next = (): void => {
    const piece = waiting.shift();
    isBusy = piece !== undefined;
    if (piece === undefined) return;
    const taken = (): void => {
      piece.taken();
      next();
    };
    deliver(piece.bytes, taken, (part) => {
      if (part.length > 0 && !socket.destroyed) write(part);
    });
  };
  const takes = (data: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    const [encoding] = rest.filter((item) => typeof item === 'string');
    const [tell] = rest.filter((item) => typeof item === 'function');
    const bytes =
      typeof data === 'string'
        ? Buffer.from(data, encoding as BufferEncoding | undefined)
        : Buffer.from(data);
    // Whoever writes counts on being told later: Node ends a message within the call, and lets its socket go.
    const taken = (): void => queueMicrotask(() => (tell as (() => void) | undefined)?.());
    waiting.push({ bytes, taken });
    if (!isBusy) next();
    return true;
  };
  socket.write = takes;
  exchange.response.once('close', () => {
    // As it was born, so that a kept connection with many faults keeps none of them.
    Reflect.deleteProperty(socket, 'write');
  });
};

/** Nothing reaches the wire before its time. */
export const slowHead = (faulted: Faulted): void => {
  const { clock, delay } = faulted;
  const due = clock.now() + delay;
  takeOver(faulted, (bytes, taken, send) => {
    clock.at(due, () => {
      send(bytes);
      taken();
    });
  });
};

/** One byte at a time. */
export const dribble = (faulted: Faulted): void => {
  const { clock, delay } = faulted;
  takeOver(faulted, (bytes, taken, send) => {
    const from = (position: number): void => {
      if (position >= bytes.length) {
        taken();
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
  (ending: (faulted: Faulted) => void) =>
  (faulted: Faulted): void => {
    let left: number | null = null;
    let isCut = false;
    takeOver(faulted, (bytes, taken, send) => {
      if (isCut) return;
      const head = left === null ? bytes.indexOf('\r\n\r\n') + 4 : 0;
      const room: number = (left ?? faulted.after) + head;
      send(bytes.subarray(0, room));
      left = room - bytes.length;
      if (left >= 0) {
        taken();
        return;
      }
      isCut = true;
      faulted.clock.at(faulted.clock.now() + faulted.delay, () => ending(faulted));
    });
  };

export const resetMidBody = cutBytes(reset);
export const finMidBody = cutBytes(fin);
export const stallMidBody = cutBytes(() => undefined);

const lengthBy =
  (difference: number) =>
  ({ exchange }: Faulted): void => {
    exchange.rewriteHead(({ 'content-length': length, ...headers }) =>
      length === undefined
        ? headers
        : {
            ...headers,
            'content-length': String(Math.max(1, Number(length) + difference)),
            connection: 'close',
          },
    );
  };

export const lengthTooLong = lengthBy(100);
export const lengthTooShort = lengthBy(-10);

export const wrongContentType = ({ exchange }: Faulted): void =>
  exchange.rewriteHead((headers) => ({ ...headers, 'content-type': 'text/plain' }));
