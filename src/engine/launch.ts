import { requestIdHeader } from '../contract/routes.ts';
import type { Transport } from '../model/exchange.ts';
import type { Memory } from '../traffic/kind.ts';
import { prepare } from '../traffic/kinds.ts';
import type { Content } from './content.ts';
import { type Errand, Flight, type Tower } from './flight.ts';
import type { SliceOrder } from './slice-order.ts';

/** What all flights of a slice have in common. */
export interface Runway {
  readonly order: SliceOrder;
  readonly transport: Transport;
  readonly memory: Memory;
  readonly tower: Tower;
}

/**
 * Prepares the request of an attempt and gives it a flight, which `go` sends off: the run notes the
 * flight before, since an exchange that fails at once lands within `go`.
 */
export const makeReady = (
  { order, transport, memory, tower }: Runway,
  { traffic, draw, ordinal, ask, requestId, credential }: Content,
  errand: Errand,
): { readonly flight: Flight; readonly go: () => void } => {
  const { plan, headers, userAgent, redact, clips } = order;
  const { request, read } = prepare(traffic, { draw, ordinal, memory, clips, ask });
  const reader = read({
    begun: errand.begun,
    redact,
    redactId: redact,
    caps: plan.caps,
    streams: plan.streams,
    memory,
  });
  const flight = new Flight(errand, reader, tower);
  const go = (): void => {
    const signed = {
      'user-agent': userAgent,
      ...request.headers,
      authorization: `Bearer ${credential.value}`,
      ...headers,
      [requestIdHeader]: requestId,
    };
    flight.board(transport.send({ ...request, headers: signed }, flight));
  };
  return { flight, go };
};
