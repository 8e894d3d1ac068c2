import { decodeHistogram, type Histogram } from '../../model/measures/histogram.ts';
import { type Quantile, quantile } from '../../model/measures/quantile.ts';
import type { Result } from '../../model/result/result.ts';
import { sliceName } from '../../model/result/slice-name.ts';
import { lagOver, measuredSeconds } from '../../model/result/summary.ts';
import type { TrustSignal, TrustLevel } from '../../model/result/verdict.ts';
import { judgedSeconds } from './judged-seconds.ts';
import { judgedValueOf, levelAbove, worstOf } from './trust-levels.ts';

/** Three digits, as the table of figures shows them. */
const msText = (milliseconds: number): string => `${Number(milliseconds.toPrecision(3))} ms`;

interface JudgedLag {
  readonly p99: Quantile;
  /** What is held against the levels, in ms. */
  readonly decisive: number;
  readonly level: TrustLevel;
}

const judge = (lags: Histogram): JudgedLag | null => {
  const p99 = quantile(lags, 0.99);
  if (p99 === null) return null;
  const decisive = judgedValueOf(p99);
  return { p99, decisive, level: levelAbove(decisive, 2, 10) };
};

/** Which figure was held against the levels, where it was not the p99. */
const boundText = ({ p99, decisive }: JudgedLag): string =>
  p99.weak ? `; too few for a p99, judged by its lower bound of ${msText(decisive)}` : '';

const advise = (whole: JudgedLag, later: JudgedLag | null): string | null => {
  if (whole.level === 'valid') return null;
  if (later?.level !== 'valid') {
    return 'Give the generator a machine of its own, lower the rate, or share the run among more workers (where cores are idle) or slices.';
  }
  const afterwards =
    levelAbove(later.p99.value, 2, 10) === 'valid'
      ? 'the starts are on time'
      : 'no lateness is proven';
  return `Without the first second ${afterwards} (p99 ${msText(later.p99.value)} after it${boundText(later)}): in it code is compiled and connections are made. Give the run a warm-up, which no figure holds (--set warmUp=1s).`;
};

/** The starts of all slices together, and those of each slice where they are told apart. */
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

/** `later` are the starts after the first second; `null` where that second is no exception. */
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
    observed: `${sliceLabel}p99 ${msText(p99.value)}, at most ${msText(lags.max ?? 0)}, over ${p99.n} starts${boundText(found)}`,
    expected: 'p99 up to 2 ms; above 10 ms requests were not sent when they were due',
    advice: advise(found, sliceLabel === '' ? later : null),
  };
};

interface StartLag {
  readonly evidence: TrustSignal | null;
  /** How late the starts of the seconds were that other signals are judged by. */
  readonly later: TrustLevel;
}

/**
 * The generator's own lateness, begun − released, over every start that the figures hold: no
 * connection and no server has a part in it. Of fewer than 1,000 starts, the p99 is hardly more than
 * the worst of them; then the lower bound of its 95 % confidence interval decides, so that one hiccup
 * condemns no run. Of several slices the worst decides: in their sum those on time would hide it.
 */
export const judgeStartLag = (result: Result): StartLag => {
  const { unjudged, judged } = judgedSeconds(result, result.timeline);
  const later = judge(lagOver(judged));
  return {
    evidence: evidenceOf(result, unjudged === null ? null : later),
    later: later?.level ?? 'valid',
  };
};
