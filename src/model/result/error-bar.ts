import { canaryErrors, type ErrorBar } from './canary.ts';
import { quantile } from '../measures/quantile.ts';
import type { Result } from './result.ts';
import { measuredSeconds } from './summary.ts';

/** Returns how late a run read its self-test streams; `null` if the run read no events of self-test streams. */
export const errorBarOf = (result: Pick<Result, 'plan' | 'slices'>): ErrorBar | null => {
  const loops = result.slices.map(({ generator }) => measuredSeconds(result, generator));
  const errors = canaryErrors(loops.flat());
  const measured = loops.filter((loop) => loop.some(({ canary }) => canary?.errors.length));
  const [p50, p99] = [quantile(errors, 0.5), quantile(errors, 0.99)];
  if (p50 === null || p99 === null || errors.max === null) return null;
  return {
    p50: p50.value,
    p99: p99.value,
    max: errors.max,
    events: errors.count,
    streams: errors.streams,
    loops: measured.length,
    missing: errors.missing,
  };
};
