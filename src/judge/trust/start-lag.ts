import { decodeHistogram, type Histogram } from '../../model/measures/histogram.ts';
import { type Quantile, quantile } from '../../model/measures/quantile.ts';
import type { Result } from '../../model/result/result.ts';
import { sliceName } from '../../model/result/slice-name.ts';
import { lagOver, measuredSeconds } from '../../model/result/summary.ts';
import type { TrustSignal, TrustLevel } from '../../model/result/verdict.ts';
import { judgedValueOf, levelAbove, worstOf, judgedSeconds } from './trust-levels.ts';

/** Three digits, as in the table of figures. */
const msText = (milliseconds: number): string => `${Number(milliseconds.toPrecision(3))} ms`;

interface JudgedLag {
  readonly p99: Quantile;
  /** The value compared with the levels, in ms. */
  readonly decisive: number;
  readonly level: TrustLevel;
}

const judge = (lags: Histogram): JudgedLag | null => {
  const p99 = quantile(lags, 0.99);
  if (p99 === null) return null;
  const decisive = judgedValueOf(p99);
  return { p99, decisive, level: levelAbove(decisive, 2, 10) };
};

const boundText = ({ p99, decisive }: JudgedLag): string =>
  p99.weak ? `; too few for a p99: judged by its lower bound of ${msText(decisive)}` : '';

const advise = (whole: JudgedLag, later: JudgedLag | null): string | null => {
  if (whole.level === 'valid') return null;
  if (later?.level !== 'valid') {
    return 'Run the load generator on its own machine, lower the rate, or use more workers (if cores are idle) or slices.';
  }
  const afterwards =
    levelAbove(later.p99.value, 2, 10) === 'valid'
      ? 'the starts are on time'
      : 'the starts are not provably late';
  return `Without the first second ${afterwards} (p99 ${msText(later.p99.value)} after it${boundText(later)}): in the first second code is compiled and connections are established. Exclude it with a warm-up (--set warmUp=1s).`;
};

/** The starts of all slices together, and of each slice if known. */
const startsIn = (
  result: Result,
): readonly { readonly lags: Histogram; readonly sliceLabel: string }[] => [
  { lags: lagOver(measuredSeconds(result, result.timeline)), sliceLabel: '' },
  ...result.slices.flatMap(({ lag, ...slice }) =>
    lag === undefined
      ? []
      : [{ lags: decodeHistogram(lag), sliceLabel: `${sliceName(result, slice)}: ` }],
  ),
];

/** `later`: the starts after the first second; `null` if that second is judged too. */
const evidenceOf = (result: Result, later: JudgedLag | null): TrustSignal | null => {
  const starts = startsIn(result).flatMap(({ lags, sliceLabel }) => {
    const judged = judge(lags);
    return judged === null ? [] : [{ ...judged, lags, whose: sliceLabel }];
  });
  const level = worstOf(starts.map((each) => each.level));
  const found = starts.find((each) => each.level === level);
  if (found === undefined) return null;
  const { p99, lags, whose: sliceLabel } = found;
  return {
    signal: 'start lag',
    level,
    observed: `${sliceLabel}p99 ${msText(p99.value)}, maximum ${msText(lags.max ?? 0)}, over ${p99.n} starts${boundText(found)}`,
    expected: 'p99 up to 2 ms; above 10 ms requests were not sent when they were due',
    advice: advise(found, sliceLabel === '' ? later : null),
  };
};

interface StartLag {
  readonly evidence: TrustSignal | null;
  /** The level in the seconds by which other signals are judged. */
  readonly later: TrustLevel;
}

/**
 * The generator's lag, begun − released, over every measured start, independent of connections and
 * server. With fewer than 1,000 starts the p99 is little more than the maximum, so the lower bound of its
 * 95 % confidence interval decides and one hiccup does not invalidate a run. Of several slices the
 * worst decides: in their sum the others would hide it.
 */
export const judgeStartLag = (result: Result): StartLag => {
  const { unjudged, judged } = judgedSeconds(result, result.timeline);
  const later = judge(lagOver(judged));
  return {
    evidence: evidenceOf(result, unjudged === null ? null : later),
    later: later?.level ?? 'valid',
  };
};
