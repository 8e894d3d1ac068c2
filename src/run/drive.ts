import type { RunningSlice, SliceOptions } from '../engine/slice-options.ts';
import type { BudgetUnit } from '../model/plan/budget.ts';
import type { Clock } from '../model/clock.ts';
import type { Transport } from '../model/observation/exchange.ts';
import type { Breach } from '../model/result/objective-verdict.ts';
import type { Observation } from '../model/observation/observation.ts';
import { saturateLoadOf } from '../model/plan/plan.ts';
import { type Instant, milliseconds } from '../model/quantity.ts';
import type { GeneratorSample, Result, SliceRun } from '../model/result/result.ts';
import { loadSaturatingClient } from '../platform/http/autocannon-client.ts';
import { type CanaryOptions, openCanaryStreams } from '../platform/canary/canary-streams.ts';
import { cleanHeap } from '../platform/host/clean-heap.ts';
import { type RunClock, startClock, wallClock } from '../platform/host/clock.ts';
import { onInterrupt, type StopSignal } from '../platform/process/interrupts.ts';
import { thisMachine } from '../platform/host/machine.ts';
import { scheduledEnd } from '../schedule/stages.ts';
import { startDelay, openWorkerPool } from './workers/worker-pool.ts';
import type { WorkerPoolPlan } from './workers/worker-pool-plan.ts';
import { redrawInterval, type LiveDisplay } from './watch/live-display.ts';
import { startSaturatingSlice, startLocalSlice } from './workers/run-local-slice.ts';
import type { ReadyTarget } from './target/prepare-target.ts';
import type { WorkerUpdate } from './workers/worker-messages.ts';

/** What a driven slice leaves behind beside its observations. */
export interface DrivenSlice {
  /** Wall-clock begin, ISO 8601. */
  readonly startedAt: string;
  /** When the load ended: by the plan, when nothing was left to ask, or where it was stopped. */
  readonly loadEnded: Instant;
  readonly stoppedBy: StopSignal | null;
  /** The objective whose breach ended the load. */
  readonly breach: Breach | null;
  /** The cap of the budget that ended the load. */
  readonly exhaustedBudget: BudgetUnit | null;
  /** Whether arrivals of the plan were left out. */
  readonly isCutShort: boolean;
  readonly notes: readonly string[];
  /** The slices that were run to their end, in order. */
  readonly slices: readonly SliceRun[];
  /** What workers recorded; none where this thread recorded itself. */
  readonly workerResults: readonly Result[];
  /** Why slices are missing, in sentences. */
  readonly lostSlices: readonly string[];
}

/** How long exchanges in flight may go on after the first stop signal. */
const drainTimeout = 2000;

/** The first line that people see. */
const openingLine = ({ plan }: SliceOptions, { baseUrl, mock }: ReadyTarget): string => {
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
    running.stop(milliseconds(times === 1 ? drainTimeout : 0));
    if (times === 1)
      say(
        `stopping: waiting up to ${drainTimeout / 1000} s for what is in flight; once more to abort it`,
      );
  });
  return { signal: () => first, release };
};

/** A slice that has just begun, or is about to where workers wait for its moment. */
export interface StartedSlice {
  /** The wall-clock time, ISO 8601. */
  readonly startedAt: string;
  readonly clock: RunClock;
  /** What this thread runs itself; `null` where workers do. */
  readonly local: {
    readonly slice: Omit<SliceRun, 'generator'>;
    /** Grows while the slice runs. */
    readonly generator: readonly GeneratorSample[];
  } | null;
}

/** Who looks on while a plan is driven. */
export interface SliceWatch {
  readonly display: LiveDisplay;
  readonly say: (text: string) => void;
  /** Called when the clock starts; what it returns is called when the slice is over, however it went. */
  readonly onStart: (begin: StartedSlice) => () => void;
  /** The canary that each loop reads; `null` for none. */
  readonly canary: CanaryOptions | null;
  /** Listens in to this thread’s transport. */
  readonly wrap: (transport: Transport) => Transport;
  /** Takes every observation that is made in this thread. */
  readonly record: (observation: Observation) => void;
  /** Takes what workers tell of theirs. */
  readonly onWorkerUpdate: (
    news: Pick<WorkerUpdate, 'observationLines' | 'checkpointLines' | 'observations'>,
  ) => void;
  /** The objective that is broken now and may end the run. */
  readonly findBreach: (now: Instant) => Breach | null;
}

/** Looks for a broken objective once a second of the load; the first one ends it as a stop signal would. */
const stopOnBreach = (
  clock: Clock,
  { running, until }: { readonly running: RunningSlice; readonly until: Instant },
  { findBreach, say }: SliceWatch,
): { readonly found: () => Breach | null; readonly release: () => void } => {
  let found: Breach | null = null;
  const release = clock.every(1000, () => {
    if (found !== null || clock.now() >= until) return;
    found = findBreach(clock.now());
    if (found === null) return;
    say(`ending: the objective ${found.text} is broken`);
    running.stop(milliseconds(drainTimeout));
  });
  return { found: () => found, release };
};

/** A plan in motion, by whichever threads. */
interface ActiveSlice {
  readonly startedAt: string;
  readonly clock: Clock;
  readonly running: RunningSlice;
  readonly end: () => Pick<DrivenSlice, 'slices' | 'workerResults' | 'lostSlices'>;
  close(): Promise<void>;
}

/** Runs the slice in this thread. */
const startInThisThread = async (
  sliceRequest: SliceOptions,
  target: ReadyTarget,
  sliceWatch: SliceWatch,
): Promise<ActiveSlice> => {
  const openClient =
    saturateLoadOf(sliceRequest.plan) === null ? null : await loadSaturatingClient(target.baseUrl);
  const canary = sliceWatch.canary === null ? null : await openCanaryStreams(sliceWatch.canary);
  cleanHeap();
  const startedAt = wallClock();
  const clock = startClock();
  const observe = (observation: Observation): void => {
    sliceWatch.record(observation);
    sliceWatch.display.record(observation);
  };
  const { running, samples, close } =
    openClient === null
      ? startLocalSlice(sliceRequest, target, clock, { wrap: sliceWatch.wrap, observe, canary })
      : startSaturatingSlice(sliceRequest, openClient(clock), clock, { observe });
  const slice = {
    ...sliceRequest.slice,
    startedAt,
    baseUrl: target.baseUrl,
    machine: thisMachine(),
  };
  const onEnded = sliceWatch.onStart({ startedAt, clock, local: { slice, generator: samples } });
  return {
    startedAt,
    clock,
    running,
    end: () => ({
      slices: [{ ...slice, generator: [...samples] }],
      workerResults: [],
      lostSlices: [],
    }),
    close: async () => {
      onEnded();
      await close();
    },
  };
};

/** Runs the slice in parts, each in a worker. */
const startInWorkers = async (
  sliceRequest: SliceOptions,
  target: ReadyTarget,
  sliceWatch: SliceWatch,
  plan: WorkerPoolPlan,
): Promise<ActiveSlice> => {
  const workerPool = await openWorkerPool(sliceRequest, target, {
    ...plan,
    canary: sliceWatch.canary,
  });
  const startedAt = wallClock(startDelay);
  const clock = startClock(startDelay);
  const onEnded = sliceWatch.onStart({ startedAt, clock, local: null });
  const running = workerPool.begin({ startedAt, machineZero: clock.machineZero }, (news) => {
    sliceWatch.display.addFigures(news.figures);
    sliceWatch.onWorkerUpdate(news);
  });
  await workerPool.begun(clock);
  return {
    startedAt,
    clock,
    running,
    end: workerPool.end,
    close: async () => {
      onEnded();
      await workerPool.close();
    },
  };
};

/** Runs one slice of a plan against a ready target, by workers or in this thread, to its end or until somebody stops it. */
export const drive = async (
  sliceRequest: SliceOptions,
  target: ReadyTarget,
  sliceWatch: SliceWatch,
  workerPool: WorkerPoolPlan | null,
): Promise<DrivenSlice> => {
  const active = await (workerPool === null
    ? startInThisThread(sliceRequest, target, sliceWatch)
    : startInWorkers(sliceRequest, target, sliceWatch, workerPool));
  const { startedAt, clock, running } = active;
  const stopSignals = stopOnSignals(running, sliceWatch.say);
  const breachWatch = stopOnBreach(
    clock,
    { running, until: scheduledEnd(sliceRequest.plan) },
    sliceWatch,
  );
  sliceWatch.say(openingLine(sliceRequest, target));
  const stopDrawing = clock.every(redrawInterval, () =>
    sliceWatch.display.draw(clock.now(), running.progress()),
  );
  try {
    const end = await running.done;
    return {
      startedAt,
      loadEnded: end.loadEnded,
      stoppedBy: stopSignals.signal(),
      breach: end.stopped ? breachWatch.found() : null,
      exhaustedBudget: end.spent,
      isCutShort: end.stopped,
      notes: end.notes,
      ...active.end(),
    };
  } finally {
    stopDrawing();
    stopSignals.release();
    breachWatch.release();
    await active.close();
  }
};
