import type { Clock } from '../model/clock.ts';
import type { Exchange, ExchangeObserver, Transport, WireRequest } from '../model/exchange.ts';
import type { Base } from './connector.ts';
import { throwUncaught } from './throw-uncaught.ts';
import { UndiciExchange } from './undici-exchange.ts';
import { Lines } from './undici-lines.ts';

/**
 * The general transport: undici's `Client.dispatch`, one client for each connection and one
 * exchange at a time on it, so that nothing ever waits unseen. Connections are kept alive and the
 * most recently used idle one is taken first. No deadlines, retries or redirects. What an observer
 * throws ends its exchange and goes to `onDefect`.
 */
export const undiciTransport = (
  base: Base,
  clock: Clock,
  onDefect: (error: unknown) => void = throwUncaught,
): Transport => {
  const lines = new Lines(base, clock);
  const prefix = new URL(base.url).pathname.replace(/\/$/, '');
  return {
    send: ({ method, path, headers, body }: WireRequest, observer: ExchangeObserver): Exchange => {
      const { line, kept } = lines.take();
      const release = (reusable: boolean): void => lines.release(line, reusable);
      const exchange = new UndiciExchange(clock, line, observer, { release, onDefect });
      line.exchange = exchange;
      if (kept) exchange.connected(clock.now(), 'reused');
      line.client.dispatch(
        { method, path: prefix + path, headers: { ...headers }, body },
        exchange,
      );
      return exchange;
    },
    close: () => lines.close(),
  };
};
