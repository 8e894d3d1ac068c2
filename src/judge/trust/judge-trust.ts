import {
  headlineMeasures,
  headlineQuantiles,
  reportedQuantiles,
  slowQuantile,
  percentileName,
} from '../../model/measures/headline.ts';
import { decodeHistogram, type Histogram } from '../../model/measures/histogram.ts';
import { type MeasureName, measures } from '../../model/measures/measures.ts';
import { type Quantile, quantile } from '../../model/measures/quantile.ts';
import type { BrokenCause } from '../../model/observation/exchange.ts';
import type { DroppedCause } from '../../model/observation/outcome.ts';
import { saturateLoadOf } from '../../model/plan/plan.ts';
import {
  connectionFailuresOf,
  notableConnectionFailures,
} from '../../model/result/connection-failures.ts';
import {
  exactnessOf,
  figuresSignalName,
  judgedFigures,
} from '../../model/result/judged-figures.ts';
import type { Result, SliceRun } from '../../model/result/result.ts';
import { sliceName, sliceNoun } from '../../model/result/slice-name.ts';
import {
  figuresOver,
  type LabelFilter,
  lagOver,
  measuredSeconds,
  measuresPresent,
  outsideWarmUp,
} from '../../model/result/summary.ts';
import type {
  ErrorBounds,
  FigureError,
  Trust,
  TrustLevel,
  TrustSignal,
} from '../../model/result/verdict.ts';
import { type TrafficKind, trafficKinds } from '../../model/workload/traffic.ts';
import { type FigureErrors, figureErrorsOf } from '../errors/figure-errors.ts';
import { judgedSeconds, worstOf, generatorSignals } from './generator-signals.ts';

const smallShare = 0.05;
/** For a time, an error of up to this many ms always counts as small, even if the time itself is short. */
const smallTime = 1;

const isSmall = ({ value, low, high }: Quantile, bounds: ErrorBounds, unit: string): boolean => {
  const allowed = Math.max(value * smallShare, unit === 'ms' ? smallTime : 0);
  if (Math.max(value - bounds.low, bounds.high - value) <= allowed) return true;
  // A load that is too short has no interval. So no interval can hide the error.
  if (low === null && high === null) return false;
  return (low === null || bounds.low >= low) && (high === null || bounds.high <= high);
};

const errorsOfKind = (
  result: Result,
  { boundsOf }: FigureErrors,
  traffic: TrafficKind,
): readonly FigureError[] => {
  const where: LabelFilter = (labels) => outsideWarmUp(labels) && labels.traffic === traffic;
  const headline: readonly MeasureName[] = headlineMeasures[traffic];
  return measuresPresent(result, where).flatMap((measure) => {
    const boundsAt = boundsOf(measure, where);
    const figures = figuresOver(result, measure, where);
    const { better } = measures[measure];
    const slow = reportedQuantiles.map((q) => slowQuantile(q, better));
    return [...new Set([...reportedQuantiles, ...slow])].flatMap((q): readonly FigureError[] => {
      const found = figures.percentile(q);
      if (found === null || boundsAt === null) return [];
      const bounds = boundsAt(q);
      const isHeadline = headline.includes(measure) && headlineQuantiles.some((each) => each === q);
      const figure = { traffic, measure, q, value: found.value, isHeadline, isWeak: found.weak };
      return [{ ...bounds, ...figure, isSmall: isSmall(found, bounds, measures[measure].unit) }];
    });
  });
};

/** Returns the errors of the percentiles that reports print. */
const figureErrors = (result: Result): readonly FigureError[] => {
  const errors = figureErrorsOf(result);
  return trafficKinds.flatMap((traffic) => errorsOfKind(result, errors, traffic));
};

const roundedText = (value: number): string => String(Number(value.toPrecision(2)));

/** Describes an error, for example `chat-stream TTFT p95 of 238 ms can be up to 14 ms too high`. */
const errorText = ({ traffic, measure, q, value, low, high }: FigureError): string => {
  const { short, unit } = measures[measure];
  const errors: string[] = [];
  if (low < value) errors.push(`${roundedText(value - low)} ${unit} too high`);
  if (high === Infinity) errors.push('any amount too low');
  else if (high > value) errors.push(`${roundedText(high - value)} ${unit} too low`);
  return `${traffic} ${short} ${percentileName(q)} of ${Number(value.toPrecision(3))} ${unit} can be up to ${errors.join(' or ')}`;
};

/**
 * Judges how exactly the headline figures are known. Inexact figures cannot make a run invalid. Only a load that
 * differs from the plan can.
 */
const figuresSignal = (figures: readonly FigureError[]): TrustSignal | null => {
  const headline = judgedFigures(figures);
  if (headline.length === 0) return null;
  const notExact = (['approximate', 'unknown'] as const).flatMap((exactness) => {
    const found = headline.filter((figure) => exactnessOf(figure) === exactness);
    return found.length === 0
      ? []
      : `${found.length} of ${headline.length} headline figures ${found.length === 1 ? 'is' : 'are'} ${exactness}: ${found.map(errorText).join('; ')}`;
  });
  const isExact = notExact.length === 0;
  return {
    signal: figuresSignalName,
    decides: true,
    level: isExact ? 'valid' : 'degraded',
    observed: isExact ? `small in all ${headline.length} headline figures` : notExact.join('. '),
    expected:
      'at most 5 % of a figure or 1 ms, or inside its confidence interval; a figure that can be off by more than half and 5 ms is unknown',
    advice: isExact
      ? null
      : 'Stop other programs on the load generator’s machine, use more workers (if cores are idle) or slices, lower the rate, or exclude the first seconds with a warm-up.',
  };
};

/** Formats a duration with three significant digits, as in the table of figures. */
const msText = (milliseconds: number): string => `${Number(milliseconds.toPrecision(3))} ms`;

/**
 * Only a small share of the starts may lag by more than this many ms. With starts 100 ms late, a tenth of the requests
 * of each second move into the next second.
 */
const maxStartLag = 100;
const maxLateShare = 0.01;

/**
 * Judges the lags of starts; returns `null` without starts. The whole load of a run is known, so no confidence interval
 * is needed. A single late start does not decide, since any pause of the machine can cause it.
 */
const judge = (lags: Histogram) => {
  const p99 = quantile(lags, 0.99);
  if (p99 === null) return null;
  const late = lags.count - lags.countUpTo(maxStartLag);
  const level: TrustLevel = late > Math.max(1, lags.count * maxLateShare) ? 'invalid' : 'valid';
  return { p99, late, level };
};
type JudgedLag = NonNullable<ReturnType<typeof judge>>;

const lateText = ({ late }: JudgedLag): string =>
  late === 0 ? '' : `; ${late.toLocaleString('en-US')} later than ${maxStartLag} ms`;

const advise = (whole: JudgedLag, later: JudgedLag | null): string | null => {
  if (whole.level === 'valid') return null;
  if (later?.level !== 'valid') {
    return 'Run the load generator on its own machine, lower the rate, or use more workers (if cores are idle) or slices.';
  }
  return `Without the first second the starts are on time (p99 ${msText(later.p99.value)} after it${lateText(later)}): in the first second code is compiled and connections are established. Exclude it with a warm-up (--set warmUp=1s).`;
};

/**
 * Judges the lag of starts (begun − released), which does not depend on connections or the server. The whole run and
 * each slice are judged, and the worst level decides. `later` is the judged lag without the first second.
 */
const startLagSignal = (result: Result, later: JudgedLag | null): TrustSignal | null => {
  const ofSlices = result.slices.flatMap(({ lag, ...slice }) =>
    lag === undefined
      ? []
      : [{ lags: decodeHistogram(lag), whose: `${sliceName(result, slice)}: ` }],
  );
  const all = { lags: lagOver(measuredSeconds(result, result.timeline)), whose: '' };
  const starts = [all, ...ofSlices].flatMap((each) => {
    const judged = judge(each.lags);
    return judged === null ? [] : [{ ...judged, ...each }];
  });
  const level = worstOf(starts.map((each) => each.level));
  const found = starts.find((each) => each.level === level);
  if (found === undefined) return null;
  const { p99, lags, whose } = found;
  const { unjudged } = judgedSeconds(result, result.timeline);
  return {
    signal: 'start lag',
    decides: true,
    level,
    observed: `${whose}p99 ${msText(p99.value)}, maximum ${msText(lags.max ?? 0)}, over ${p99.n.toLocaleString('en-US')} starts${lateText(found)}`,
    expected: `at most 1 % of the starts later than ${maxStartLag} ms (one always may be); beyond that, the load is not the planned one`,
    advice: advise(found, whose === '' && unjudged !== null ? later : null),
  };
};

/** The sample of a second is taken at most this many ms after the end of the second. */
const maxSampleDelay = 100;

/** The minimum share of seconds that must have a sample. */
const minSampledShare = 0.9;

/**
 * Returns whether all slices end at the same time. Slices do not end together if users share a number of requests, or
 * if the run is stopped.
 */
const endTogether = ({ slices, plan, partial }: Result): boolean =>
  slices.length === 1 ||
  (partial === null && plan.stages.every(({ load }) => load.kind !== 'iterations'));

/**
 * Returns how many whole seconds of a slice must have a sample. If the slice's end is unknown, the slice's last sample
 * counts as the end.
 */
const wholeSeconds = (result: Result, { generator }: SliceRun): number => {
  const ofRun = Math.max(0, Math.floor((result.scheduled - maxSampleDelay) / 1000));
  if (endTogether(result) || generator.length === 0) return ofRun;
  const last = generator.reduce((latest, { second }) => Math.max(latest, second), 0);
  return Math.min(ofRun, last + 1);
};

/** Reports seconds without a sample. In such seconds, the state of the load generator is unknown. */
const missingSamples = (result: Result): TrustSignal | null => {
  const shortSlices = result.slices.flatMap((slice) => {
    const expected = wholeSeconds(result, slice);
    const seconds = new Set(slice.generator.map(({ second }) => second));
    const sampled = [...seconds].filter((second) => second < expected).length;
    if (sampled >= expected * minSampledShare) return [];
    const sliceNote = slice.count === 1 ? '' : ` of ${sliceName(result, slice)}`;
    return [`${sampled === 0 ? 'none' : sampled} of ${expected} seconds${sliceNote}`];
  });
  if (shortSlices.length === 0) return null;
  return {
    signal: 'generator samples',
    decides: true,
    level: 'degraded',
    observed: `from ${shortSlices.join(', ')}`,
    expected: 'from at least 90 % of the seconds',
    advice:
      'The state of the load generator in the other seconds is unknown: it was blocked, or its signals were not recorded. Stop other programs on its machine, lower the rate, and run again.',
  };
};

const failuresBy = ({ failures }: Result, cause: DroppedCause | BrokenCause): number =>
  failures
    .filter((failure) => failure.status === null && failure.cause === cause)
    .reduce((sum, { count }) => sum + count, 0);

const sumOver = ({ timeline }: Result, field: 'due' | 'begun'): number =>
  timeline.reduce((sum, second) => sum + second[field], 0);

const capReached = (result: Result): TrustSignal | null => {
  const dropped = failuresBy(result, 'saturated');
  if (dropped === 0) return null;
  return {
    signal: 'requests in flight',
    decides: true,
    level: 'degraded',
    observed: `${dropped} of ${sumOver(result, 'due')} arrivals were dropped: ${result.plan.inFlight} requests were in flight`,
    expected: 'no dropped arrivals',
    advice:
      'Answers took longer than inFlight allows for, which is not a fault of the load generator. Raise inFlight to the rate times the time of an answer, or lower the rate.',
  };
};

const ownFailures = (
  result: Result,
  cause: BrokenCause,
  signal: string,
  advice: string,
): TrustSignal | null => {
  const failed = failuresBy(result, cause);
  if (failed === 0) return null;
  const begun = sumOver(result, 'begun');
  return {
    signal,
    decides: true,
    level: failed > begun / 100 ? 'invalid' : 'degraded',
    observed: `${failed} of ${begun} requests failed in the load generator (${cause})`,
    expected: 'none; above 1 % the figures are not those of the target',
    advice,
  };
};

/**
 * Reports requests that were lost because the server closed a kept connection. The target never received these
 * requests, although they would not have been lost on new connections. All other failures of connections are failures
 * of the target.
 */
const connectionSignal = (result: Result): TrustSignal | null => {
  const { due, byCause } = connectionFailuresOf(result);
  const lost = byCause.find(({ cause }) => cause === 'closed-on-reuse')?.count ?? 0;
  if (lost <= due * notableConnectionFailures) return null;
  return {
    signal: 'connections',
    decides: true,
    level: 'degraded',
    observed: `${lost} of ${due} requests were lost on kept connections that the server closed before it answered (closed-on-reuse)`,
    expected: 'at most 1 % of the requests',
    advice:
      'Open a connection for each request (wire: {reuse: false}), set wire: {maxRequestsPerConnection: N} below what the server allows, or let the server announce that it closes connections.',
  };
};

/**
 * Judges whether slices started at the same time. If slices started apart, one second of the timeline is a different
 * moment in each slice. Workers always start together, since they share a clock.
 */
const slicesTogether = ({ slices }: Result): TrustSignal | null => {
  if (slices.length < 2 || sliceNoun(slices) === 'worker') return null;
  const begins = slices.map(({ startedAt }) => Date.parse(startedAt));
  const apart = (Math.max(...begins) - Math.min(...begins)) / 1000;
  const level = apart > 1 ? 'degraded' : 'valid';
  return {
    signal: 'start of the slices',
    decides: true,
    level,
    observed: `${apart} s apart`,
    expected: 'all within 1 s',
    advice:
      level === 'valid'
        ? null
        : 'Start all slices at the same time, for example with timers on machines with synchronized clocks.',
  };
};

/**
 * Reports whether a run that finds the end of its warm-up was steady afterwards. If the run was not steady, the figures
 * come from a server that was still changing.
 */
const warmUpSignal = ({ warmUp, scheduled }: Result): TrustSignal | null => {
  if (warmUp === undefined) return null;
  const seconds = `${warmUp.end / 1000} s of ${Math.round(scheduled / 1000)} s`;
  return {
    signal: 'warm-up',
    decides: true,
    level: warmUp.isSteady ? 'valid' : 'degraded',
    observed: warmUp.isSteady
      ? `found to end after ${seconds}, ${warmUp.excluded} requests left out`
      : `no end found: the answers still changed after ${seconds}`,
    expected: 'answers that no longer change, after at most half of the load',
    advice: warmUp.isSteady
      ? null
      : 'The figures are of the time after that, and approximate. Let the load last longer, or give the warm-up a duration.',
  };
};

/**
 * Judges whether the load was as planned, and whether the load generator may have changed the figures. Only a load that
 * differs from the plan makes a run invalid. Neither a slow, limiting or failing target nor an overloaded load
 * generator alone lowers the trust.
 */
export const judgeTrust = (result: Result): Trust => {
  const later = judge(lagOver(judgedSeconds(result, result.timeline).judged));
  const figures = figureErrors(result);
  // A load that saturates the target keeps Weir's event loop busy on purpose, so the figures may be inexact.
  const isSaturating = saturateLoadOf(result.plan) !== null;
  const evidence = [
    isSaturating ? null : figuresSignal(figures),
    startLagSignal(result, later),
    capReached(result),
    connectionSignal(result),
    missingSamples(result),
    slicesTogether(result),
    warmUpSignal(result),
    ownFailures(
      result,
      'out-of-sockets',
      'sockets',
      'Raise the limit of open files (ulimit -n) or the range of local ports, or use more machines.',
    ),
    ownFailures(
      result,
      'internal',
      'faults of Weir',
      'This is a bug: please report it with the result file.',
    ),
    ...generatorSignals(result),
  ].filter((signal) => signal !== null);
  const deciding = evidence.filter(({ decides }) => decides);
  return { level: worstOf(deciding.map(({ level }) => level)), evidence, figures };
};
