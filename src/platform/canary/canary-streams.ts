import { setTimeout } from 'node:timers/promises';
import type { CanarySample } from '../../model/canary.ts';
import { canaryBeats } from '../../model/canary-beats.ts';
import type { ExchangeObserver, TransportName } from '../../model/exchange.ts';
import { directWire } from '../connector.ts';
import { startClock } from '../clock.ts';
import { openTransport } from '../open-transport.ts';
import { countErrors } from './count-errors.ts';

/** How a loop reaches its canary, and how many streams it reads. */
export interface CanaryWay {
  readonly port: number;
  readonly streams: number;
  /** The run's. A connection is plain HTTP/1.1 whatever the target speaks. */
  readonly transport: TransportName;
}

/** The canary of this thread's loop. */
export interface CanaryStreams {
  /** The run begins in so many ms: what is sent before counts as little as what was told so far. */
  begin(ahead: number): void;
  /** What it told since the last call. */
  take(): CanarySample;
  close(): Promise<void>;
}

/** The streams of one that stands still are waited for no longer than this (ms). */
const patience = 1000;

/** Opens the streams in this thread, and resolves once each of them runs or has failed. */
export const openCanaryStreams = async ({
  port,
  streams,
  transport: name,
}: CanaryWay): Promise<CanaryStreams> => {
  const clock = startClock();
  const errors = countErrors(clock);
  const url = `http://127.0.0.1:${port}`;
  const transport = openTransport(name, { url, wire: directWire, certificates: null }, clock);
  let open = 0;
  /** Since the last look. */
  let most = 0;
  const openOne = (_: unknown, place: number): Promise<void> => {
    const settled = Promise.withResolvers<void>();
    let runs = false;
    const over = (): void => {
      if (runs) open -= 1;
      runs = false;
      settled.resolve();
    };
    const observer: ExchangeObserver = {
      onConnected: () => undefined,
      onSent: () => undefined,
      onHeaders: () => {
        runs = true;
        open += 1;
        most = Math.max(most, open);
        settled.resolve();
      },
      onChunk: errors.note,
      onEnd: over,
      onFailure: over,
    };
    const path = `/${place % canaryBeats}`;
    transport.send({ method: 'GET', path, headers: {}, body: null }, observer);
    return settled.promise;
  };
  const settled = Promise.all(Array.from({ length: streams }, openOne));
  await Promise.race([settled, setTimeout(patience, null, { ref: false })]);
  return {
    begin: (ahead) => errors.begin(clock.now() + ahead),
    take: () => {
      const sample = { streams: most, errors: errors.take() };
      most = open;
      return sample;
    },
    close: () => transport.close(),
  };
};
