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
    /** Grows while the slice runs. */
    readonly generator: readonly GeneratorSample[];
  } | null;
}

/** Live figures: the outcomes of arrivals, and each kind's samples of `progressMeasure`. */
export interface LiveFigures {
  readonly outcomes: OutcomeCounts;
  readonly samples: readonly (readonly [TrafficKind, readonly number[]])[];
}

/** What a worker has observed since its last update; empty if the run does not need it. */
export interface WorkerObservations {
  readonly figures: LiveFigures;
  readonly observationLines: readonly string[];
  /** Rows of the table of requests, in its format. */
  readonly requestLines: readonly string[];
  readonly checkpointLines: readonly string[];
  readonly observations: readonly Observation[];
}

/** A file that an observer has written, and that is not whole until `write`. */
interface ObserverFile {
  readonly title: string;
  readonly path: string;
  readonly write: () => Promise<void>;
}

/**
 * Watches a run. All parts are optional; they are looked up once, before the load. In the order of a
 * run: it starts, observations and ticks come, it ends, its reports are written, and it is closed.
 */
export interface RunObserver {
  /** Lines for people, before the load. */
  readonly announcements?: readonly string[];
  /** Files that are completed with the reports, after them. */
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
  /** Called when the slice is over, whether it succeeded or not. */
  readonly onEnd?: () => void;
  /** Called when the reports are written, or could not all be, to complete what the observer keeps; may throw a `Problem`. */
  readonly onPublished?: (written: 'pass' | 'unwritten') => Promise<void>;
  /** Called if the run cannot begin, then `close`; leaves files unchanged. */
  readonly discard?: () => Promise<void>;
  /** Called last, whether the run succeeded or not. */
  readonly close?: () => Promise<void>;
}

/** The redraw interval of the live display in ms: four times a second is easy to read. */
export const tickInterval = 250;

type Handler = 'onStart' | 'onObservation' | 'onWorkerUpdate' | 'onTick' | 'onEnd';

/** One function that calls this handler of all observers that have it. */
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

/** The observers of a run as one, with every part that a load in progress calls. */
export type CombinedObserver = Required<
  Pick<RunObserver, Handler | 'findBreach' | 'wrapTransport'>
>;

export const combineObservers = (observers: readonly RunObserver[]): CombinedObserver => ({
  onStart: callAll(observers, 'onStart'),
  onObservation: callAll(observers, 'onObservation'),
  onWorkerUpdate: callAll(observers, 'onWorkerUpdate'),
  onTick: callAll(observers, 'onTick'),
  onEnd: callAll(observers, 'onEnd'),
  wrapTransport: (transport) =>
    observers.reduce((inner, { wrapTransport }) => wrapTransport?.(inner) ?? inner, transport),
  findBreach: (now) => {
    for (const { findBreach } of observers) {
      const breach = findBreach?.(now) ?? null;
      if (breach !== null) return breach;
    }
    return null;
  },
});
