import type { MetricCandidate } from '../../../judge/series/metric-candidates.ts';
import { healthyResult } from '../../../judge/sample-result.fixture.ts';
import type { Both } from '../../../judge/series/traffic-streams.ts';
import type { ComparisonVerdict } from '../../../model/series/compared-metric.ts';
import { type Draw, drawFrom, drawNormal } from '../../../model/workload/draw.ts';
import { judgedMetricsOf, overallVerdict } from './compare-sides.ts';

/** Test support: comparisons of repeated runs of streamed chats, without sending requests. */

/**
 * The distributions of a run's luck, with a mean of 0 and a standard deviation of 1. Luck shifts or multiplies a time.
 */
const lucks = {
  normal: (luck: number, noise: number) => Math.max(0.05, 1 + noise * luck),
  lognormal: (luck: number, noise: number) => Math.exp(noise * luck),
  /** A lognormal of skewness 6: most runs are a little too fast, and some far too slow. */
  skewed: (luck: number, noise: number) =>
    1 + (noise * (Math.exp(luck) - Math.sqrt(Math.E))) / Math.sqrt(Math.E * (Math.E - 1)),
} as const;

export interface SimulatedComparison {
  /** The number of runs on each side. */
  readonly runs: number;
  /**
   * The standard deviation of a figure from run to run, and the share of it that all figures of a run have in common.
   */
  readonly noise: number;
  readonly isShared: boolean;
  readonly luck: keyof typeof lucks;
  /**
   * The standard deviation of the steps of a random walk that all figures of a run share, as on a machine that changes
   * over hours.
   */
  readonly walk: number;
  /** The factor on the times of the new side. */
  readonly factor: number;
  readonly drift: number;
  readonly isAlternating: boolean;
}

const latencies = ['ttft.p50', 'ttft.p95', 'tpot.p50', 'endToEnd.p50', 'endToEnd.p95'] as const;
/** The figures that are rates. In an open load they hardly differ. */
const rates = ['completed', 'outputTokens'] as const;

/** Returns the places of both sides: ABBA, or the base first. */
const placesOf = (runs: number, isAlternating: boolean): Both<readonly number[]> => {
  const places = Array.from({ length: 2 * runs }, (_, place) => place);
  const isBase = (place: number): boolean =>
    isAlternating ? place % 4 === 0 || place % 4 === 3 : place < runs;
  return { base: places.filter(isBase), next: places.filter((place) => !isBase(place)) };
};

const results = Array.from({ length: 20 }, (_, place) =>
  healthyResult({ lags: [], startedAt: `2026-07-01T10:${place + 10}:30.000Z` }),
);

const candidateOf = (name: string, values: Both<readonly number[]>): MetricCandidate => {
  const isRate = rates.some((each) => each === name);
  const [traffic, better] = isRate
    ? [null, 'higher' as const]
    : ['chat-stream' as const, 'lower' as const];
  return {
    labels: { id: name, traffic, model: null, name, label: name, unit: 'ms', better },
    scale: 'ratio',
    gated: true,
    headline: !isRate && name !== 'tpot.p50',
    remark: null,
    // The requests of a single run show nothing of the noise between runs. `results[0]` is the base.
    intervalWithin: (result) => {
      const [value] = result === results[0] ? values.base : values.next;
      return value === undefined ? null : { low: value * 0.99, high: value * 1.01 };
    },
    effect: isRate ? 0.05 : 0.1,
    floor: 0,
    error: 0,
    ...values,
  };
};

const verdictOf = (draw: Draw, simulated: SimulatedComparison): ComparisonVerdict => {
  const { runs, noise, isShared, luck, walk, factor, drift, isAlternating } = simulated;
  const places = placesOf(runs, isAlternating);
  const shared = results.map(() => drawNormal(draw));
  let height = 0;
  const hours = results.map(() => (height += walk * drawNormal(draw)));
  const valueAt = (place: number, times: number): number => {
    const own = isShared ? shared[place]! : drawNormal(draw);
    return 200 * times * lucks[luck](own, noise) * Math.exp(hours[place]!) * (1 + drift) ** place;
  };
  const candidates = [
    ...latencies.map((name) =>
      candidateOf(name, {
        base: places.base.map((place) => valueAt(place, 1)),
        next: places.next.map((place) => valueAt(place, factor)),
      }),
    ),
    ...rates.map((name) =>
      candidateOf(name, {
        base: places.base.map(() => 20 * Math.exp(0.005 * drawNormal(draw))),
        next: places.next.map(() => 20 * Math.exp(0.005 * drawNormal(draw))),
      }),
    ),
  ];
  const sides = {
    base: places.base.map((place) => results[place]!),
    next: places.next.map((place) => results[place]!),
  };
  return overallVerdict(judgedMetricsOf(candidates, sides));
};

/** Returns the share of each verdict among this many comparisons. Another seed draws others. */
export const sharesOfVerdicts = (
  count: number,
  { seed = 1, ...differing }: Partial<SimulatedComparison> & { readonly seed?: number },
): Record<ComparisonVerdict, number> => {
  const simulated: SimulatedComparison = {
    runs: 5,
    noise: 0.05,
    isShared: true,
    luck: 'lognormal',
    walk: 0,
    factor: 1,
    drift: 0,
    isAlternating: true,
    ...differing,
  };
  const counts = { regression: 0, inconclusive: 0, improvement: 0, same: 0 };
  for (let i = 0; i < count; i += 1) counts[verdictOf(drawFrom(i, seed), simulated)] += 1;
  const shareOf = (verdict: ComparisonVerdict): number => counts[verdict] / count;
  return {
    regression: shareOf('regression'),
    inconclusive: shareOf('inconclusive'),
    improvement: shareOf('improvement'),
    same: shareOf('same'),
  };
};
