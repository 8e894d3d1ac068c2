import {
  type CheckpointHeader,
  checkpointCommitSchema,
  checkpointHeaderSchema,
  checkpointPartSchema,
} from '../model/result/checkpoint.ts';
import { milliseconds } from '../model/quantity.ts';
import type { GeneratorSample, Result } from '../model/result/result.ts';
import { addPart, emptyTally, type StoredPart, type Tally, toResult } from './tally.ts';

export type CheckpointReadResult =
  | { readonly ok: true; readonly result: Result }
  /** A sentence on what is wrong with the file. */
  | { readonly ok: false; readonly message: string };

/** A line that was cut off in the middle is the last one, and not yet part of the file. */
const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};

const wholeSeconds = (moment: number): string => `${Math.floor(moment / 1000)} s`;

/** What a file holds of one slice. */
interface SliceCheckpoint {
  readonly header: CheckpointHeader;
  readonly generator: GeneratorSample[];
  /** Parts that no cut has made count yet. */
  pending: StoredPart[];
  until: number | null;
  scheduled: number;
}

const emptySliceCheckpoint = (header: CheckpointHeader): SliceCheckpoint => ({
  header,
  generator: [],
  pending: [],
  until: null,
  scheduled: 0,
});

/** Takes a line that is whole; says whether it is one of a checkpoint. */
const applyLine = (json: unknown, slices: Map<number, SliceCheckpoint>, tally: Tally): boolean => {
  const cut = checkpointCommitSchema.safeParse(json);
  if (!cut.success) {
    const part = checkpointPartSchema.safeParse(json);
    if (part.success) {
      const { slice, ...stored } = part.data;
      slices.get(slice)?.pending.push(stored);
      return slices.has(slice);
    }
    const header = checkpointHeaderSchema.safeParse(json);
    if (header.success) slices.set(header.data.slice.index, emptySliceCheckpoint(header.data));
    return header.success;
  }
  const { slice, generator, until, scheduled, ended } = cut.data;
  const kept = slices.get(slice);
  if (kept === undefined) return false;
  for (const part of kept.pending) addPart(tally, part);
  kept.pending = [];
  kept.generator.push(...generator);
  Object.assign(kept, { until, scheduled });
  tally.ended = Math.max(tally.ended, ended);
  return true;
};

/**
 * The result of a run that was killed, up to its last cut, or that of each worker: the same that the run
 * would have written had it been stopped then. `lines` are those of its checkpoint.
 */
export const readCheckpoint = (lines: Iterable<string>): CheckpointReadResult => {
  const [first = '', ...others] = lines;
  const header = checkpointHeaderSchema.safeParse(parsed(first));
  if (!header.success) {
    return { ok: false, message: 'is no checkpoint of this version of Weir' };
  }
  const {
    slice: { index },
    notes: _notes,
    format: _format,
    ...facts
  } = header.data;
  const tally = emptyTally(facts.plan);
  const slices = new Map([[index, emptySliceCheckpoint(header.data)]]);
  for (const line of others) {
    const json = parsed(line);
    if (json === undefined) break;
    if (!applyLine(json, slices, tally)) {
      return { ok: false, message: 'holds a line that is none of a checkpoint' };
    }
  }
  const kept = [...slices.values()].filter(({ until }) => until !== null);
  if (kept.length === 0) {
    return {
      ok: false,
      message: 'is of a run that was killed in its first seconds: nothing was kept',
    };
  }
  const until = Math.min(...kept.map((each) => each.until ?? 0));
  const partial = `killed; this is what it had come to after ${wholeSeconds(until)}, when it was last kept`;
  const result = toResult(tally, {
    ...facts,
    slices: kept.map(({ header: { slice }, generator }) => ({ ...slice, generator })),
    scheduled: milliseconds(Math.max(...kept.map(({ scheduled }) => scheduled))),
    partial,
    notes: [...new Set(kept.flatMap(({ header: { notes } }) => notes))],
    witness: null,
  });
  return { ok: true, result };
};
