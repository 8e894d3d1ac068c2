import type { SliceProgress } from '../../engine/slice-options.ts';
import type { OutcomeCounts } from '../../model/measures/counts.ts';
import type { Transport } from '../../model/observation/exchange.ts';
import type { Observation } from '../../model/observation/observation.ts';
import type { Instant } from '../../model/quantity.ts';
import type { Breach } from '../../model/result/objective-verdict.ts';
import type { GeneratorSample, SliceRun } from '../../model/result/result.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import type { RunClock } from '../../platform/host/clock.ts';

export interface StartedSlice {
  /** The wall-clock time of the start, in ISO 8601. */
  readonly startedAt: string;
  readonly clock: RunClock;
  /** Notes about the target for readers of the report. */
  readonly notes: readonly string[];
  readonly redact: (text: string) => string;
  /** The parts of a slice that runs in this thread; `null` if workers run the slice. */
  readonly local: {
    readonly slice: Omit<SliceRun, 'generator'>;
    /** The samples of the load generator. The list grows while the slice runs. */
    readonly generator: readonly GeneratorSample[];
  } | null;
}

/**
 * The figures for the live display: the outcomes of arrivals, and the samples of each traffic kind's `progressMeasure`.
 */
export interface LiveFigures {
  readonly outcomes: OutcomeCounts;
  readonly samples: readonly (readonly [TrafficKind, readonly number[]])[];
}

/** The data of a worker since its last update. A list is empty if the main thread does not need its data. */
export interface WorkerObservations {
  readonly figures: LiveFigures;
  readonly observationLines: readonly string[];
  readonly requestLines: readonly string[];
  readonly checkpointLines: readonly string[];
  readonly observations: readonly Observation[];
}

/** A file that an observer writes. The file is complete only after `write` has been called. */
interface ObserverFile {
  readonly title: string;
  readonly path: string;
  readonly write: () => Promise<void>;
}

/**
 * Watches a run. All handlers are optional, and must be set before the load. The handlers are called in this order: the
 * start, observations and ticks, the end, the publication of reports, and the closing.
 */
export interface RunObserver {
  /** Lines that users see before the load. */
  readonly announcements?: readonly string[];
  /** The files that are completed after the reports. */
  readonly files?: readonly ObserverFile[];
  readonly wrapTransport?: (transport: Transport) => Transport;
  readonly onStart?: (slice: StartedSlice) => void;
  /** Called with every observation of this thread. The handler must be fast, since the load waits for it. */
  readonly onObservation?: (observation: Observation) => void;
  readonly onWorkerUpdate?: (update: WorkerObservations) => void;
  /** Called every `tickInterval` ms. */
  readonly onTick?: (now: Instant, progress: SliceProgress) => void;
  /** Called once a second during the load. If the handler returns a broken objective, the load ends. */
  readonly findBreach?: (now: Instant) => Breach | null;
  /** Called once a second during the load. If the handler returns why no request can succeed, the load ends. */
  readonly findRefusal?: () => string | null;
  /**
   * Called once a second during the load. If the handler returns true, the objectives are decided, and the load ends.
   */
  readonly isDecided?: (now: Instant, progress: SliceProgress) => boolean;
  /** Called when the slice has ended, no matter whether the slice succeeded. */
  readonly onEnd?: () => void;
  /**
   * Called after the reports were written or could not be written. The handler completes the observer's files, and may
   * throw a `Problem`.
   */
  readonly onPublished?: (written: 'pass' | 'unwritten') => Promise<void>;
  /** Called before `close` if the run cannot begin. The handler must leave the files unchanged. */
  readonly discard?: () => Promise<void>;
  /** Called last, no matter whether the run succeeded. */
  readonly close?: () => Promise<void>;
}

/** The interval at which the live display is redrawn, in ms. */
export const tickInterval = 250;

type Handler = 'onStart' | 'onObservation' | 'onWorkerUpdate' | 'onTick' | 'onEnd';

const callAll = <Name extends Handler>(
  observers: readonly RunObserver[],
  name: Name,
): NonNullable<RunObserver[Name]> => {
  const handlers = observers.flatMap((observer) => observer[name] ?? []) as readonly ((
    ...values: readonly unknown[]
  ) => void)[];
  const [only] = handlers;
  if (handlers.length === 1 && only !== undefined) return only;
  return (first?: unknown, second?: unknown): void => {
    for (let i = 0; i < handlers.length; i += 1) handlers[i]!(first, second);
  };
};

/** All observers of a run, combined into one. The combined observer has every handler that is called during a load. */
export type CombinedObserver = Required<
  Pick<RunObserver, Handler | 'findBreach' | 'findRefusal' | 'isDecided' | 'wrapTransport'>
>;

export const combineObservers = (observers: readonly RunObserver[]): CombinedObserver => ({
  onStart: callAll(observers, 'onStart'),
  onObservation: callAll(observers, 'onObservation'),
  onWorkerUpdate: callAll(observers, 'onWorkerUpdate'),
  onTick: callAll(observers, 'onTick'),
  onEnd: callAll(observers, 'onEnd'),
  wrapTransport: (transport) =>
    observers.reduce((inner, { wrapTransport }) => wrapTransport?.(inner) ?? inner, transport),
  isDecided: (now, progress) =>
    observers.some(({ isDecided }) => isDecided?.(now, progress) === true),
  findRefusal: () => {
    for (const { findRefusal } of observers) {
      const refusal = findRefusal?.() ?? null;
      if (refusal !== null) return refusal;
    }
    return null;
  },
  findBreach: (now) => {
    for (const { findBreach } of observers) {
      const breach = findBreach?.(now) ?? null;
      if (breach !== null) return breach;
    }
    return null;
  },
});
