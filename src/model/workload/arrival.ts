import type { Instant } from '../quantity.ts';

/**
 * A scheduled request. `stage` is the index of the stage in the plan, and `index` is the index of the request in the
 * stage.
 */
export interface Arrival {
  readonly stage: number;
  readonly index: number;
  readonly due: Instant;
}

/** The share of a run that one worker or machine executes: part `index` of `count` parts. */
export interface Slice {
  readonly index: number;
  readonly count: number;
}

export const wholeRunSlice: Slice = { index: 0, count: 1 };

/** Splits a slice into `parts` slices. Together these slices own the arrivals of the original slice. */
export const splitSlice = ({ index, count }: Slice, parts: number): readonly Slice[] =>
  Array.from({ length: parts }, (_, part) => ({
    index: index + part * count,
    count: count * parts,
  }));

/** Returns whether a slice owns this arrival of an open load, or this user of a closed load. */
export const owns = (slice: Slice, index: number): boolean => index % slice.count === slice.index;

/** Returns a slice's share of a whole number. `null` means unlimited and stays `null`. */
export const sliceShareOf = ({ index, count }: Slice, whole: number | null): number | null =>
  whole === null ? null : Math.floor(whole / count) + (index < whole % count ? 1 : 0);
