import type { Instant } from '../quantity.ts';

/** One request that is to be made: its stage (by position), its index within the stage, and when it is due. */
export interface Arrival {
  readonly stage: number;
  readonly index: number;
  readonly due: Instant;
}

/** The share of a run that one worker or machine executes: slice `index` of `count`. */
export interface Slice {
  readonly index: number;
  readonly count: number;
}

/** The whole run as one slice. */
export const wholeRunSlice: Slice = { index: 0, count: 1 };

/**
 * A slice as `count` slices of the whole run, disjoint and together that slice: `i % n` is the slice's
 * index for every i that its parts own.
 */
export const splitSlice = ({ index, count }: Slice, parts: number): readonly Slice[] =>
  Array.from({ length: parts }, (_, part) => ({
    index: index + part * count,
    count: count * parts,
  }));

/** Whether a slice owns position `index`: arrivals of open loads and users of closed ones are striped over the slices. */
export const owns = (slice: Slice, index: number): boolean => index % slice.count === slice.index;

/** A slice's part of a number of things that all slices together may have; `null` for any number. */
export const sliceShareOf = ({ index, count }: Slice, whole: number | null): number | null =>
  whole === null ? null : Math.floor(whole / count) + (index < whole % count ? 1 : 0);
