import {
  checkpointCutSchema,
  checkpointHeaderSchema,
  checkpointPartSchema,
} from '../model/checkpoint.ts';
import { milliseconds } from '../model/quantity.ts';
import type { GeneratorSample, Result } from '../model/result.ts';
import { addPart, emptyTally, type StoredPart, toResult } from './tally.ts';

export type ReadCheckpoint =
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

/**
 * The result of a run that was killed, up to its last cut: the same that the run would have written had it been
 * stopped then. `lines` are those of its checkpoint.
 */
export const readCheckpoint = (lines: Iterable<string>): ReadCheckpoint => {
  const [first = '', ...others] = lines;
  const header = checkpointHeaderSchema.safeParse(parsed(first));
  if (!header.success) {
    return { ok: false, message: 'is no checkpoint of this version of Weir' };
  }
  const { slice, notes, format: _, ...facts } = header.data;
  const tally = emptyTally(facts.plan);
  const generator: GeneratorSample[] = [];
  let waiting: StoredPart[] = [];
  let until: number | null = null;
  let scheduled = milliseconds(0);
  for (const line of others) {
    const json = parsed(line);
    if (json === undefined) break;
    const cut = checkpointCutSchema.safeParse(json);
    if (!cut.success) {
      const part = checkpointPartSchema.safeParse(json);
      if (!part.success) return { ok: false, message: 'holds a line that is none of a checkpoint' };
      waiting.push(part.data);
      continue;
    }
    for (const part of waiting) addPart(tally, part);
    waiting = [];
    generator.push(...cut.data.generator);
    ({ until, scheduled } = cut.data);
    tally.ended = cut.data.ended;
  }
  if (until === null) {
    return {
      ok: false,
      message: 'is of a run that was killed in its first seconds: nothing was kept',
    };
  }
  const partial = `killed; this is what it had come to after ${wholeSeconds(until)}, when it was last kept`;
  const result = toResult(tally, {
    ...facts,
    slices: [{ ...slice, generator }],
    scheduled,
    partial,
    notes,
    witness: null,
  });
  return { ok: true, result };
};
