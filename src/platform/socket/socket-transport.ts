import type { Clock } from '../../model/clock.ts';
import type {
  Exchange,
  ExchangeObserver,
  Transport,
  WireRequest,
} from '../../model/observation/exchange.ts';
import type { TargetEndpoint } from '../connection/connector.ts';
import { throwUncaught } from '../process/throw-uncaught.ts';
import { HttpFault } from './http-fault.ts';
import { socketOpener } from './open-socket.ts';
import { RequestHeadWriter } from './request-head.ts';
import { SocketExchange } from './socket-exchange.ts';
import { SocketPool } from './socket-pool.ts';

/**
 * The exact transport: our own HTTP/1.1 on `net` and `tls`; all reads use one buffer. One
 * exchange at a time on a connection; connections are kept alive and the most recently used idle one
 * is taken first. No timeouts, retries or redirects, and no HTTP/2. What an observer throws ends its
 * exchange and goes to `onDefect`.
 */
export const socketTransport = (
  endpoint: TargetEndpoint,
  clock: Clock,
  onDefect: (error: unknown) => void = throwUncaught,
): Transport => {
  const { host, pathname } = new URL(endpoint.url);
  const pool = new SocketPool(socketOpener(endpoint), clock);
  const heads = new RequestHeadWriter(host, pathname.replace(/\/$/, ''));
  return {
    send: (request: WireRequest, observer: ExchangeObserver): Exchange => {
      const exchange = new SocketExchange(clock, observer, onDefect);
      const head = heads.write(request);
      if (head instanceof HttpFault) exchange.abort(head.cause, head.detail);
      else pool.send({ exchange, head: head.text, body: request.body, closes: head.closes });
      return exchange;
    },
    close: () => pool.close(),
  };
};
