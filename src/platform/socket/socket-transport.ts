import type { Clock } from '../../model/clock.ts';
import type { Exchange, ExchangeObserver, Transport, WireRequest } from '../../model/exchange.ts';
import type { Base } from '../connector.ts';
import { throwUncaught } from '../throw-uncaught.ts';
import { Fault } from './fault.ts';
import { socketOpener } from './open-socket.ts';
import { RequestHeads } from './request-head.ts';
import { SocketExchange } from './socket-exchange.ts';
import { SocketLines } from './socket-lines.ts';

/**
 * The exact transport: HTTP/1.1 of our own on `net` and `tls`, whose reads all go into one buffer. One
 * exchange at a time on a connection; connections are kept alive and the most recently used idle one
 * is taken first. No deadlines, retries or redirects, and no HTTP/2. What an observer throws ends its
 * exchange and goes to `onDefect`.
 */
export const socketTransport = (
  base: Base,
  clock: Clock,
  onDefect: (error: unknown) => void = throwUncaught,
): Transport => {
  const { host, pathname } = new URL(base.url);
  const lines = new SocketLines(socketOpener(base), clock);
  const heads = new RequestHeads(host, pathname.replace(/\/$/, ''));
  return {
    send: (request: WireRequest, observer: ExchangeObserver): Exchange => {
      const exchange = new SocketExchange(clock, observer, onDefect);
      const head = heads.write(request);
      if (head instanceof Fault) exchange.abort(head.cause, head.detail);
      else lines.send({ exchange, head: head.text, body: request.body, closes: head.closes });
      return exchange;
    },
    close: () => lines.close(),
  };
};
