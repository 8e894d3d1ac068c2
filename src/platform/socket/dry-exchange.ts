import type { Clock } from '../../model/clock.ts';
import type { ExchangeObserver, WireRequest } from '../../model/observation/exchange.ts';
import { throwUncaught } from '../connection/observed-exchange.ts';
import { HttpFault } from './response-head.ts';
import { RequestHeadWriter } from './request-head.ts';
import { ResponseParser } from './response-parser.ts';
import { SocketExchange } from './socket-connection.ts';

/**
 * An exchange without a network. The head of a request is written as in the transport `socket`. `reads` are read as if
 * a server had sent them.
 */
export type DryExchange = (
  request: WireRequest,
  observer: ExchangeObserver,
  reads: readonly Buffer[],
) => void;

/**
 * Creates exchanges without a network. The exchanges use the code of the transport `socket`. An error that an observer
 * throws is thrown again outside of any handler.
 */
export const dryExchanges = (clock: Clock): DryExchange => {
  const heads = new RequestHeadWriter('dry-run', (path) => `/v1${path}`);
  const parser = new ResponseParser();
  return (request, observer, reads) => {
    const exchange = new SocketExchange(clock, observer, throwUncaught);
    const head = heads.write(request);
    if (head instanceof HttpFault) return exchange.abort(head.cause, head.detail);
    exchange.connected(clock.now(), 'ahead');
    parser.expectResponse(exchange);
    exchange.sent(clock.now());
    for (const bytes of reads) {
      // `clock.read` is not called, since the clock would count this call as a read from a socket.
      exchange.readAt = clock.now();
      // The parser may change the bytes, so the parser gets a copy.
      const status = parser.read(Buffer.from(bytes));
      if (status === 'complete') exchange.complete(exchange.readAt, parser.reusableFor);
      else if (status !== 'more') exchange.onFault(status, true);
    }
  };
};
