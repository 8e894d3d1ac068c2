import type { SliceOptions, SlicePorts } from '../../engine/slice-options.ts';
import type { Clock } from '../../model/clock.ts';
import type { RunClock } from '../../platform/host/clock.ts';
import type { CombinedObserver } from '../watch/observer.ts';
import type { ConnectionSettings } from '../../model/plan/plan.ts';
import { plansByTarget } from '../../model/plan/targets.ts';
import { type Instant, secondOf } from '../../model/quantity.ts';
import type { Transport } from '../../model/observation/exchange.ts';
import type { GeneratorSample } from '../../model/result/result.ts';
import type { CanaryStreams } from '../../platform/canary/canary-streams.ts';
import { watchGenerator } from '../../platform/host/generator-signals.ts';
import type { Certificates } from '../../platform/connection/connector.ts';
import { openTransport } from '../../platform/http/open-transport.ts';
import { ObservationQueue, withReadDelays } from './observation-queue.ts';

/** The clock is checked for a new second at this interval, in ms. A sample is late by at most this time. */
const pollInterval = 20;

export interface TargetAddress {
  readonly baseUrl: string;
  readonly wire: ConnectionSettings;
  readonly certificates: Certificates | null;
}

export interface OpenSlice {
  readonly ports: SlicePorts;
  /** The samples of the load generator's state, one for each whole second so far. */
  readonly samples: readonly GeneratorSample[];
  /** Observes the streams that still wait. Must be called once the slice has ended. */
  readonly drain: () => void;
  readonly close: () => Promise<void>;
}

/**
 * Takes a sample of this thread for every whole second of the run. A sample describes the state of the load generator.
 */
export const sampleGenerator = (clock: Clock, canary: CanaryStreams | null) => {
  // Without self-test streams, the lateness of timers shows how late this thread reads.
  const signals = watchGenerator({ keepsLateness: canary === null });
  canary?.begin(Math.max(0, 0 - clock.now()));
  const samples: GeneratorSample[] = [];
  let sampledSeconds = 0;
  const stopPolling = clock.every(pollInterval, () => {
    const now = clock.now();
    // This sample is dropped, since the first sample of the run must not include the opening of connections before the
    // run.
    if (now < 0) signals.sample(0);
    const second = secondOf(now);
    if (second <= sampledSeconds) return;
    samples.push({ ...signals.sample(sampledSeconds), canary: canary?.take() ?? null });
    sampledSeconds = second;
  });
  const stop = (): void => {
    stopPolling();
    signals.stop();
  };
  return { samples, stop };
};

/**
 * Returns a function that says whether the slice's lease has run out, by the run's clock; `null` if the slice has no
 * lease.
 */
const leaseWatch = (
  { lease }: SliceOptions,
  { machineZero }: RunClock,
): ((now: Instant) => boolean) | null =>
  lease === undefined ? null : (now) => now + machineZero > lease[0]!;

/**
 * Checks the lease just before each request is sent. The engine has checked the lease before, but the system can halt
 * the process between that check and the sending.
 */
const underLease = (
  transport: Transport,
  clock: RunClock,
  isLeaseOver: (now: Instant) => boolean,
): Transport => ({
  send: (request, exchange) => {
    const now = clock.now();
    if (!isLeaseOver(now)) return transport.send(request, exchange);
    exchange.onFailure(now, 'aborted', 'the coordinator was silent');
    return { abort: () => undefined };
  },
  connectAhead: (count) => transport.connectAhead(count),
  notes: () => transport.notes(),
  close: () => transport.close(),
});

/** Opens everything that a slice needs to run in this thread. Closing the slice also closes its self-test streams. */
export const openSlice = (
  options: SliceOptions,
  targets: readonly TargetAddress[],
  clock: RunClock,
  {
    observer,
    canary,
  }: { readonly observer: CombinedObserver; readonly canary: CanaryStreams | null },
): OpenSlice => {
  const isLeaseOver = leaseWatch(options, clock);
  const transports = plansByTarget(options.plan).map(({ transport: name }, place) => {
    const { baseUrl, wire, certificates } = targets[place]!;
    const base = { url: baseUrl, wire, certificates };
    const opened = observer.wrapTransport(openTransport(name, base, clock));
    return isLeaseOver === null ? opened : underLease(opened, clock, isLeaseOver);
  });
  const generator = sampleGenerator(clock, canary);
  const queue = new ObservationQueue(clock, withReadDelays(clock, observer.onObservation));
  return {
    ports: {
      clock,
      transports,
      observe: queue.add,
      ...(isLeaseOver === null ? {} : { isLeaseOver }),
    },
    samples: generator.samples,
    drain: () => queue.drain(),
    close: async () => {
      generator.stop();
      await canary?.close();
      await Promise.all(transports.map((transport) => transport.close()));
    },
  };
};
