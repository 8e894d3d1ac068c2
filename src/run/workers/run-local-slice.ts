import { runSlice } from '../../engine/run-slice.ts';
import { saturate } from '../../engine/saturate.ts';
import type { RunningSlice, SliceOptions } from '../../engine/slice-options.ts';
import type { SaturatingClient } from '../../model/observation/saturating-client.ts';
import type { Clock } from '../../model/clock.ts';
import type { RunClock } from '../../platform/host/clock.ts';
import type { CombinedObserver } from '../watch/observer.ts';
import type { ConnectionSettings } from '../../model/plan/plan.ts';
import { type Instant, secondOf } from '../../model/quantity.ts';
import type { Transport } from '../../model/observation/exchange.ts';
import type { GeneratorSample } from '../../model/result/result.ts';
import type { CanaryStreams } from '../../platform/canary/canary-streams.ts';
import { watchGenerator } from '../../platform/host/generator-signals.ts';
import { openTransport } from '../../platform/http/open-transport.ts';
import { ObservationQueue } from './observation-queue.ts';
import { withReadDelays } from './read-delays.ts';

/** Poll interval in ms; samples lag by at most this. */
const pollInterval = 20;

export interface TargetAddress {
  readonly baseUrl: string;
  readonly wire: ConnectionSettings;
  readonly certificates: string | null;
}

export interface LocalSlice {
  readonly running: RunningSlice;
  /** The state of the load generator, one sample for each whole second so far. */
  readonly samples: readonly GeneratorSample[];
  readonly close: () => Promise<void>;
}

/** Samples this thread once for every whole second of the run. */
const sampleGenerator = (clock: Clock, canary: CanaryStreams | null) => {
  const signals = watchGenerator();
  canary?.begin(Math.max(0, 0 - clock.now()));
  const samples: GeneratorSample[] = [];
  let sampledSeconds = 0;
  const stopPolling = clock.every(pollInterval, () => {
    const now = clock.now();
    // What opens connections before the run is not part of its first second.
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

/** Whether the slice's lease has run out, by the run's clock; `null` if it has none. */
const leaseWatch = (
  { lease }: SliceOptions,
  { machineZero }: RunClock,
): ((now: Instant) => boolean) | null =>
  lease === undefined ? null : (now) => now + machineZero > lease[0]!;

/** Asks once more right before each request: a process can be halted between a look at the clock and the request. */
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

/** Starts a slice in this thread. The canary is closed with the slice. */
export const startLocalSlice = (
  options: SliceOptions,
  { baseUrl, wire, certificates }: TargetAddress,
  clock: RunClock,
  {
    observer,
    canary,
  }: { readonly observer: CombinedObserver; readonly canary: CanaryStreams | null },
): LocalSlice => {
  const base = { url: baseUrl, wire, certificates };
  const isLeaseOver = leaseWatch(options, clock);
  const opened = observer.wrapTransport(openTransport(options.plan.transport, base, clock));
  const transport = isLeaseOver === null ? opened : underLease(opened, clock, isLeaseOver);
  const generator = sampleGenerator(clock, canary);
  const queue = new ObservationQueue(clock, withReadDelays(clock, observer.onObservation));
  const running = runSlice(options, {
    clock,
    transport,
    observe: queue.add,
    ...(isLeaseOver === null ? {} : { isLeaseOver }),
  });
  return {
    running: {
      done: running.done.finally(() => queue.drain()),
      progress: () => running.progress(),
      stop: (grace) => running.stop(grace),
    },
    samples: generator.samples,
    close: async () => {
      generator.stop();
      await canary?.close();
      await transport.close();
    },
  };
};

/** Starts a slice that saturates the target, in this thread. */
export const startSaturatingSlice = (
  options: SliceOptions,
  client: SaturatingClient,
  clock: RunClock,
  { onObservation }: CombinedObserver,
): LocalSlice => {
  const generator = sampleGenerator(clock, null);
  const observe = withReadDelays(clock, onObservation);
  const running = saturate(options, { clock, client, observe });
  return {
    running,
    samples: generator.samples,
    close: async () => {
      generator.stop();
      await running.close();
    },
  };
};
