import type { SliceProgress } from '../../engine/slice-options.ts';
import type { OutcomeCounts } from '../../model/measures/counts.ts';
import type { Transport } from '../../model/observation/exchange.ts';
import type { Observation } from '../../model/observation/observation.ts';
import type { Instant } from '../../model/quantity.ts';
import type { Breach } from '../../model/result/objective-verdict.ts';
import type { GeneratorSample, SliceRun } from '../../model/result/result.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import type { RunClock } from '../../platform/host/clock.ts';

/** A slice that has just begun, or that workers are about to begin. */
export interface StartedSlice {
  /** The wall-clock time, ISO 8601. */
  readonly startedAt: string;
  readonly clock: RunClock;
  /** Notes on the target for readers of the figures, as sentences. */
  readonly notes: readonly string[];
  /** Masks the run's secrets. */
  readonly redact: (text: string) => string;
  /** The slice that this thread runs; `null` if workers run it. */
  readonly local: {
    readonly slice: Omit<SliceRun, 'generator'>;
    /** The samples of the load generator; the list grows while the slice runs. */
    readonly generator: readonly GeneratorSample[];
  } | null;
}

/** Live figures: the outcomes of arrivals, and the samples of each kind's `progressMeasure`. */
export interface LiveFigures {
  readonly outcomes: OutcomeCounts;
  readonly samples: readonly (readonly [TrafficKind, readonly number[]])[];
}

/** The observations of a worker since its last update; empty if the run does not need them. */
export interface WorkerObservations {
  readonly figures: LiveFigures;
  readonly observationLines: readonly string[];
  /** Rows for the table of requests, in its format. */
  readonly requestLines: readonly string[];
  readonly checkpointLines: readonly string[];
  readonly observations: readonly Observation[];
}

/** A file that an observer writes, and that is complete only after `write`. */
interface ObserverFile {
  readonly title: string;
  readonly path: string;
  readonly write: () => Promise<void>;
}

/**
 * Watches a run. All handlers are optional and are looked up once, before the load. They are called in the order of a
 * run: the start, observations and ticks, the end, the writing of reports, and the closing.
 */
export interface RunObserver {
  /** Lines for people, printed before the load. */
  readonly announcements?: readonly string[];
  /** Files that are completed after the reports. */
  readonly files?: readonly ObserverFile[];
  readonly wrapTransport?: (transport: Transport) => Transport;
  readonly onStart?: (slice: StartedSlice) => void;
  /** Called with every observation that this thread makes, on the hot path. */
  readonly onObservation?: (observation: Observation) => void;
  readonly onWorkerUpdate?: (update: WorkerObservations) => void;
  /** Called every `tickInterval` ms. */
  readonly onTick?: (now: Instant, progress: SliceProgress) => void;
  /** Called once a second of the load; a breach ends the run. */
  readonly findBreach?: (now: Instant) => Breach | null;
  /** Called once a second of the load; whether the run knows enough and ends. */
  readonly isDecided?: (now: Instant, progress: SliceProgress) => boolean;
  /** Called when the slice is over, whether or not it succeeded. */
  readonly onEnd?: () => void;
  /** Called after the attempt to write the reports, to complete the observer's files; may throw a `Problem`. */
  readonly onPublished?: (written: 'pass' | 'unwritten') => Promise<void>;
  /** Called before `close` if the run cannot begin; leaves files unchanged. */
  readonly discard?: () => Promise<void>;
  /** Called last, whether or not the run succeeded. */
  readonly close?: () => Promise<void>;
}

/** The redraw interval of the live display in ms: four times a second is easy to read. */
export const tickInterval = 250;

type Handler = 'onStart' | 'onObservation' | 'onWorkerUpdate' | 'onTick' | 'onEnd';

/** Returns one function that calls this handler of every observer that has it. */
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

/** The observers of a run combined into one, with every handler that is called during a load. */
export type CombinedObserver = Required<
  Pick<RunObserver, Handler | 'findBreach' | 'isDecided' | 'wrapTransport'>
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
  findBreach: (now) => {
    for (const { findBreach } of observers) {
      const breach = findBreach?.(now) ?? null;
      if (breach !== null) return breach;
    }
    return null;
  },
});
