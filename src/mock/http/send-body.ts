import type { MockExchange } from './mock-exchange.ts';

/**
 * Sends a body whose head is written: piece by piece, the next one when the client has taken those
 * before, so that a body of any length takes little memory. `finish` runs before the end is handed
 * over; it does not run for a request that ends early.
 */
export const sendBody = (
  exchange: MockExchange,
  pieces: Iterator<Uint8Array, void>,
  finish: () => void,
): void => {
  const { response } = exchange;
  const send = (): void => {
    while (exchange.isOpen) {
      const piece = pieces.next();
      if (piece.done === true) {
        finish();
        response.end();
        return;
      }
      if (!response.write(exchange.encode(piece.value))) {
        response.once('drain', send);
        return;
      }
    }
  };
  send();
};
