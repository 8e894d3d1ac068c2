import type { Pace } from '../model/plan/pace.ts';
import { owns, type Slice, sliceShareOf } from '../model/workload/arrival.ts';

/** What a slice may use of the keys of a pace. */
export interface KeyShares {
  /** The keys of this slice, by their indexes among all. */
  readonly keys: readonly number[];
  /** What it may use of each of them. */
  readonly rule: Pick<Pace, 'requests' | 'tokens' | 'burst'>;
}

/** Whether every slice can have keys of its own, as many as any other. */
const canOwn = (keys: number, { count }: Pick<Slice, 'count'>): boolean => keys % count === 0;

/**
 * Where the keys divide evenly, each belongs to exactly one slice, with all of its limit. Otherwise each slice has its part of every
 * key: shares by largest remainder, which together are the limit.
 */
export const keySharesOf = (slice: Slice, keys: number, pace: Pace): KeyShares => {
  const all = Array.from({ length: keys }, (_, key) => key);
  const { requests, tokens, burst } = pace;
  if (canOwn(keys, slice)) {
    return { keys: all.filter((key) => owns(slice, key)), rule: { requests, tokens, burst } };
  }
  const ownBurst = sliceShareOf(slice, burst ?? null);
  return {
    keys: all,
    rule: {
      requests: sliceShareOf(slice, requests),
      tokens: sliceShareOf(slice, tokens),
      burst: ownBurst === null ? undefined : Math.max(1, ownBurst),
    },
  };
};

/** Why so many slices cannot share the keys of a pace; `null` if they can. */
export const keyShareProblem = (pace: Pace | null, keys: number, count: number): string | null => {
  if (pace === null || canOwn(keys, { count })) return null;
  const parts = [
    ['requests', pace.requests],
    ['tokens', pace.tokens],
    ['burst', pace.burst ?? null],
  ] as const;
  const tooSmall = parts.find(([, whole]) => whole !== null && whole < count);
  if (tooSmall === undefined) return null;
  const [name, whole] = tooSmall;
  return `pace: ${count} slices cannot share a key’s ${name} of ${whole}, since each would have less than one. Give as many keys as slices (or a multiple), so that each key belongs to one slice, or use fewer slices: a pace needs no second machine at such rates`;
};
