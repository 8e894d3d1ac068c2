import type { RunningSlice, SliceEnd, SliceOptions } from '../engine/slice-options.ts';
import type { BudgetUnit } from '../model/plan/budget.ts';
import type { Clock } from '../model/clock.ts';
import type { Breach } from '../model/result/objective-verdict.ts';
import { renewKeys } from './target/renew-keys.ts';
import { saturateLoadOf } from '../model/plan/plan.ts';
import { type Instant, milliseconds } from '../model/quantity.ts';
import type { Result, SliceRun } from '../model/result/result.ts';
import {
  type CanaryOptions,
  type CanaryStreams,
  openCanaryStreams,
} from '../platform/canary/canary-streams.ts';
import { cleanHeap } from '../platform/host/clean-heap.ts';
import { type RunClock, startClock } from '../platform/host/clock.ts';
import { waitAtMost } from '../platform/wait-at-most.ts';
import type { OnStop, StopCause } from './input/host.ts';
import { thisMachine } from '../platform/host/machine.ts';
import { plannedTime } from '../report/summary/workload-text.ts';
import { scheduledEnd } from '../schedule/stages.ts';
import type { WorkerPoolPlan } from './workers/worker-pool-plan.ts';
import { type CombinedObserver, tickInterval } from './watch/observer.ts';
import { dryRun } from './workers/dry-run.ts';
import { openSlice, type OpenSlice, sampleGenerator } from './workers/slice-ports.ts';
import { withReadDelays } from './workers/observation-queue.ts';
import { runSlice } from '../engine/run-slice.ts';
import type { PlannedStart } from './input/planned-start.ts';
import { beginningBy } from './start-at.ts';
import type { ReadyTargets } from './target/prepare-targets.ts';
import { plansByTarget } from '../model/plan/targets.ts';
import { connectLead } from '../engine/connect-ahead.ts';

export interface DrivenSlice {
  /** The wall-clock time of the start, in ISO 8601. */
  readonly startedAt: string;
  /** When the load ended, as planned or early. */
  readonly loadEnded: Instant;
  readonly stoppedBy: StopCause | null;
  /** The broken objective that ended the load; `null` if no objective ended the load. */
  readonly breach: Breach | null;
  /** The reason why no request could succeed, if this ended the load; otherwise `null`. */
  readonly refusal: string | null;
  /** When the verdicts on all objectives were found to be sure, if this ended the load; otherwise `null`. */
  readonly decidedAt: Instant | null;
  /** The cap of the budget that ended the load; `null` if no cap ended the load. */
  readonly exhaustedBudget: BudgetUnit | null;
  readonly lostLease: boolean;
  /** Whether the slice ended before all arrivals of the plan. */
  readonly isCutShort: boolean;
  readonly notes: readonly string[];
  /** The slices that ran to their end, in order. */
  readonly slices: readonly SliceRun[];
  /** The results of workers; empty if this thread sent the load. */
  readonly workerResults: readonly Result[];
  /** Sentences that say why the results of slices are missing. */
  readonly lostSlices: readonly string[];
}

/** The maximum time for connections and workers to close, in ms. */
const closeTimeout = 3000;

/** After the first request to stop, HTTP requests in flight may continue for at most this long, in ms. */
const drainTimeout = 2000;

export const openingLine = ({ plan }: SliceOptions, { targets }: ReadyTargets): string => {
  const where = plansByTarget(plan).map(({ target }, place) => {
    const { baseUrl } = targets[place]!;
    const name = plan.targets?.[place]?.name;
    const address = name === undefined ? baseUrl : `${name} ${baseUrl}`;
    if (target.kind === 'url') return address;
    const form = target.kind === 'container' ? 'gateway in a container' : 'gateway';
    return `${address}, the ${target.kind === 'container' ? '' : 'embedded '}reference ${form}`;
  });
  return `${plan.name}: ${plannedTime(plan)} against ${where.join(' and ')}. Ctrl-C ends it early and keeps the report.`;
};

/** The workers receive instant 0 this many ms in advance, so that all of them start on time. */
const workerLead = 50;

/** Returns how long before instant 0 the clock of a slice starts, in ms. In this time, the first connections open. */
const startLead = (options: SliceOptions, isInWorkers: boolean): number =>
  Math.max(isInWorkers ? workerLead : 0, connectLead(options));

/** Resolves when the clock shows 0 or more. */
const clockStarted = (clock: Clock): Promise<void> =>
  new Promise((resolve) => {
    if (clock.now() >= 0) return resolve();
    const stop = clock.every(1, () => {
      if (clock.now() < 0) return;
      stop();
      resolve();
    });
  });

export interface DriveContext {
  readonly observer: CombinedObserver;
  readonly say: (text: string) => void;
  readonly onStop: OnStop;
  /** The self-test streams that each event loop opens; `null` if the run has no self-test streams. */
  readonly canary: CanaryOptions | null;
  /** When the load begins; `null` means as soon as possible. */
  readonly start?: PlannedStart | null;
}

/**
 * Stops the run when the user or a program asks for it. When asked for the first time, lets HTTP requests in flight
 * continue for `drainTimeout` ms. When asked again, aborts these HTTP requests.
 */
export const stopOnRequest = (
  running: Pick<RunningSlice, 'stop'>,
  { say, onStop }: Pick<DriveContext, 'say' | 'onStop'>,
): { readonly cause: () => StopCause | null; readonly release: () => void } => {
  let first: StopCause | null = null;
  const release = onStop((cause, times) => {
    first ??= cause;
    running.stop(milliseconds(times === 1 ? drainTimeout : 0));
    if (times === 1)
      say(
        `stopping: waiting up to ${drainTimeout / 1000} s for requests in flight; press Ctrl-C again to abort them`,
      );
  });
  return { cause: () => first, release };
};

/**
 * Calls `find` once a second. When `find` returns a finding for the first time, the load ends, and requests in flight
 * may continue. `textOf` turns the finding into the reason.
 */
export const stopOnFound = <Found>(
  clock: Clock,
  running: RunningSlice,
  say: DriveContext['say'],
  {
    find,
    textOf,
  }: { readonly find: () => Found | null; readonly textOf: (found: Found) => string },
): { readonly found: () => Found | null; readonly release: () => void } => {
  let found: Found | null = null;
  const release = clock.every(1000, () => {
    if (found !== null) return;
    found = find();
    if (found === null) return;
    say(`ending: ${textOf(found)}`);
    running.stop(milliseconds(drainTimeout));
  });
  return { found: () => found, release };
};

/** Ends the load when an observer reports that the objectives are decided. */
export const endWhenDecided = (
  clock: Clock,
  { running, until }: { readonly running: RunningSlice; readonly until: Instant },
  { observer, say }: DriveContext,
): { readonly at: () => Instant | null; readonly release: () => void } => {
  let at: Instant | null = null;
  const release = clock.every(1000, () => {
    const now = clock.now();
    if (at !== null || now >= until || !observer.isDecided(now, running.progress())) return;
    at = now;
    say('ending: every objective is sure');
    running.endLoad();
  });
  return { at: () => at, release };
};

interface ActiveSlice {
  readonly startedAt: string;
  readonly clock: RunClock;
  readonly running: RunningSlice;
  /** Resolves when the slice has ended and all requests of the slice have been observed. */
  readonly done: Promise<SliceEnd>;
  readonly renewKey: (index: number, value: string) => void;
  readonly end: () => Pick<DrivenSlice, 'slices' | 'workerResults' | 'lostSlices'>;
  close(): Promise<void>;
}

type LocalSlice = Pick<ActiveSlice, 'running' | 'done' | 'close'> & Pick<OpenSlice, 'samples'>;

const startSlice = (
  options: SliceOptions,
  target: ReadyTargets,
  clock: RunClock,
  watched: { readonly observer: CombinedObserver; readonly canary: CanaryStreams | null },
): LocalSlice => {
  const { ports, samples, drain, close } = openSlice(options, target.targets, clock, watched);
  const running = runSlice(options, ports);
  return { running, done: running.done.finally(drain), samples, close };
};

/** Loads the module for saturating loads, which few runs need. Returns `null` if the load is not saturating. */
const loadSaturation = async (
  options: SliceOptions,
  { targets: [{ baseUrl, wire, certificates }] }: ReadyTargets,
): Promise<((clock: RunClock, observer: CombinedObserver) => LocalSlice) | null> => {
  if (saturateLoadOf(options.plan) === null) return null;
  const { loadSaturatingClient } = await import('../platform/http/autocannon-client.ts');
  const { saturate } = await import('../engine/saturate.ts');
  const openClient = await loadSaturatingClient({ url: baseUrl, wire, certificates });
  return (clock, { onObservation }) => {
    const { samples, stop } = sampleGenerator(clock, null);
    const observe = withReadDelays(clock, onObservation);
    const running = saturate(options, { clock, client: openClient(clock), observe });
    const close = async (): Promise<void> => {
      stop();
      await running.close();
    };
    return { running, done: running.done, samples, close };
  };
};

const startInThisThread = async (
  options: SliceOptions,
  target: ReadyTargets,
  { observer, canary, start }: DriveContext,
): Promise<ActiveSlice> => {
  const { baseUrl, notes } = target;
  const saturation = await loadSaturation(options, target);
  const canaryStreams = canary === null ? null : await openCanaryStreams(canary);
  if (saturation === null) dryRun(options, startClock());
  cleanHeap();
  const leastLead = saturation === null ? startLead(options, false) : 0;
  const { lead, from, startedAt } = beginningBy(start, leastLead);
  const clock = startClock(lead, from);
  const { running, done, samples, close } =
    saturation === null
      ? startSlice(options, target, clock, { observer, canary: canaryStreams })
      : saturation(clock, observer);
  const slice = { ...options.slice, startedAt, baseUrl, machine: thisMachine() };
  const { redact } = options;
  observer.onStart({ startedAt, clock, notes, redact, local: { slice, generator: samples } });
  return {
    startedAt,
    clock,
    running,
    done,
    renewKey: () => undefined,
    end: () => ({
      slices: [{ ...slice, generator: [...samples] }],
      workerResults: [],
      lostSlices: [],
    }),
    close,
  };
};

const startInWorkers = async (
  options: SliceOptions,
  target: ReadyTargets,
  { observer, canary, start }: DriveContext,
  plan: WorkerPoolPlan,
): Promise<ActiveSlice> => {
  const { openWorkerPool } = await import('./workers/worker-pool.ts');
  const workerPool = await openWorkerPool(options, target, { ...plan, canary });
  const { lead, from, startedAt } = beginningBy(start, startLead(options, true));
  const clock = startClock(lead, from);
  const { notes } = target;
  observer.onStart({ startedAt, clock, notes, redact: options.redact, local: null });
  const { machineZero } = clock;
  const running = workerPool.begin({ startedAt, machineZero }, observer.onWorkerUpdate);
  const { renewKey, end, close } = workerPool;
  return { startedAt, clock, running, done: running.done, renewKey, end, close };
};

export const drive = async (
  options: SliceOptions,
  target: ReadyTargets,
  context: DriveContext,
  workerPool: WorkerPoolPlan | null,
): Promise<DrivenSlice> => {
  const { observer, say } = context;
  const active = await (workerPool === null
    ? startInThisThread(options, target, context)
    : startInWorkers(options, target, context, workerPool));
  const { startedAt, clock, running, done } = active;
  const stop = stopOnRequest(running, context);
  // Workers can fail before the clock shows 0. Without a handler, the error of a worker would end the process before
  // the `await` below.
  done.catch(() => undefined);
  await clockStarted(clock);
  if (stop.cause() === null) say(openingLine(options, target));
  const until = scheduledEnd(options.plan);
  const breachWatch = stopOnFound<Breach>(clock, running, say, {
    find: () => (clock.now() >= until ? null : observer.findBreach(clock.now())),
    textOf: ({ text }) => `the objective ${text} is broken`,
  });
  const refusalWatch = stopOnFound<string>(clock, running, say, {
    find: () => observer.findRefusal(),
    textOf: (refusal) => refusal,
  });
  const decision = endWhenDecided(clock, { running, until }, context);
  const stopTicks = clock.every(tickInterval, () =>
    observer.onTick(clock.now(), running.progress()),
  );
  const stopRenewing = renewKeys(target, clock, say, active.renewKey);
  try {
    const end = await done;
    return {
      startedAt,
      loadEnded: end.loadEnded,
      stoppedBy: stop.cause(),
      breach: end.stopped ? breachWatch.found() : null,
      refusal: end.stopped ? refusalWatch.found() : null,
      decidedAt: end.stopped ? null : decision.at(),
      exhaustedBudget: end.spent,
      lostLease: end.lostLease,
      isCutShort: end.stopped,
      notes: end.notes,
      ...active.end(),
    };
  } finally {
    stopTicks();
    stopRenewing();
    stop.release();
    breachWatch.release();
    refusalWatch.release();
    decision.release();
    try {
      observer.onEnd();
    } finally {
      await waitAtMost(closeTimeout, active.close());
    }
  }
};
