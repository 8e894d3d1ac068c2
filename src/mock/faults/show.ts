import type { MockClock } from '../clock.ts';
import type { Exchange } from '../exchange.ts';
import type { Chosen } from './choose.ts';
import { isStream } from './events.ts';

/** Lets a request show its fault; from then on it ends under the fault's name. */
export const showFault = (
  { name, fault, how }: Chosen,
  exchange: Exchange,
  clock: MockClock,
): void => {
  const faulted = { exchange, clock, ...how };
  if (fault.place === 'stream') {
    exchange.shapeStream((stream) => {
      exchange.blame(name);
      return fault.shape(stream, faulted);
    });
    exchange.rewriteHead((headers) =>
      isStream(headers) ? { ...headers, ...fault.head } : headers,
    );
    return;
  }
  exchange.blame(name);
  fault.run(faulted);
};
