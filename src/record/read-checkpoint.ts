import {
  type CheckpointHeader,
  checkpointCommitSchema,
  checkpointHeaderSchema,
  checkpointPartSchema,
} from '../model/result/checkpoint.ts';
import { parsedJson } from '../model/parsed-json.ts';
import { milliseconds } from '../model/quantity.ts';
import type { GeneratorSample, Result } from '../model/result/result.ts';
import { addPart, emptyTally, type StoredPart, type Tally, toResult } from './tally.ts';

export type CheckpointReadResult =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly message: string };

const killedAtOnce =
  'is from a run that was killed in its first seconds, before anything was saved';

const wholeSeconds = (moment: number): string => `${Math.floor(moment / 1000)} s`;

class SliceCheckpoint {
  readonly header: CheckpointHeader;
  readonly generator: GeneratorSample[] = [];
  /** The parts that came after the last commit. These parts count only after the next commit. */
  pending: StoredPart[] = [];
  until: number | null = null;
  scheduled = 0;

  constructor(header: CheckpointHeader) {
    this.header = header;
  }
}

const partialText = (until: number): string =>
  `killed; the figures cover the first ${wholeSeconds(until)}, up to the last checkpoint`;

export class CheckpointJournal {
  readonly #tally: Tally;
  readonly #facts: Omit<CheckpointHeader, 'format' | 'slice' | 'notes'>;
  readonly #slices = new Map<number, SliceCheckpoint>();

  private constructor(header: CheckpointHeader) {
    const { slice, notes: _notes, format: _format, ...facts } = header;
    this.#facts = facts;
    this.#tally = emptyTally(facts.plan);
    this.#slices.set(slice.index, new SliceCheckpoint(header));
  }

  /**
   * Begins a journal from its first line; returns `null` if this line is not the header of a checkpoint of this
   * version.
   */
  static begin(json: unknown): CheckpointJournal | null {
    const header = checkpointHeaderSchema.safeParse(json);
    return header.success ? new CheckpointJournal(header.data) : null;
  }

  /** Applies a complete line. Returns `false` if the line does not belong to this checkpoint. */
  add(json: unknown): boolean {
    const header = checkpointHeaderSchema.safeParse(json);
    if (header.success) {
      this.#slices.set(header.data.slice.index, new SliceCheckpoint(header.data));
      return true;
    }
    const line = checkpointCommitSchema.or(checkpointPartSchema).safeParse(json);
    const kept = line.success ? this.#slices.get(line.data.slice) : undefined;
    if (!line.success || kept === undefined) return false;
    if (!('until' in line.data)) {
      const { slice: _, ...stored } = line.data;
      kept.pending.push(stored);
      return true;
    }
    const { generator, until, scheduled, ended } = line.data;
    for (const part of kept.pending) addPart(this.#tally, part);
    kept.pending = [];
    kept.generator.push(...generator);
    Object.assign(kept, { until, scheduled });
    this.#tally.ended = Math.max(this.#tally.ended, ended);
    return true;
  }

  /**
   * Returns the result as if the run had stopped at the last commit of each worker; `null` before the first commit.
   * `describe` explains why the result is partial; its argument is the time, in ms, up to which all workers have
   * committed.
   */
  result(describe: (until: number) => string): Result | null {
    const kept = [...this.#slices.values()].filter(({ until }) => until !== null);
    if (kept.length === 0) return null;
    return toResult(this.#tally, {
      ...this.#facts,
      slices: kept.map(({ header: { slice }, generator }) => ({ ...slice, generator })),
      scheduled: milliseconds(Math.max(...kept.map(({ scheduled }) => scheduled))),
      partial: describe(Math.min(...kept.map(({ until }) => until ?? 0))),
      notes: [...new Set(kept.flatMap(({ header: { notes } }) => notes))],
      gatewayCounters: null,
    });
  }
}

/**
 * Reads the result of a killed run from the lines of its checkpoint, as if the run had been stopped at the last commit
 * of each worker.
 */
export const readCheckpoint = (lines: Iterable<string>): CheckpointReadResult => {
  const [first = '', ...others] = lines;
  // If the run was killed during the writing of a line, the last line is incomplete.
  const isCutOff = others.length === 0 && parsedJson(first) === undefined;
  if (isCutOff) return { ok: false, message: killedAtOnce };
  const journal = CheckpointJournal.begin(parsedJson(first));
  if (journal === null) {
    return { ok: false, message: 'is not a checkpoint of this version of Weir' };
  }
  for (const line of others) {
    const json = parsedJson(line);
    if (json === undefined) break;
    if (!journal.add(json)) {
      return { ok: false, message: 'contains a line that does not belong to a checkpoint' };
    }
  }
  const result = journal.result(partialText);
  return result === null ? { ok: false, message: killedAtOnce } : { ok: true, result };
};
