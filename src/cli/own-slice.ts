import { runSlice } from '../engine/run-slice.ts';
import { saturate } from '../engine/saturate.ts';
import type { RunningSlice, SliceOrder } from '../engine/slice-order.ts';
import type { Cannon } from '../model/cannon.ts';
import type { Clock } from '../model/clock.ts';
import type { Transport } from '../model/exchange.ts';
import type { Observation } from '../model/observation.ts';
import type { Wire } from '../model/plan.ts';
import { secondOf } from '../model/quantity.ts';
import type { GeneratorSample } from '../model/result.ts';
import type { CanaryStreams } from '../platform/canary/canary-streams.ts';
import { watchGenerator } from '../platform/generator-signals.ts';
import { openTransport } from '../platform/open-transport.ts';

/** How often it is looked whether a second has passed; a sample is late by at most this many milliseconds. */
const sampleEvery = 20;

/** The way to a target. */
export interface Way {
  readonly baseUrl: string;
  readonly wire: Wire;
  readonly certificates: string | null;
}

/** A slice that this thread runs, with connections of its own. */
export interface OwnSlice {
  readonly running: RunningSlice;
  /** How this thread fared, a sample for each whole second so far. */
  readonly samples: readonly GeneratorSample[];
  readonly close: () => Promise<void>;
}

/** Samples this thread once for every whole second of the run. */
const sampleGenerator = (
  clock: Clock,
  canary: CanaryStreams | null,
): Pick<OwnSlice, 'samples'> & { stop(): void } => {
  const signals = watchGenerator();
  canary?.begin(Math.max(0, 0 - clock.now()));
  const samples: GeneratorSample[] = [];
  let sampled = 0;
  const stopTicking = clock.every(sampleEvery, () => {
    const second = secondOf(clock.now());
    if (second > sampled) {
      samples.push({ ...signals.sample(sampled), canary: canary?.take() ?? null });
    }
    sampled = Math.max(sampled, second);
  });
  const stop = (): void => {
    stopTicking();
    signals.stop();
  };
  return { samples, stop };
};

/** Who looks on in this thread. */
interface Onlooker {
  /** Listens in to the transport. */
  readonly wrap: (transport: Transport) => Transport;
  /** Takes every observation; none is made before the caller has its slice. */
  readonly observe: (observation: Observation) => void;
  /** This thread’s canary, closed with the slice. */
  readonly canary: CanaryStreams | null;
}

/** Sets a slice in motion in this thread. */
export const startSlice = (
  order: SliceOrder,
  { baseUrl, wire, certificates }: Way,
  clock: Clock,
  { wrap, observe, canary }: Onlooker,
): OwnSlice => {
  const base = { url: baseUrl, wire, certificates };
  const transport = wrap(openTransport(order.plan.transport, base, clock));
  const generator = sampleGenerator(clock, canary);
  return {
    running: runSlice(order, { clock, transport, observe }),
    samples: generator.samples,
    close: async () => {
      generator.stop();
      await canary?.close();
      await transport.close();
    },
  };
};

/** Sets a slice that runs flat out in motion in this thread. */
export const startFlatOut = (
  order: SliceOrder,
  cannon: Cannon,
  clock: Clock,
  { observe }: Pick<Onlooker, 'observe'>,
): OwnSlice => {
  const generator = sampleGenerator(clock, null);
  const running = saturate(order, { clock, cannon, observe });
  return {
    running,
    samples: generator.samples,
    close: async () => {
      generator.stop();
      await running.close();
    },
  };
};
