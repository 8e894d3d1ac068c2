import {
  headlineMeasures,
  headlineQuantiles,
  reportedQuantiles,
} from '../../model/measures/headline.ts';
import { type MeasureName, measures } from '../../model/measures/measures.ts';
import { type Quantile, quantile } from '../../model/measures/quantile.ts';
import { figuresSignalName, judgedFigures } from '../../model/result/judged-figures.ts';
import type { Result } from '../../model/result/result.ts';
import {
  distributionOf,
  type LabelFilter,
  measuresPresent,
  outsideWarmUp,
} from '../../model/result/summary.ts';
import type {
  ErrorBounds,
  FigureError,
  TrustLevel,
  TrustSignal,
} from '../../model/result/verdict.ts';
import { type TrafficKind, trafficKinds } from '../../model/workload/traffic.ts';
import { figureErrorsOf } from '../errors/figure-errors.ts';

/** The share of a figure up to which an error is small. */
const smallShare = 0.05;
/** The time in ms up to which an error is small. */
const smallTime = 1;

/** The share of a figure above which its error leaves it with little meaning. */
const largeShare = 0.5;

const offBy = (value: number, { low, high }: ErrorBounds): number =>
  Math.max(value - low, high - value);

const isSmall = ({ value, low, high }: Quantile, bounds: ErrorBounds, unit: string): boolean => {
  const allowed = Math.max(value * smallShare, unit === 'ms' ? smallTime : 0);
  if (offBy(value, bounds) <= allowed) return true;
  return (low === null || bounds.low >= low) && (high === null || bounds.high <= high);
};

/** Returns the errors of all percentiles that reports print. Exact figures have none. */
export const figureErrors = (result: Result): readonly FigureError[] => {
  const { boundsOf } = figureErrorsOf(result);
  const errorsOf = (traffic: TrafficKind, measure: MeasureName): readonly FigureError[] => {
    const where: LabelFilter = (labels) => outsideWarmUp(labels) && labels.traffic === traffic;
    const boundsAt = boundsOf(measure, where);
    const histogram = distributionOf(result, measure, where);
    const headline: readonly MeasureName[] = headlineMeasures[traffic];
    return reportedQuantiles.flatMap((q) => {
      const found = quantile(histogram, q);
      if (found === null || boundsAt === null) return [];
      const bounds = boundsAt(q);
      return {
        ...bounds,
        traffic,
        measure,
        q,
        value: found.value,
        isHeadline: headline.includes(measure) && headlineQuantiles.some((each) => each === q),
        isWeak: found.weak,
        isSmall: isSmall(found, bounds, measures[measure].unit),
      };
    });
  };
  return trafficKinds.flatMap((traffic) =>
    measuresPresent(
      result,
      (labels) => outsideWarmUp(labels) && labels.traffic === traffic,
    ).flatMap((measure) => errorsOf(traffic, measure)),
  );
};

const roundedText = (value: number): string => String(Number(value.toPrecision(2)));

/** For example `chat-stream TTFT p95 238 ms (up to 14 ms too high)`. */
const errorText = ({ traffic, measure, q, value, low, high }: FigureError): string => {
  const { short, unit } = measures[measure];
  const errors = [
    ...(low < value ? [`${roundedText(value - low)} ${unit} too high`] : []),
    ...(high > value
      ? [
          Number.isFinite(high)
            ? `${roundedText(high - value)} ${unit} too low`
            : 'any amount too low',
        ]
      : []),
  ];
  return `${traffic} ${short} p${q * 100} of ${Number(value.toPrecision(3))} ${unit} can be up to ${errors.join(' or ')}`;
};

/** Reports the figures that the load generator can have moved. */
export const figuresSignal = (figures: readonly FigureError[]): TrustSignal | null => {
  const headline = judgedFigures(figures);
  if (headline.length === 0) return null;
  const moved = headline.filter((figure) => !figure.isSmall);
  const isGreat = (figure: FigureError): boolean =>
    offBy(figure.value, figure) > figure.value * largeShare;
  let level: TrustLevel = moved.length === 0 ? 'valid' : 'degraded';
  if (moved.length > 0 && headline.every(isGreat)) level = 'invalid';
  return {
    signal: figuresSignalName,
    decides: true,
    level,
    observed:
      moved.length === 0
        ? `small in all ${headline.length} headline figures`
        : `${moved.length} of ${headline.length} headline figures ${moved.length === 1 ? 'is' : 'are'} uncertain: ${moved.map(errorText).join('; ')}`,
    expected:
      'at most 5 % of a figure or 1 ms, or inside its confidence interval; if it exceeds half of every figure, nothing is known',
    advice:
      level === 'valid'
        ? null
        : 'Stop other programs on the load generator’s machine, use more workers (if cores are idle) or slices, lower the rate, or exclude the first seconds with a warm-up.',
  };
};
