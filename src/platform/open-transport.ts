import type { Clock } from '../model/clock.ts';
import type { Transport, TransportName } from '../model/exchange.ts';
import type { Base } from './connector.ts';
import { socketTransport } from './socket/socket-transport.ts';
import { undiciTransport } from './undici-transport.ts';

const transports = {
  socket: socketTransport,
  undici: undiciTransport,
} as const satisfies Record<TransportName, (base: Base, clock: Clock) => Transport>;

/** The transport of that name to one target. Only `undici` speaks HTTP/2. */
export const openTransport = (name: TransportName, base: Base, clock: Clock): Transport =>
  transports[name](base, clock);
