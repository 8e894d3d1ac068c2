import { type RunningSlice, runSlice, type SliceOrder } from '../engine/run-slice.ts';
import type { Observation } from '../model/observation.ts';
import { milliseconds } from '../model/quantity.ts';
import type { GeneratorSample } from '../model/result.ts';
import { cleanHeap } from '../platform/clean-heap.ts';
import { startClock } from '../platform/clock.ts';
import { watchGenerator } from '../platform/generator-signals.ts';
import { onInterrupt, type StopSignal } from '../platform/interrupts.ts';
import { undiciTransport } from '../platform/undici-transport.ts';
import { scheduledEnd } from '../schedule/stages.ts';
import { drawEvery, type Live } from './live.ts';
import type { ReadyTarget } from './target.ts';

/** What a driven slice leaves behind beside its observations. */
export interface Driven {
  /** Milliseconds since the begin at which the last exchange ended. */
  readonly ended: number;
  readonly stoppedBy: StopSignal | null;
  /** Whether arrivals of the plan were left out. */
  readonly cut: boolean;
  readonly notes: readonly string[];
  readonly generator: readonly GeneratorSample[];
}

/** How long exchanges in flight may go on after the first stop signal. */
const drain = 2000;

const everySecond = 1000;

/** The first line that people see. */
const opening = ({ plan }: SliceOrder, { baseUrl, mock }: ReadyTarget): string => {
  const where = mock === null ? baseUrl : `${baseUrl}, the embedded reference gateway`;
  const seconds = scheduledEnd(plan) / 1000;
  return `${plan.name}: ${seconds} s against ${where}. Ctrl-C ends it early and keeps the report.`;
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

/** Runs one slice of a plan against a ready target, to its end or until somebody stops it. */
export const drive = async (
  order: SliceOrder,
  target: ReadyTarget,
  watch: {
    readonly live: Live;
    readonly say: (text: string) => void;
    readonly record: (observation: Observation) => void;
  },
): Promise<Driven> => {
  cleanHeap();
  const clock = startClock();
  const transport = undiciTransport(
    { url: target.baseUrl, wire: order.plan.wire, certificates: target.certificates },
    clock,
  );
  const signals = watchGenerator();
  const generator: GeneratorSample[] = [];
  const running = runSlice(order, {
    clock,
    transport,
    observe: (observation) => {
      watch.record(observation);
      watch.live.note(observation);
    },
  });
  const stops = stopOnSignals(running, watch.say);
  watch.say(opening(order, target));
  const tickers = [
    clock.every(everySecond, () => {
      generator.push(signals.sample(Math.max(0, Math.round(clock.now() / everySecond) - 1)));
    }),
    clock.every(drawEvery, () => watch.live.draw(clock.now(), running.motion())),
  ];
  try {
    const end = await running.done;
    return {
      ended: end.ended,
      stoppedBy: stops.signal(),
      cut: end.stopped,
      notes: end.notes,
      generator,
    };
  } finally {
    for (const stop of tickers) stop();
    stops.release();
    signals.stop();
    await transport.close();
  }
};
