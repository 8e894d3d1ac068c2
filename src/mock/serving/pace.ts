import type { MockClock } from '../clock.ts';

/** Step n is due at `first + n · gap`, n < `steps`; instants on the clock's monotonic scale. */
export interface Deadlines {
  readonly first: number;
  readonly gap: number;
  readonly steps: number;
}

/**
 * Calls `emit(from, to)` when steps from … to − 1 have fallen due: at once for those that already
 * have. Deadlines are absolute, so one late step does not delay the next, and none is early. The
 * returned function calls the rest off.
 */
export const pace = (
  clock: MockClock,
  { first, gap, steps }: Deadlines,
  emit: (from: number, to: number) => void,
): (() => void) => {
  let next = 0;
  const run = (): number | null => {
    const now = clock.now();
    const from = next;
    while (next < steps && first + next * gap <= now) next += 1;
    if (next > from) emit(from, next);
    return next < steps ? first + next * gap : null;
  };
  const due = run();
  return due === null ? () => undefined : clock.series(due, run);
};
