import type { MockClock } from '../clock/mock-clock.ts';
import type { MockExchange } from '../http/mock-exchange.ts';
import type { ChosenFault } from './choose-fault.ts';
import { isEventStream } from './stream-events.ts';

/** Lets a request show its fault; from then on it ends under the fault's name. */
export const applyFault = (
  { name, fault, parameters }: ChosenFault,
  exchange: MockExchange,
  clock: MockClock,
): void => {
  const faulted = { exchange, clock, ...parameters };
  if (fault.scope === 'stream') {
    exchange.wrapStream((stream) => {
      exchange.setFault(name);
      return fault.shape(stream, faulted);
    });
    exchange.rewriteHeaders((headers) =>
      isEventStream(headers) ? { ...headers, ...fault.head } : headers,
    );
    return;
  }
  exchange.setFault(name);
  fault.run(faulted);
};
