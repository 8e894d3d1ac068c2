import { runSlice } from '../../engine/run-slice.ts';
import { saturate } from '../../engine/saturate.ts';
import type { RunningSlice, SliceOptions } from '../../engine/slice-options.ts';
import type { SaturatingClient } from '../../model/observation/saturating-client.ts';
import type { Clock } from '../../model/clock.ts';
import type { Transport } from '../../model/observation/exchange.ts';
import type { Observation } from '../../model/observation/observation.ts';
import type { ConnectionSettings } from '../../model/plan/plan.ts';
import { secondOf } from '../../model/quantity.ts';
import type { GeneratorSample } from '../../model/result/result.ts';
import type { CanaryStreams } from '../../platform/canary/canary-streams.ts';
import { watchGenerator } from '../../platform/host/generator-signals.ts';
import { openTransport } from '../../platform/http/open-transport.ts';

/** How often it is looked whether a second has passed; a sample is late by at most this many milliseconds. */
const pollInterval = 20;

/** The way to a target. */
export interface TargetAddress {
  readonly baseUrl: string;
  readonly wire: ConnectionSettings;
  readonly certificates: string | null;
}

/** A slice that this thread runs, with connections of its own. */
export interface LocalSlice {
  readonly running: RunningSlice;
  /** How this thread fared, a sample for each whole second so far. */
  readonly samples: readonly GeneratorSample[];
  readonly close: () => Promise<void>;
}

/** Samples this thread once for every whole second of the run. */
const sampleGenerator = (
  clock: Clock,
  canary: CanaryStreams | null,
): Pick<LocalSlice, 'samples'> & { stop(): void } => {
  const signals = watchGenerator();
  canary?.begin(Math.max(0, 0 - clock.now()));
  const samples: GeneratorSample[] = [];
  let sampledSeconds = 0;
  const stopPolling = clock.every(pollInterval, () => {
    const second = secondOf(clock.now());
    if (second > sampledSeconds) {
      samples.push({ ...signals.sample(sampledSeconds), canary: canary?.take() ?? null });
    }
    sampledSeconds = Math.max(sampledSeconds, second);
  });
  const stop = (): void => {
    stopPolling();
    signals.stop();
  };
  return { samples, stop };
};

/** Who looks on in this thread. */
interface SliceObserver {
  /** Listens in to the transport. */
  readonly wrap: (transport: Transport) => Transport;
  /** Takes every observation; none is made before the caller has its slice. */
  readonly observe: (observation: Observation) => void;
  /** This thread’s canary, closed with the slice. */
  readonly canary: CanaryStreams | null;
}

/** Sets a slice in motion in this thread. */
export const startLocalSlice = (
  sliceRequest: SliceOptions,
  { baseUrl, wire, certificates }: TargetAddress,
  clock: Clock,
  { wrap, observe, canary }: SliceObserver,
): LocalSlice => {
  const base = { url: baseUrl, wire, certificates };
  const transport = wrap(openTransport(sliceRequest.plan.transport, base, clock));
  const generator = sampleGenerator(clock, canary);
  return {
    running: runSlice(sliceRequest, { clock, transport, observe }),
    samples: generator.samples,
    close: async () => {
      generator.stop();
      await canary?.close();
      await transport.close();
    },
  };
};

/** Sets a slice that runs flat out in motion in this thread. */
export const startSaturatingSlice = (
  sliceRequest: SliceOptions,
  client: SaturatingClient,
  clock: Clock,
  { observe }: Pick<SliceObserver, 'observe'>,
): LocalSlice => {
  const generator = sampleGenerator(clock, null);
  const running = saturate(sliceRequest, { clock, client, observe });
  return {
    running,
    samples: generator.samples,
    close: async () => {
      generator.stop();
      await running.close();
    },
  };
};
