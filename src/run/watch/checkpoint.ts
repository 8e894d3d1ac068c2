import { rm } from 'node:fs/promises';
import type { CheckpointCommit, CheckpointHeader } from '../../model/result/checkpoint.ts';
import type { Clock } from '../../model/clock.ts';
import { maxLedgerRows } from '../../model/observation/ledger.ts';
import { type Instant, milliseconds } from '../../model/quantity.ts';
import type { GeneratorSample } from '../../model/result/result.ts';
import { openLineFile } from '../../platform/files/line-file.ts';
import { Problem } from '../../platform/problem.ts';
import type { IncrementalTally } from '../../record/incremental-tally.ts';
import type { StoredPart } from '../../record/tally.ts';

/** Half of the ten seconds that a killed run may lose, so that writing a cut slowly still keeps to them. */
const snapshotInterval = 5000;
/** A cut is written a little at a time: at each of these moments for at most `share` ms and one part more. */
const writeInterval = 20;
const writeBudget = 1;

/** The file that a run under way keeps beside its reports, so that being killed costs it little. Its lines are those of `writeCheckpoint`. */
export interface Checkpoint {
  /** Adds a line of `writeCheckpoint`, here or in a worker. */
  readonly write: (line: string) => void;
  /** The reports are written: removes the file. Says what could not be written, if anything. */
  remove(): Promise<string | null>;
  /** Nothing was ever begun: leaves what was found. */
  discard(): Promise<void>;
}

/** What is kept of a slice, and when. */
interface CheckpointSource {
  readonly header: Omit<CheckpointHeader, 'format'>;
  readonly tally: IncrementalTally;
  readonly clock: Clock;
  /** Grows in place. */
  readonly generator: readonly GeneratorSample[];
  /** When the load ends by its plan. */
  readonly loadEnds: Instant;
}

/** Rows of ledgers that a result would not hold are not kept here either: of each key the first ones by the moment of sending. */
const limitLedgerRows = (): ((part: StoredPart) => StoredPart) => {
  const keptRows = new Map<string, { count: number; last: number }>();
  return (part) => {
    if (part.ledger === undefined) return part;
    const ledger = part.ledger.map(({ key, rows, left }) => {
      const known = keptRows.get(key) ?? { count: 0, last: Number.NEGATIVE_INFINITY };
      // Whichever are the first of all were sent before the last of any that many.
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

/** A cut that is being written. */
interface Snapshot {
  readonly parts: Iterator<StoredPart, number>;
  readonly at: Instant;
}

/** Writes what a slice has come to, again and again, until the returned function is called. */
export const writeCheckpoint = (
  write: (line: string) => void,
  source: CheckpointSource,
): (() => void) => {
  const { header, tally, clock, generator, loadEnds } = source;
  const slice = header.slice.index;
  const withRowLimit = limitLedgerRows();
  // A worker keeps from a little before the beginning on.
  let lastSnapshot = Math.max(0, clock.now());
  let samples = 0;
  let current: Snapshot | null = null;
  write(JSON.stringify({ format: 'checkpoint/1', ...header }));
  const endSnapshot = (until: Instant, ended: number): void => {
    current = null;
    const cut: CheckpointCommit = {
      slice,
      until,
      scheduled: milliseconds(Math.min(until, loadEnds)),
      ended: milliseconds(ended),
      generator: generator.slice(samples),
    };
    samples = generator.length;
    write(JSON.stringify(cut));
  };
  const writeParts = ({ parts, at }: Snapshot): void => {
    const begun = clock.now();
    do {
      const next = parts.next();
      if (next.done === true) {
        endSnapshot(at, next.value);
        return;
      }
      write(JSON.stringify({ slice, ...withRowLimit(next.value) }));
    } while (clock.now() - begun < writeBudget);
  };
  return clock.every(writeInterval, () => {
    const now = clock.now();
    if (current !== null) writeParts(current);
    else if (now - lastSnapshot >= snapshotInterval) {
      lastSnapshot = now;
      current = { parts: tally.flush(), at: now };
    }
  });
};

/** Opens the checkpoint's file; throws a `Problem` when it cannot be written. */
export const openCheckpoint = async (path: string): Promise<Checkpoint> => {
  const file = await openLineFile(path);
  return {
    write: (line) => file.write(line),
    remove: async () => {
      let failure: string | null = null;
      try {
        await file.close();
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        failure = error.message;
      }
      await rm(path, { force: true });
      return failure;
    },
    discard: () => file.discard(),
  };
};
