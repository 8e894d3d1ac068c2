import { type AutoWarmUp, type Load, loadDuration } from '../../model/plan/plan.ts';
import { milliseconds } from '../../model/quantity.ts';

/**
 * Returns the time from which a load is constant, in ms since the beginning of the load; `null` if it never becomes
 * constant.
 */
const constantFrom = (load: Load): number | null => {
  switch (load.kind) {
    case 'open': {
      const { from, to, duration } = load.curve.at(-1)!;
      return from === to ? loadDuration(load) - duration : null;
    }
    case 'closed':
      return load.rampUp;
    case 'saturate':
      return 0;
    case 'iterations':
    case 'trace':
      return null;
  }
};

/**
 * Returns the instants between which the warm-up of a load can end: the instant from which the load is constant, and
 * the middle between this instant and the end of the load. Returns `null` for several loads, and for a load that never
 * becomes constant, since a change of the load is not a warm-up.
 */
export const autoWarmUpOf = (loads: readonly Load[]): AutoWarmUp | null => {
  const [load, ...others] = loads;
  if (load === undefined || others.length > 0) return null;
  const earliest = constantFrom(load);
  if (earliest === null) return null;
  const latest = Math.floor((earliest + loadDuration(load)) / 2);
  return { earliest: milliseconds(earliest), latest: milliseconds(Math.max(earliest, latest)) };
};
