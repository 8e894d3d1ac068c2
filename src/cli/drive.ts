import type { RunningSlice, SliceOrder } from '../engine/slice-order.ts';
import type { BudgetUnit } from '../model/budget.ts';
import type { Clock } from '../model/clock.ts';
import type { Transport } from '../model/exchange.ts';
import type { Breach } from '../model/objective-verdict.ts';
import type { Observation } from '../model/observation.ts';
import { saturationOf } from '../model/plan.ts';
import { type Instant, milliseconds } from '../model/quantity.ts';
import type { GeneratorSample, Result, SliceRun } from '../model/result.ts';
import { loadCannon } from '../platform/autocannon.ts';
import { type CanaryWay, openCanaryStreams } from '../platform/canary/canary-streams.ts';
import { cleanHeap } from '../platform/clean-heap.ts';
import { type RunClock, startClock, wallClock } from '../platform/clock.ts';
import { onInterrupt, type StopSignal } from '../platform/interrupts.ts';
import { thisMachine } from '../platform/machine.ts';
import { scheduledEnd } from '../schedule/stages.ts';
import { crewLead, readyCrew } from './crew.ts';
import type { CrewPlan } from './crew-plan.ts';
import { drawEvery, type Live } from './live.ts';
import { startFlatOut, startSlice } from './own-slice.ts';
import type { ReadyTarget } from './target.ts';
import type { News } from './worker-messages.ts';

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
  /** The slices that were run to their end, in order. */
  readonly slices: readonly SliceRun[];
  /** What workers recorded; none where this thread recorded itself. */
  readonly parts: readonly Result[];
  /** Why slices are missing, in sentences. */
  readonly lost: readonly string[];
}

/** How long exchanges in flight may go on after the first stop signal. */
const drain = 2000;

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

/** A slice that has just begun, or is about to where workers wait for its moment. */
export interface Begin {
  /** The wall-clock time, ISO 8601. */
  readonly startedAt: string;
  readonly clock: RunClock;
  /** What this thread runs itself; `null` where workers do. */
  readonly own: {
    readonly slice: Omit<SliceRun, 'generator'>;
    /** Grows while the slice runs. */
    readonly generator: readonly GeneratorSample[];
  } | null;
}

/** Who looks on while a plan is driven. */
export interface Watch {
  readonly live: Live;
  readonly say: (text: string) => void;
  /** Called when the clock starts; what it returns is called when the slice is over, however it went. */
  readonly begun: (begin: Begin) => () => void;
  /** The canary that each loop reads; `null` for none. */
  readonly canary: CanaryWay | null;
  /** Listens in to this thread’s transport. */
  readonly wrap: (transport: Transport) => Transport;
  /** Takes every observation that is made in this thread. */
  readonly record: (observation: Observation) => void;
  /** Takes what workers tell of theirs. */
  readonly heard: (news: Pick<News, 'lines' | 'kept' | 'observations'>) => void;
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

/** A plan in motion, by whichever threads. */
interface Underway {
  readonly startedAt: string;
  readonly clock: Clock;
  readonly running: RunningSlice;
  readonly end: () => Pick<Driven, 'slices' | 'parts' | 'lost'>;
  close(): Promise<void>;
}

/** Runs the slice in this thread. */
const startAlone = async (
  order: SliceOrder,
  target: ReadyTarget,
  watch: Watch,
): Promise<Underway> => {
  const openCannon = saturationOf(order.plan) === null ? null : await loadCannon(target.baseUrl);
  const canary = watch.canary === null ? null : await openCanaryStreams(watch.canary);
  cleanHeap();
  const startedAt = wallClock();
  const clock = startClock();
  const observe = (observation: Observation): void => {
    watch.record(observation);
    watch.live.note(observation);
  };
  const { running, samples, close } =
    openCannon === null
      ? startSlice(order, target, clock, { wrap: watch.wrap, observe, canary })
      : startFlatOut(order, openCannon(clock), clock, { observe });
  const slice = { ...order.slice, startedAt, baseUrl: target.baseUrl, machine: thisMachine() };
  const ended = watch.begun({ startedAt, clock, own: { slice, generator: samples } });
  return {
    ...{ startedAt, clock, running },
    end: () => ({ slices: [{ ...slice, generator: [...samples] }], parts: [], lost: [] }),
    close: async () => {
      ended();
      await close();
    },
  };
};

/** Runs the slice in parts, each in a worker. */
const startTogether = async (
  order: SliceOrder,
  target: ReadyTarget,
  watch: Watch,
  plan: CrewPlan,
): Promise<Underway> => {
  const crew = await readyCrew(order, target, { ...plan, canary: watch.canary });
  const startedAt = wallClock(crewLead);
  const clock = startClock(crewLead);
  const ended = watch.begun({ startedAt, clock, own: null });
  const running = crew.begin({ startedAt, machineZero: clock.machineZero }, (news) => {
    watch.live.add(news.live);
    watch.heard(news);
  });
  await crew.begun(clock);
  return {
    ...{ startedAt, clock, running },
    end: crew.end,
    close: async () => {
      ended();
      await crew.close();
    },
  };
};

/** Runs one slice of a plan against a ready target, by workers or in this thread, to its end or until somebody stops it. */
export const drive = async (
  order: SliceOrder,
  target: ReadyTarget,
  watch: Watch,
  crew: CrewPlan | null,
): Promise<Driven> => {
  const underway = await (crew === null
    ? startAlone(order, target, watch)
    : startTogether(order, target, watch, crew));
  const { startedAt, clock, running } = underway;
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
      ...underway.end(),
    };
  } finally {
    stopDrawing();
    stops.release();
    breaches.release();
    await underway.close();
  }
};
