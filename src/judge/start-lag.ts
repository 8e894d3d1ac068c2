import type { Histogram } from '../model/histogram.ts';
import { type Quantile, quantile } from '../model/quantile.ts';
import type { Result } from '../model/result.ts';
import { lagOver } from '../model/summary.ts';
import type { Evidence, TrustLevel } from '../model/verdict.ts';
import { judgedSeconds, measuredSeconds } from './judged-seconds.ts';
import { levelAbove } from './levels.ts';

/** Three digits, as the table of figures shows them. */
const shown = (milliseconds: number): string => `${Number(milliseconds.toPrecision(3))} ms`;

interface Judged {
  readonly p99: Quantile;
  /** What is held against the levels, in ms. */
  readonly decisive: number;
  readonly level: TrustLevel;
}

const judge = (lags: Histogram): Judged | null => {
  const p99 = quantile(lags, 0.99);
  if (p99 === null) return null;
  const decisive = p99.weak ? (p99.low ?? p99.value) : p99.value;
  return { p99, decisive, level: levelAbove(decisive, 2, 10) };
};

const advise = (whole: Judged, later: Judged | null): string | null => {
  if (whole.level === 'valid') return null;
  return later?.level === 'valid'
    ? `Without the first second the starts are on time: in it code is compiled and connections are made (p99 ${shown(later.p99.value)} after it). Give the run a warm-up, which no figure holds (--set warmUp=1s).`
    : 'Lower the rate, share the run among more workers or slices, or give the generator a machine of its own.';
};

/**
 * The generator's own lateness, begun − released, over every start that the figures hold: no
 * connection and no server has a part in it. Of fewer than 1,000 starts, the p99 is hardly more than
 * the worst of them; then the lower bound of its 95 % confidence interval decides, so that one hiccup
 * condemns no run.
 */
export const startLag = (result: Result): Evidence | null => {
  const lags = lagOver(measuredSeconds(result, result.timeline));
  const judged = judge(lags);
  if (judged === null) return null;
  const { p99, decisive, level } = judged;
  const bound = p99.weak
    ? `; too few for a p99, judged by its lower bound of ${shown(decisive)}`
    : '';
  const { unjudged, judged: later } = judgedSeconds(result, result.timeline);
  return {
    signal: 'start lag',
    level,
    observed: `p99 ${shown(p99.value)}, at most ${shown(lags.max ?? 0)}, over ${p99.n} starts${bound}`,
    expected: 'p99 up to 2 ms; above 10 ms requests were not sent when they were due',
    advice: advise(judged, unjudged === null ? null : judge(lagOver(later))),
  };
};
