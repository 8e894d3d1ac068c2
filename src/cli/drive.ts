import { runSlice } from '../engine/run-slice.ts';
import type { RunningSlice, SliceOrder } from '../engine/slice-order.ts';
import type { BudgetUnit } from '../model/budget.ts';
import type { Clock } from '../model/clock.ts';
import type { Transport } from '../model/exchange.ts';
import type { Breach } from '../model/objective-verdict.ts';
import type { Observation } from '../model/observation.ts';
import { type Instant, milliseconds, secondOf } from '../model/quantity.ts';
import type { GeneratorSample } from '../model/result.ts';
import { cleanHeap } from '../platform/clean-heap.ts';
import { type RunClock, startClock, wallClock } from '../platform/clock.ts';
import { watchGenerator } from '../platform/generator-signals.ts';
import { onInterrupt, type StopSignal } from '../platform/interrupts.ts';
import { openTransport } from '../platform/open-transport.ts';
import { scheduledEnd } from '../schedule/stages.ts';
import { drawEvery, type Live } from './live.ts';
import type { ReadyTarget } from './target.ts';

/** What a driven slice leaves behind beside its observations. */
export interface Driven {
  /** Wall-clock begin, ISO 8601. */
  readonly startedAt: string;
  /** When the load ended: by the plan, when nothing was left to ask, or where it was stopped. */
  readonly loadEnded: Instant;
  readonly stoppedBy: StopSignal | null;
  /** The objective whose breach ended the load. */
  readonly breach: Breach | null;
  /** The cap of the budget that ended the load. */
  readonly spent: BudgetUnit | null;
  /** Whether arrivals of the plan were left out. */
  readonly cut: boolean;
  readonly notes: readonly string[];
  readonly generator: readonly GeneratorSample[];
}

/** How long exchanges in flight may go on after the first stop signal. */
const drain = 2000;

/** How often it is looked whether a second has passed; a sample is late by at most this many milliseconds. */
const sampleEvery = 20;

/** The first line that people see. */
const opening = ({ plan }: SliceOrder, { baseUrl, mock }: ReadyTarget): string => {
  const form =
    plan.target.kind === 'container'
      ? 'reference gateway in a container'
      : 'embedded reference gateway';
  const where = mock === null ? baseUrl : `${baseUrl}, the ${form}`;
  const atMost = plan.stages.at(-1)?.load.kind === 'iterations' ? 'at most ' : '';
  const seconds = scheduledEnd(plan) / 1000;
  return `${plan.name}: ${atMost}${seconds} s against ${where}. Ctrl-C ends it early and keeps the report.`;
};

/** Lets stop signals stop the run: the first drains briefly, the second aborts what is left. */
const stopOnSignals = (
  running: RunningSlice,
  say: (text: string) => void,
): { readonly signal: () => StopSignal | null; readonly release: () => void } => {
  let first: StopSignal | null = null;
  const release = onInterrupt((signal, times) => {
    first ??= signal;
    running.stop(milliseconds(times === 1 ? drain : 0));
    if (times === 1)
      say(`stopping: waiting up to ${drain / 1000} s for what is in flight; once more to abort it`);
  });
  return { signal: () => first, release };
};

/** A slice that has just begun. */
export interface Begin {
  /** The wall-clock time, ISO 8601. */
  readonly startedAt: string;
  readonly clock: RunClock;
  /** Grows while the slice runs. */
  readonly generator: readonly GeneratorSample[];
}

/** Who looks on while a slice is driven. */
interface Watch {
  readonly live: Live;
  readonly say: (text: string) => void;
  /** Called when the clock starts; what it returns is called when the slice is over, however it went. */
  readonly begun: (begin: Begin) => () => void;
  /** Listens in to the transport. */
  readonly wrap: (transport: Transport) => Transport;
  readonly record: (observation: Observation) => void;
  /** The objective that is broken now and may end the run. */
  readonly breach: (now: Instant) => Breach | null;
}

/** Looks for a broken objective once a second of the load; the first one ends it as a stop signal would. */
const stopOnBreach = (
  clock: Clock,
  { running, until }: { readonly running: RunningSlice; readonly until: Instant },
  { breach, say }: Watch,
): { readonly found: () => Breach | null; readonly release: () => void } => {
  let found: Breach | null = null;
  const release = clock.every(1000, () => {
    if (found !== null || clock.now() >= until) return;
    found = breach(clock.now());
    if (found === null) return;
    say(`ending: the objective ${found.text} is broken`);
    running.stop(milliseconds(drain));
  });
  return { found: () => found, release };
};

/** Samples this process once for every whole second of the run. */
const sampleGenerator = (
  clock: Clock,
): { readonly samples: readonly GeneratorSample[]; readonly stop: () => void } => {
  const signals = watchGenerator();
  const samples: GeneratorSample[] = [];
  let sampled = 0;
  const stopTicking = clock.every(sampleEvery, () => {
    const second = secondOf(clock.now());
    if (second > sampled) samples.push(signals.sample(sampled));
    sampled = Math.max(sampled, second);
  });
  const stop = (): void => {
    stopTicking();
    signals.stop();
  };
  return { samples, stop };
};

/** Runs one slice of a plan against a ready target, to its end or until somebody stops it. */
export const drive = async (
  order: SliceOrder,
  target: ReadyTarget,
  watch: Watch,
): Promise<Driven> => {
  cleanHeap();
  const startedAt = wallClock();
  const clock = startClock();
  const transport = watch.wrap(
    openTransport(
      order.plan.transport,
      { url: target.baseUrl, wire: target.wire, certificates: target.certificates },
      clock,
    ),
  );
  const generator = sampleGenerator(clock);
  const ended = watch.begun({ startedAt, clock, generator: generator.samples });
  const running = runSlice(order, {
    clock,
    transport,
    observe: (observation) => {
      watch.record(observation);
      watch.live.note(observation);
    },
  });
  const stops = stopOnSignals(running, watch.say);
  const breaches = stopOnBreach(clock, { running, until: scheduledEnd(order.plan) }, watch);
  watch.say(opening(order, target));
  const stopDrawing = clock.every(drawEvery, () => watch.live.draw(clock.now(), running.motion()));
  try {
    const end = await running.done;
    return {
      startedAt,
      loadEnded: end.loadEnded,
      stoppedBy: stops.signal(),
      breach: end.stopped ? breaches.found() : null,
      spent: end.spent,
      cut: end.stopped,
      notes: end.notes,
      generator: generator.samples,
    };
  } finally {
    ended();
    stopDrawing();
    stops.release();
    breaches.release();
    generator.stop();
    await transport.close();
  }
};
