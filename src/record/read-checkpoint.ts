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
  | { readonly ok: false; readonly message: string };

const killedAtOnce =
  'is from a run that was killed in its first seconds, before anything was saved';

/** `undefined` for a line that is truncated because the run was killed while writing it. */
const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};

const wholeSeconds = (moment: number): string => `${Math.floor(moment / 1000)} s`;

class SliceCheckpoint {
  readonly header: CheckpointHeader;
  readonly generator: GeneratorSample[] = [];
  /** Parts since the last commit: they do not count yet. */
  pending: StoredPart[] = [];
  until: number | null = null;
  scheduled = 0;

  constructor(header: CheckpointHeader) {
    this.header = header;
  }
}

/** Applies a complete line; `false` if it is not a line of a checkpoint. */
const applyLine = (json: unknown, slices: Map<number, SliceCheckpoint>, tally: Tally): boolean => {
  const header = checkpointHeaderSchema.safeParse(json);
  if (header.success) {
    slices.set(header.data.slice.index, new SliceCheckpoint(header.data));
    return true;
  }
  const line = checkpointCommitSchema.or(checkpointPartSchema).safeParse(json);
  const kept = line.success ? slices.get(line.data.slice) : undefined;
  if (!line.success || kept === undefined) return false;
  if (!('until' in line.data)) {
    const { slice: _, ...stored } = line.data;
    kept.pending.push(stored);
    return true;
  }
  const { generator, until, scheduled, ended } = line.data;
  for (const part of kept.pending) addPart(tally, part);
  kept.pending = [];
  kept.generator.push(...generator);
  Object.assign(kept, { until, scheduled });
  tally.ended = Math.max(tally.ended, ended);
  return true;
};

/**
 * Reads the result of a killed run from the lines of its checkpoint: what the run would have written
 * if it had been stopped at the last commit of each worker.
 */
export const readCheckpoint = (lines: Iterable<string>): CheckpointReadResult => {
  const [first = '', ...others] = lines;
  const isCutOff = others.length === 0 && parsed(first) === undefined;
  if (isCutOff) return { ok: false, message: killedAtOnce };
  const header = checkpointHeaderSchema.safeParse(parsed(first));
  if (!header.success) {
    return { ok: false, message: 'is not a checkpoint of this version of Weir' };
  }
  const {
    slice: { index },
    notes: _notes,
    format: _format,
    ...facts
  } = header.data;
  const tally = emptyTally(facts.plan);
  const slices = new Map([[index, new SliceCheckpoint(header.data)]]);
  for (const line of others) {
    const json = parsed(line);
    if (json === undefined) break;
    if (!applyLine(json, slices, tally)) {
      return { ok: false, message: 'contains a line that does not belong to a checkpoint' };
    }
  }
  const kept = [...slices.values()].filter(({ until }) => until !== null);
  if (kept.length === 0) {
    return { ok: false, message: killedAtOnce };
  }
  const until = Math.min(...kept.map((each) => each.until ?? 0));
  const partial = `killed; the figures cover the first ${wholeSeconds(until)}, up to the last checkpoint`;
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
