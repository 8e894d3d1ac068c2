import type { CheckpointCommit, CheckpointHeader } from '../../model/result/checkpoint.ts';
import type { Clock } from '../../model/clock.ts';
import { maxLedgerRows } from '../../model/observation/ledger.ts';
import { type Instant, milliseconds } from '../../model/quantity.ts';
import type { GeneratorSample } from '../../model/result/result.ts';
import { openLineFile } from '../../platform/files/line-file.ts';
import { removeFile } from '../../platform/files/plain-files.ts';
import { Problem } from '../../platform/problem.ts';
import type { IncrementalTally } from '../../record/incremental-tally.ts';
import type { StoredPart } from '../../record/tally.ts';
import { scheduledEnd } from '../../schedule/stages.ts';
import type { RunFacts } from '../input/run-facts.ts';
import type { RunObserver } from './observer.ts';
import type { RunRecorder } from './recorder.ts';
import { snapshotInterval, type SnapshotPace } from './snapshot-pace.ts';

/**
 * The interval, in ms, at which parts of a snapshot are written. Writing one part takes a quarter of a millisecond. In
 * each interval, parts are written until `writeBudget` ms have passed. Received data waits during this time.
 */
const writeInterval = 20;
const writeBudget = 0.1;
/**
 * For each second that a snapshot has taken, the writing budget of each interval grows by this many ms. Otherwise, a
 * snapshot could take so long that a killed run would lose more than ten seconds.
 */
const budgetGrowth = 0.5;

interface CheckpointSource {
  readonly header: Omit<CheckpointHeader, 'format'>;
  readonly tally: IncrementalTally;
  readonly clock: Clock;
  /** The samples of the load generator. The list grows during the run. */
  readonly generator: readonly GeneratorSample[];
  readonly loadEnds: Instant;
  readonly pace: SnapshotPace;
}

/**
 * Returns a function that drops the ledger rows that a result would drop. A result contains the first `maxLedgerRows`
 * rows of each key, in the order of sending.
 */
const limitLedgerRows = (): ((part: StoredPart) => StoredPart) => {
  const keptRows = new Map<string, { count: number; last: number }>();
  return (part) => {
    if (part.ledger === undefined) return part;
    const ledger = part.ledger.map(({ key, rows, left }) => {
      const known = keptRows.get(key) ?? { count: 0, last: Number.NEGATIVE_INFINITY };
      // Once the maximum is reached, only a row that was sent before the last kept row is kept.
      const rowsToKeep =
        known.count < maxLedgerRows ? rows : rows.filter(([sent]) => sent <= known.last);
      if (known.count < maxLedgerRows) {
        const last = rows.reduce((latest, [sent]) => Math.max(latest, sent), known.last);
        keptRows.set(key, { count: known.count + rows.length, last });
      }
      return { key, rows: rowsToKeep, left: left + rows.length - rowsToKeep.length };
    });
    return { ledger };
  };
};

/**
 * Writes the additions to a slice's tally, at the given pace, until the returned function is called. The returned
 * function writes the remaining additions, so a run that is killed while it publishes its result loses nothing.
 */
export const writeCheckpoint = (
  write: (line: string) => void,
  source: CheckpointSource,
): (() => void) => {
  const { header, tally, clock, generator, loadEnds, pace } = source;
  const slice = header.slice.index;
  const withRowLimit = limitLedgerRows();
  // A worker starts slightly before instant 0, when the clock is negative; its first snapshot is timed from 0.
  let lastSnapshot = Math.max(0, clock.now());
  let samples = 0;
  /** The snapshot in progress, and the instant at which it was taken. */
  let current: { parts: Iterator<StoredPart, number>; at: Instant } | null = null;
  write(JSON.stringify({ format: 'checkpoint/1', ...header }));
  const endSnapshot = (until: Instant, ended: number): void => {
    current = null;
    const cut: CheckpointCommit = {
      slice,
      until,
      scheduled: milliseconds(Math.max(0, Math.min(until, loadEnds))),
      ended: milliseconds(ended),
      generator: generator.slice(samples),
    };
    samples = generator.length;
    write(JSON.stringify(cut));
  };
  const writeParts = ({ parts, at }: NonNullable<typeof current>, budget: number): void => {
    const begun = clock.now();
    do {
      const next = parts.next();
      if (next.done === true) {
        endSnapshot(at, next.value);
        return;
      }
      write(JSON.stringify({ slice, ...withRowLimit(next.value) }));
    } while (clock.now() - begun < budget);
  };
  const stop = clock.every(writeInterval, () => {
    const now = clock.now();
    if (current !== null)
      writeParts(current, writeBudget + (budgetGrowth * (now - current.at)) / 1000);
    else if (now - lastSnapshot >= snapshotInterval(pace)) {
      lastSnapshot = now;
      current = { parts: tally.flush(), at: now };
    }
  });
  return () => {
    stop();
    if (current !== null) writeParts(current, Number.POSITIVE_INFINITY);
    writeParts({ parts: tally.flush(), at: clock.now() }, Number.POSITIVE_INFINITY);
  };
};

export const writeOwnCheckpoint = (
  write: (line: string) => void,
  { tally }: RunRecorder,
  facts: RunFacts,
  pace: SnapshotPace,
): Pick<Required<RunObserver>, 'onStart' | 'onEnd'> => {
  let stop = (): void => undefined;
  return {
    onStart: ({ clock, local, notes }) => {
      if (local === null) return;
      const { slice, generator } = local;
      const header = { ...facts, slice, notes: [...notes] };
      const loadEnds = scheduledEnd(facts.plan);
      stop = writeCheckpoint(write, { header, tally, clock, generator, loadEnds, pace });
    },
    onEnd: () => stop(),
  };
};

export interface CheckpointSink {
  readonly write: (line: string) => void;
}

/** Sends the checkpoint of the slice to `sinks`. If workers run the slice, sends the checkpoints of the workers. */
export const writeCheckpoints = (
  sinks: readonly CheckpointSink[],
  recorder: RunRecorder,
  facts: RunFacts,
  pace: SnapshotPace,
): RunObserver => {
  if (sinks.length === 0) return {};
  const write = (line: string): void => {
    for (const sink of sinks) sink.write(line);
  };
  return {
    ...writeOwnCheckpoint(write, recorder, facts, pace),
    onWorkerUpdate: ({ checkpointLines }) => {
      for (const line of checkpointLines) write(line);
    },
  };
};

/**
 * Writes a checkpoint to a file during the run, and removes the file once the reports are written. Throws a `Problem`
 * if the file cannot be written.
 */
export const keepCheckpoint = async (
  path: string,
  warn: (text: string) => void,
): Promise<CheckpointSink & RunObserver> => {
  const file = await openLineFile(path, false);
  return {
    write: (line) => file.write(line),
    onPublished: async (written) => {
      await file.close().catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error;
        warn(`The checkpoint was not kept: ${error.message}.`);
      });
      if (written === 'pass') await removeFile(path);
    },
    discard: () => file.discard(),
  };
};
