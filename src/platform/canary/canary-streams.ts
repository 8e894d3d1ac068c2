import { setTimeout } from 'node:timers/promises';
import type { CanarySample } from '../../model/result/canary.ts';
import type { ExchangeObserver, TransportName } from '../../model/observation/exchange.ts';
import { directWire } from '../connection/connector.ts';
import { startClock } from '../host/clock.ts';
import { openTransport } from '../http/open-transport.ts';
import { countErrors } from './stamp.ts';

/** How an event loop connects to its self-test streams (the canary). */
export interface CanaryOptions {
  readonly port: number;
  readonly streams: number;
  /** The HTTP client of the run. Self-test streams use the same client, but always plain HTTP/1.1. */
  readonly transport: TransportName;
}

/** The self-test streams of this thread's event loop. */
export interface CanaryStreams {
  /** Must be called `ahead` ms before the start of the run. Events that were sent before this start do not count. */
  begin(ahead: number): void;
  /** Returns the measurement errors since the last call of `take`. */
  take(): CanarySample;
  close(): Promise<void>;
}

/** How long to wait for the streams to open, in ms, in case the emitter does not respond. */
const openTimeout = 1000;

/** Opens the streams in this thread. Resolves once each stream runs or has failed. */
export const openCanaryStreams = async ({
  port,
  streams,
  transport: name,
}: CanaryOptions): Promise<CanaryStreams> => {
  const clock = startClock();
  const errors = countErrors(clock);
  const url = `http://127.0.0.1:${port}`;
  const transport = openTransport(name, { url, wire: directWire, certificates: null }, clock);
  let open = 0;
  /** The highest number of streams that were open at the same time since the last sample. */
  let maxOpen = 0;
  const openOne = (_: unknown, place: number): Promise<void> => {
    const settled = Promise.withResolvers<void>();
    let isOpen = false;
    const onClosed = (): void => {
      if (isOpen) open -= 1;
      isOpen = false;
      settled.resolve();
    };
    const observer: ExchangeObserver = {
      onConnected: () => undefined,
      onReconnect: () => undefined,
      onSent: () => undefined,
      onHeaders: () => {
        isOpen = true;
        open += 1;
        maxOpen = Math.max(maxOpen, open);
        settled.resolve();
      },
      onChunk: errors.note,
      onEnd: onClosed,
      onFailure: onClosed,
    };
    const path = `/${place}`;
    transport.send({ method: 'GET', path, headers: {}, body: null }, observer);
    return settled.promise;
  };
  const settled = Promise.all(Array.from({ length: streams }, openOne));
  await Promise.race([settled, setTimeout(openTimeout, null, { ref: false })]);
  return {
    begin: (ahead) => errors.begin(clock.now() + ahead),
    take: () => {
      const sample = { streams: maxOpen, ...errors.take() };
      maxOpen = open;
      return sample;
    },
    close: () => transport.close(),
  };
};
