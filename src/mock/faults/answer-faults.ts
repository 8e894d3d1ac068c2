import {
  closeConnection,
  type FaultContext,
  type MockFault,
  resetConnection,
  resetDelay,
  whole,
} from './fault.ts';
import { documentedErrors } from '../../contract/error-body.ts';
import { errorBody } from '../errors/mock-errors.ts';

/** The following faults replace the answer of an endpoint. They discard the request body while it arrives. */

const html = (title: string): string =>
  `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;

/** Answers with a text. The end of the request is counted under the fault's name instead of `aborted`. */
const answerWith =
  (status: number, contentType: string, text: string, headers = {}) =>
  ({ exchange }: FaultContext): void => {
    exchange.request.resume();
    exchange.answerText('aborted', status, text, { ...headers, 'content-type': contentType });
  };

const answer = (...parts: Parameters<typeof answerWith>): MockFault => ({
  scope: 'answer',
  run: answerWith(...parts),
});

const json = 'application/json';
const serverError = (code: string, what: string): string =>
  JSON.stringify(errorBody({ type: 'server_error', code }, `${what}; try again later.`));
const internalError = serverError('internal_error', 'The server had an error');
const overloaded = serverError('overloaded', 'The server is overloaded');
const revoked = JSON.stringify(errorBody(documentedErrors[401], 'The API key was revoked.'));
const usedUp = 'The credits of this API key are used up; add credits to continue.';
const emptyBalance = JSON.stringify(errorBody(documentedErrors[402], usedUp));

export const errorAnswers = {
  'key-revoked': { scope: 'gate', run: answerWith(401, json, revoked) },
  'empty-balance': { scope: 'gate', run: answerWith(402, json, emptyBalance) },
  'status-500': answer(500, json, internalError),
  'status-503': answer(503, json, overloaded, { 'retry-after': '1' }),
  'html-502': answer(502, 'text/html', html('502 Bad Gateway')),
  'json-error-200': answer(200, json, internalError),
  'html-200': answer(200, 'text/html; charset=utf-8', html('Sign in')),
  'stream-status-500': answer(500, 'text/event-stream', `data: ${internalError}\n\n`),
  'no-answer': { scope: 'answer', run: ({ exchange }) => void exchange.request.resume() },
} as const satisfies Record<string, MockFault>;

/** The following faults act below HTTP: bytes reach the socket late, slowly, or not at all. */

/**
 * Intercepts the writes of this answer, and passes the written pieces to `deliver` one after another. `deliver` calls
 * `onTaken` to get the next piece.
 */
const interceptWrites = (
  { exchange }: FaultContext,
  deliver: (bytes: Buffer, onTaken: () => void, send: (part: Buffer) => void) => void,
): void => {
  const { socket } = exchange.request;
  const write = socket.write.bind(socket);
  const send = (part: Buffer): void => {
    if (part.length > 0 && !socket.destroyed) write(part);
  };
  /** The pieces that were not delivered yet. The first piece is being delivered. */
  const waiting: { bytes: Buffer; onTaken: () => void }[] = [];
  const next = (): void => {
    const [piece] = waiting;
    if (piece === undefined) return;
    const onTaken = (): void => {
      waiting.shift();
      piece.onTaken();
      next();
    };
    deliver(piece.bytes, onTaken, send);
  };
  const interceptedWrite = (data: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    const encoding = rest.find((item) => typeof item === 'string') as BufferEncoding | undefined;
    const callback = rest.find((item) => typeof item === 'function') as (() => void) | undefined;
    const bytes = typeof data === 'string' ? Buffer.from(data, encoding) : Buffer.from(data);
    // The callback must not be called during this write, because Node would then end the message and release its
    // socket.
    const onTaken = (): void => queueMicrotask(() => callback?.());
    if (waiting.push({ bytes, onTaken }) === 1) next();
    return true;
  };
  socket.write = interceptedWrite;
  exchange.response.once('close', () => {
    // Deleting the property restores the method of the prototype. Otherwise, faults would accumulate on a kept
    // connection.
    Reflect.deleteProperty(socket, 'write');
  });
};

const slowHead = (context: FaultContext): void => {
  const { clock, delay } = context;
  const due = clock.now() + delay;
  interceptWrites(context, (bytes, onTaken, send) => {
    clock.at(due, () => {
      send(bytes);
      onTaken();
    });
  });
};

const dribble = (context: FaultContext): void => {
  const { clock, delay } = context;
  interceptWrites(context, (bytes, onTaken, send) => {
    const from = (position: number): void => {
      if (position >= bytes.length) return onTaken();
      send(bytes.subarray(position, position + 1));
      clock.at(clock.now() + delay, () => from(position + 1));
    };
    from(0);
  });
};

/** Ends the connection after the head and some bytes of the body. */
const cutBody = (endConnection: (context: FaultContext) => void, delay = 0): MockFault => {
  const run = (context: FaultContext): void => {
    const { clock } = context;
    let left: number | null = null;
    let isCut = false;
    interceptWrites(context, (bytes, onTaken, send) => {
      if (isCut) return;
      const head = left === null ? bytes.indexOf('\r\n\r\n') + 4 : 0;
      const room: number = (left ?? context.after) + head;
      send(bytes.subarray(0, room));
      left = room - bytes.length;
      if (left >= 0) return onTaken();
      isCut = true;
      clock.at(clock.now() + context.delay, () => endConnection(context));
    });
  };
  return whole(run, { after: 20, delay });
};

const changeContentLength = (difference: number): MockFault =>
  whole(({ exchange }) => {
    exchange.rewriteHeaders = ({ 'content-length': length, ...headers }) => {
      if (length === undefined) return headers;
      const changed = String(Math.max(1, Number(length) + difference));
      return { ...headers, 'content-length': changed, connection: 'close' };
    };
  });

export const wireFaults = {
  /** Sends no byte before the delay. */
  'slow-head': whole(slowHead, { delay: 1000 }),
  /** Sends one byte at a time. */
  dribble: whole(dribble, { delay: 1 }),
  'reset-mid-body': cutBody(resetConnection, resetDelay),
  'fin-mid-body': cutBody(closeConnection),
  'stall-mid-body': cutBody(() => undefined),
  'wrong-content-type': whole(({ exchange }) => {
    exchange.rewriteHeaders = (headers) => ({ ...headers, 'content-type': 'text/plain' });
  }),
  'length-too-long': changeContentLength(100),
  'length-too-short': changeContentLength(-10),
} as const satisfies Record<string, MockFault>;
