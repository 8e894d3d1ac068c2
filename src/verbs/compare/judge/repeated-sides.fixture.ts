import type { MetricCandidate } from '../../../judge/series/metric-candidates.ts';
import { healthyResult } from '../../../judge/sample-result.fixture.ts';
import type { Both } from '../../../judge/series/traffic-streams.ts';
import type { ComparisonVerdict } from '../../../model/series/compared-metric.ts';
import { type Draw, drawFrom, drawNormal } from '../../../model/workload/draw.ts';
import { judgedMetricsOf, overallVerdict } from './compare-sides.ts';

/** Test support: comparisons of five runs against five of streamed chats, without the requests. */

export interface SimulatedComparison {
  /** The standard deviation of a figure from run to run, and how much of it all figures of a run share. */
  readonly noise: number;
  readonly isShared: boolean;
  /** What the new side's times are multiplied by, and each run's times over those of the run before. */
  readonly factor: number;
  readonly drift: number;
  readonly isAlternating: boolean;
}

const latencies = ['ttft.p50', 'ttft.p95', 'tpot.p50', 'endToEnd.p50', 'endToEnd.p95'] as const;
const runs = 5;
/** ABBA, or the base first. */
const placesOf = (isAlternating: boolean): Both<readonly number[]> =>
  isAlternating
    ? { base: [0, 3, 4, 7, 8], next: [1, 2, 5, 6, 9] }
    : { base: [0, 1, 2, 3, 4], next: [5, 6, 7, 8, 9] };

const results = Array.from({ length: 2 * runs }, (_, place) =>
  healthyResult({ lags: [], startedAt: `2026-07-01T10:2${place}:30.000Z` }),
);

const candidateOf = (name: string, values: Both<readonly number[]>): MetricCandidate => {
  const isRate = name === 'completed';
  const [traffic, better] = isRate
    ? [null, 'higher' as const]
    : ['chat-stream' as const, 'lower' as const];
  return {
    labels: { id: name, traffic, model: null, name, label: name, unit: 'ms', better },
    scale: 'ratio',
    gated: true,
    headline: !isRate && name !== 'tpot.p50',
    remark: null,
    intervalWithin: () => null,
    effect: isRate ? 0.05 : 0.1,
    floor: 0,
    error: 0,
    ...values,
  };
};

const verdictOf = (draw: Draw, simulated: SimulatedComparison): ComparisonVerdict => {
  const { noise, isShared, factor, drift, isAlternating } = simulated;
  const places = placesOf(isAlternating);
  const shared = results.map(() => drawNormal(draw));
  const valueAt = (place: number, times: number): number => {
    const luck = isShared ? shared[place]! : drawNormal(draw);
    return 200 * times * Math.exp(noise * luck) * (1 + drift) ** place;
  };
  const candidates = [
    ...latencies.map((name) =>
      candidateOf(name, {
        base: places.base.map((place) => valueAt(place, 1)),
        next: places.next.map((place) => valueAt(place, factor)),
      }),
    ),
    // The rate of an open load hardly differs.
    candidateOf('completed', {
      base: places.base.map(() => 20 * Math.exp(0.005 * drawNormal(draw))),
      next: places.next.map(() => 20 * Math.exp(0.005 * drawNormal(draw))),
    }),
  ];
  const sides = {
    base: places.base.map((place) => results[place]!),
    next: places.next.map((place) => results[place]!),
  };
  return overallVerdict(judgedMetricsOf(candidates, sides));
};

/** Returns the share of each verdict among so many comparisons. */
export const sharesOfVerdicts = (
  count: number,
  differing: Partial<SimulatedComparison>,
): Record<ComparisonVerdict, number> => {
  const simulated = { noise: 0.05, isShared: true, factor: 1, drift: 0, isAlternating: true };
  const shares = { regression: 0, inconclusive: 0, improvement: 0, same: 0 };
  for (let i = 0; i < count; i += 1)
    shares[verdictOf(drawFrom(i, 1), { ...simulated, ...differing })] += 1 / count;
  return shares;
};
