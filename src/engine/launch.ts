import { requestIdHeader } from '../contract/routes.ts';
import type { Transport } from '../model/exchange.ts';
import type { Memory, Prepared } from '../traffic/kind.ts';
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

/** A request as it goes over the wire, and how its answer is read. */
export const signedRequest = (
  { order, memory }: Pick<Runway, 'order' | 'memory'>,
  { traffic, draw, ordinal, ask, requestId, credential }: Content,
): Prepared => {
  const { headers, userAgent, clips } = order;
  const { request, read } = prepare(traffic, { draw, ordinal, memory, clips, ask });
  const signed = {
    'user-agent': userAgent,
    ...request.headers,
    authorization: `Bearer ${credential.value}`,
    ...headers,
    [requestIdHeader]: requestId,
  };
  return { request: { ...request, headers: signed }, read };
};

/** A flight for one sending of a request. */
export const flightFor = (
  { order, memory, tower }: Omit<Runway, 'transport'>,
  { read }: Prepared,
  errand: Errand,
): Flight => {
  const { plan, redact } = order;
  const reader = read({
    begun: errand.begun,
    redact,
    redactId: redact,
    caps: plan.caps,
    streams: plan.streams,
    memory,
  });
  return new Flight(errand, reader, tower);
};

/**
 * Prepares the request of an attempt and gives it a flight, which `go` sends off: the run notes the
 * flight before, since an exchange that fails at once lands within `go`.
 */
export const makeReady = (
  runway: Runway,
  content: Content,
  errand: Errand,
): { readonly flight: Flight; readonly go: () => void } => {
  const prepared = signedRequest(runway, content);
  const flight = flightFor(runway, prepared, errand);
  const go = (): void => flight.board(runway.transport.send(prepared.request, flight));
  return { flight, go };
};
