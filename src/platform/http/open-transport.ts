import type { Transport, TransportName } from '../../model/observation/exchange.ts';
import type { TargetEndpoint } from '../connection/connector.ts';
import type { RunClock } from '../host/clock.ts';
import { socketTransport } from '../socket/socket-transport.ts';
import { undiciTransport } from './undici-transport.ts';

const transports = {
  socket: socketTransport,
  undici: undiciTransport,
} as const satisfies Record<
  TransportName,
  (endpoint: TargetEndpoint, clock: RunClock) => Transport
>;

/** Opens the transport `name` to one target. Only the transport `undici` speaks HTTP/2. */
export const openTransport = (
  name: TransportName,
  endpoint: TargetEndpoint,
  clock: RunClock,
): Transport => transports[name](endpoint, clock);
