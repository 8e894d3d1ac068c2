import type { Clock } from '../../model/clock.ts';
import type {
  Exchange,
  ExchangeObserver,
  Transport,
  WireRequest,
} from '../../model/observation/exchange.ts';
import type { TargetEndpoint } from '../connection/connector.ts';
import { throwUncaught } from '../process/throw-uncaught.ts';
import { UndiciExchange } from './undici-exchange.ts';
import { UndiciPool } from './undici-pool.ts';

/**
 * The general transport: undici's `Client.dispatch`, one client for each connection and one
 * exchange at a time on it, so that no request waits in a hidden queue. Connections are kept alive and the
 * most recently used idle one is taken first. No timeouts, retries or redirects. What an observer
 * throws ends its exchange and goes to `onDefect`.
 */
export const undiciTransport = (
  endpoint: TargetEndpoint,
  clock: Clock,
  onDefect: (error: unknown) => void = throwUncaught,
): Transport => {
  const pool = new UndiciPool(endpoint, clock);
  const prefix = new URL(endpoint.url).pathname.replace(/\/$/, '');
  return {
    send: ({ method, path, headers, body }: WireRequest, observer: ExchangeObserver): Exchange => {
      const { connection, reused } = pool.take();
      const release = (reusable: boolean): void => pool.release(connection, reusable);
      const exchange = new UndiciExchange(clock, connection, observer, { release, onDefect });
      connection.exchange = exchange;
      if (reused) exchange.connected(clock.now(), 'reused');
      connection.client.dispatch(
        { method, path: prefix + path, headers: { ...headers }, body },
        exchange,
      );
      return exchange;
    },
    close: () => pool.close(),
  };
};
