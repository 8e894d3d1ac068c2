import { type CanarySample, roundedError } from '../../model/result/canary.ts';
import type { RunClock } from '../host/clock.ts';
import { readStamps } from './stamp.ts';

/**
 * Counts how late events are read: `note` takes a read's instant and bytes, `take` returns the errors since the
 * last call. Events sent before `begin`'s instant do not count.
 */
export const countErrors = ({ machineZero }: Pick<RunClock, 'machineZero'>) => {
  let times = new Map<number, number>();
  let floor = Number.NEGATIVE_INFINITY;
  return {
    begin: (at: number): void => {
      floor = at + machineZero;
      times = new Map();
    },
    note: (at: number, bytes: Uint8Array): void => {
      const read = at + machineZero;
      readStamps(bytes, (stamp) => {
        if (stamp < floor) return;
        // The two clocks agree to some microseconds.
        const error = roundedError(Math.max(0, read - stamp));
        times.set(error, (times.get(error) ?? 0) + 1);
      });
    },
    take: (): CanarySample['errors'] => {
      const errors = [...times].toSorted(([a], [b]) => a - b);
      times = new Map();
      return errors;
    },
  };
};
