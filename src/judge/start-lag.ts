import { quantile } from '../model/quantile.ts';
import type { Result } from '../model/result.ts';
import { lagOver } from '../model/summary.ts';
import type { Evidence } from '../model/verdict.ts';
import { judgedSeconds } from './judged-seconds.ts';
import { levelAbove } from './levels.ts';

const shown = (milliseconds: number): string => `${Number(milliseconds.toPrecision(2))} ms`;

/**
 * The generator's own lateness, begun − released: no connection and no server has a part in it. Of
 * fewer than 1,000 starts, the p99 is hardly more than the worst of them; then the lower bound of
 * its 95 % confidence interval decides, so that one hiccup condemns no run.
 */
export const startLag = (result: Result): Evidence | null => {
  const lags = lagOver(judgedSeconds(result, result.timeline));
  const p99 = quantile(lags, 0.99);
  if (p99 === null) return null;
  const decisive = p99.weak ? (p99.low ?? p99.value) : p99.value;
  const level = levelAbove(decisive, 2, 10);
  const bound = p99.weak
    ? `; too few for a p99, judged by its lower bound of ${shown(decisive)}`
    : '';
  return {
    signal: 'start lag',
    level,
    observed: `p99 ${shown(p99.value)}, at most ${shown(lags.max ?? 0)}, over ${p99.n} starts${bound}`,
    expected: 'p99 up to 2 ms; above 10 ms requests were not sent when they were due',
    advice:
      level === 'valid'
        ? null
        : 'Lower the rate, share the run among more slices, or give the generator a machine of its own.',
  };
};
