import { rm } from 'node:fs/promises';
import type { CheckpointCut, CheckpointHeader } from '../model/checkpoint.ts';
import type { Clock } from '../model/clock.ts';
import { ledgerRows } from '../model/ledger.ts';
import { type Instant, milliseconds } from '../model/quantity.ts';
import type { GeneratorSample } from '../model/result.ts';
import { openLineFile } from '../platform/lines.ts';
import { Problem } from '../platform/problem.ts';
import type { GrowingTally } from '../record/growing-tally.ts';
import type { StoredPart } from '../record/tally.ts';

/** Half of the ten seconds that a killed run may lose, so that writing a cut slowly still keeps to them. */
const cutEvery = 5000;
/** A cut is written a little at a time: at each of these moments for at most `share` ms and one part more. */
const writeEvery = 20;
const share = 1;

/** The file that a run under way keeps beside its reports, so that being killed costs it little. Its lines are those of `keepOn`. */
export interface Checkpoint {
  /** Adds a line of `keepOn`, here or in a worker. */
  readonly write: (line: string) => void;
  /** The reports are written: removes the file. Says what could not be written, if anything. */
  remove(): Promise<string | null>;
  /** Nothing was ever begun: leaves what was found. */
  discard(): Promise<void>;
}

/** What is kept of a slice, and when. */
interface Kept {
  readonly header: Omit<CheckpointHeader, 'format'>;
  readonly tally: GrowingTally;
  readonly clock: Clock;
  /** Grows in place. */
  readonly generator: readonly GeneratorSample[];
  /** When the load ends by its plan. */
  readonly loadEnds: Instant;
}

/** Rows of ledgers that a result would not hold are not kept here either: of each key the first ones by the moment of sending. */
const firstRows = (): ((part: StoredPart) => StoredPart) => {
  const told = new Map<string, { count: number; last: number }>();
  return (part) => {
    if (part.ledger === undefined) return part;
    const ledger = part.ledger.map(({ key, rows, left }) => {
      const known = told.get(key) ?? { count: 0, last: Number.NEGATIVE_INFINITY };
      // Whichever are the first of all were sent before the last of any that many.
      const wanted = known.count < ledgerRows ? rows : rows.filter(([sent]) => sent <= known.last);
      if (known.count < ledgerRows) {
        const last = rows.reduce((latest, [sent]) => Math.max(latest, sent), known.last);
        told.set(key, { count: known.count + rows.length, last });
      }
      return { key, rows: wanted, left: left + rows.length - wanted.length };
    });
    return { ledger };
  };
};

/** A cut that is being written. */
interface Cut {
  readonly parts: Iterator<StoredPart, number>;
  readonly at: Instant;
}

/** Writes what a slice has come to, again and again, until the returned function is called. */
export const keepOn = (write: (line: string) => void, kept: Kept): (() => void) => {
  const { header, tally, clock, generator, loadEnds } = kept;
  const slice = header.slice.index;
  const bounded = firstRows();
  // A worker keeps from a little before the beginning on.
  let lastCut = Math.max(0, clock.now());
  let samples = 0;
  let underway: Cut | null = null;
  write(JSON.stringify({ format: 'checkpoint/1', ...header }));
  const endCut = (until: Instant, ended: number): void => {
    underway = null;
    const cut: CheckpointCut = {
      slice,
      until,
      scheduled: milliseconds(Math.min(until, loadEnds)),
      ended: milliseconds(ended),
      generator: generator.slice(samples),
    };
    samples = generator.length;
    write(JSON.stringify(cut));
  };
  const writeSome = ({ parts, at }: Cut): void => {
    const begun = clock.now();
    do {
      const next = parts.next();
      if (next.done === true) {
        endCut(at, next.value);
        return;
      }
      write(JSON.stringify({ slice, ...bounded(next.value) }));
    } while (clock.now() - begun < share);
  };
  return clock.every(writeEvery, () => {
    const now = clock.now();
    if (underway !== null) writeSome(underway);
    else if (now - lastCut >= cutEvery) {
      lastCut = now;
      underway = { parts: tally.cut(), at: now };
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
