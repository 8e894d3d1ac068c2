import { shareOf, sumOfShares } from '../../../model/measures/share.ts';
import { type ComparedShape, type ComparedSide, type Comparison } from '../model/comparison.ts';
import {
  type ComparedMetric,
  comparisonRules,
  headlineOf,
  type ComparisonVerdict,
  comparisonVerdictNames,
} from '../../../model/series/compared-metric.ts';
import { sumOfHistograms } from '../../../model/measures/histogram.ts';
import type { Result } from '../../../model/result/result.ts';
import { countArrivals, sumOutcomes } from '../../../model/measures/outcome-counts.ts';
import {
  metricCandidatesOf,
  type MetricCandidate,
} from '../../../judge/series/metric-candidates.ts';
import { comparedPercentiles, percentileOf } from '../../../judge/series/gates.ts';
import { geometricMean } from '../../../judge/statistics/significance.ts';
import { driftOf, hochberg, holm, ksDistance } from './tests-of-significance.ts';
import { differenceOf, judgeMetric, resolution } from './judge-metric.ts';
import { placesApart } from './run-order.ts';
import {
  type Both,
  histogramsOf,
  onBoth,
  trafficStreamsOf,
} from '../../../judge/series/traffic-streams.ts';
import type { Side } from '../../../judge/series/repetition.ts';
import {
  type ComparedProperty,
  modelsOf,
  type SideDifference,
  sideDifferences,
} from './side-differences.ts';
import { targetOf } from '../../../judge/series/usable-run.ts';

export type ComparisonOrRefusal =
  | { readonly ok: true; readonly comparison: Comparison }
  | { readonly ok: false; readonly refusals: readonly SideDifference[] };

export interface CompareSidesOptions {
  readonly base: Side;
  readonly next: Side;
  /** The names of the metrics that decide; `null` means the defaults. */
  readonly gates: readonly string[] | null;
  /** Intended differences between the sides. The report does not mention them. */
  readonly intended: readonly ComparedProperty[];
  /** Further differences that are allowed. The report mentions them. */
  readonly allowed: readonly ComparedProperty[];
  readonly weir: string;
  /** The time of the comparison, ISO 8601. */
  readonly comparedAt: string;
}

const figuresOf = (candidate: MetricCandidate): Both<ComparedMetric['base']> => {
  if (candidate.scale === 'ratio') {
    return onBoth(candidate, (values) => ({
      values: [...values],
      typical: values.length === 0 ? null : geometricMean(values),
    }));
  }
  return onBoth(candidate, (parts) => {
    const total = sumOfShares(parts);
    return { values: parts.map(shareOf), typical: total.of === 0 ? null : shareOf(total) };
  });
};

export const judgedMetricsOf = (
  candidates: readonly MetricCandidate[],
  results: Both<readonly Result[]>,
): readonly ComparedMetric[] => {
  const places = placesApart(results);
  const differences = candidates.map((candidate) => differenceOf(candidate, places));
  const tested = candidates.flatMap(({ gated }, i) => {
    const p = differences[i]?.p ?? null;
    return gated && p !== null ? [{ i, p }] : [];
  });
  const adjusted = hochberg(tested.map(({ p }) => p));
  const adjustedOf = new Map(tested.map(({ i }, place) => [i, adjusted[place]!]));
  return candidates.map((candidate, i) => {
    const { labels, scale, gated, headline, remark } = candidate;
    const adjustedP = adjustedOf.get(i) ?? null;
    const surroundings = { adjustedP, tests: tested.length, results };
    const judgement = judgeMetric(candidate, differences[i] ?? null, surroundings);
    return { ...labels, scale, gated, headline, ...figuresOf(candidate), ...judgement, remark };
  });
};

/**
 * Returns the most serious verdict of the gated metrics; `inconclusive` without gated metrics. Only headline figures
 * can leave a comparison undecided. If no headline figure is gated, any gated metric can leave the comparison
 * undecided.
 */
export const overallVerdict = (metrics: readonly ComparedMetric[]): ComparisonVerdict => {
  const gated = metrics.filter((metric) => metric.gated);
  const headline = headlineOf(gated);
  const verdicts = gated.flatMap((metric) =>
    metric.verdict === 'inconclusive' && !headline.includes(metric) ? [] : [metric.verdict],
  );
  return comparisonVerdictNames.find((each) => verdicts.includes(each)) ?? 'inconclusive';
};

const shapesOf = (results: Both<readonly Result[]>): readonly ComparedShape[] =>
  trafficStreamsOf(results).flatMap((stream) => {
    const [first] = comparedPercentiles[stream.traffic].gated;
    const { measure } = percentileOf(first)!;
    const { base, next } = onBoth(results, (side) =>
      sumOfHistograms(histogramsOf(side, stream, measure)),
    );
    const distance = ksDistance(base, next);
    if (distance === null) return [];
    return [{ ...stream, measure, distance, samples: { base: base.count, next: next.count } }];
  });

const sideOf = ({ name, repetitions }: Side): ComparedSide => {
  const [{ result }] = repetitions;
  return {
    name,
    plan: result.plan.name,
    planHash: result.planHash,
    target: targetOf(result.plan),
    models: [...modelsOf(result.plan)],
    seed: result.plan.seed,
    slices: result.slices[0]?.count ?? 1,
    weir: result.weir,
    runs: repetitions.map((repetition) => ({
      file: repetition.file,
      startedAt: repetition.result.startedAt,
      trust: repetition.trust.level,
      arrivals: countArrivals(sumOutcomes(repetition.result.groups)),
    })),
  };
};

const machineOf = ({ slices }: Result): string => {
  const [{ machine } = {}] = slices;
  return `${machine?.cpu}, ${machine?.cores} cores, Node.js ${machine?.node}`;
};

/** Returns the names of the gated metrics that have a trend over the runs of the base (tests adjusted by Holm). */
const baseTrends = (metrics: readonly ComparedMetric[]): readonly string[] => {
  const trends = metrics.flatMap(({ traffic, model, label, gated, scale, base }) => {
    if (!gated || scale !== 'ratio') return [];
    const name = [traffic, model, label].filter((word) => word !== null).join(' ');
    const logs = base.values.map(Math.log);
    const trend = driftOf([logs], [logs.map((_, i) => i)], resolution);
    return trend === null ? [] : [{ name, ...trend }];
  });
  const adjusted = holm(trends.map(({ p }) => p));
  return trends.flatMap(({ name, slope }, i) => {
    const change = ((Math.exp(slope) - 1) * 100).toFixed(1).replace('-', '−');
    return adjusted[i]! < comparisonRules.alpha
      ? [`${name} (${slope > 0 ? '+' : ''}${change} %)`]
      : [];
  });
};

const orderCautions = (
  { base, next }: Both<readonly Result[]>,
  metrics: readonly ComparedMetric[],
): readonly (string | false)[] => {
  const trends = baseTrends(metrics);
  const isApart = base.length > 1 && next.length > 1 && placesApart({ base, next }) !== null;
  return [
    isApart &&
      'The sides did not take turns, so a drift of the surroundings looks like a change. A change counts only if it is also sure without that drift. Runs in turns show more: weir run --against.',
    trends.length > 0 && `The base itself changes from run to run: ${trends.join(', ')}.`,
  ];
};

/** Warm-ups count as equal if they differ by less than this time in ms, since such a difference may be chance. */
const warmUpNoise = 2000;

/** Returns cautions about warm-ups that the runs found: the sides differ, or a run found no end. */
const warmUpCautions = (base: Side, next: Side): readonly (string | false)[] => {
  const foundIn = ({ repetitions }: Side) =>
    repetitions.flatMap(({ result }) => result.warmUp ?? []);
  const [before, after] = [foundIn(base), foundIn(next)];
  const ends = [before, after].map((found) => found.map(({ end }) => end));
  const most = ends.map((each) => Math.max(...each));
  // A single run may differ by chance, so the middle values of the sides are compared.
  const middle = ends.map((each) => each.toSorted((a, b) => a - b)[(each.length - 1) >> 1]);
  const isApart = Math.abs(middle[1]! - middle[0]!) >= warmUpNoise;
  const [ofBase, ofNext] = ends.map((each, i) => {
    const low = Math.min(...each);
    return low === most[i] ? `${low / 1000} s` : `${low / 1000} to ${most[i]! / 1000} s`;
  });
  const all = [...before, ...after];
  const unsteady = all.filter(({ isSteady }) => !isSteady).length;
  return [
    isApart &&
      `The warm-ups differ: ${ofBase} in the base, ${ofNext} in the new side. They are left out, so that nothing here says what they cost.`,
    unsteady > 0 &&
      `${unsteady} of ${all.length} runs found no end of the warm-up: what their server was like once steady is not known.`,
  ];
};

const cautionsOf = (base: Side, next: Side): readonly (string | false)[] => {
  const runs = [...base.repetitions, ...next.repetitions];
  const uncertain = runs.filter(({ trust }) => trust.level !== 'valid').length;
  const differs = (of: (result: Result) => string): boolean =>
    new Set(runs.map(({ result }) => of(result))).size > 1;
  return [
    uncertain > 0 &&
      `${uncertain} of ${runs.length} runs ${uncertain === 1 ? 'has' : 'have'} approximate figures, or a load not quite as planned: the load generator adds to their noise.`,
    ...warmUpCautions(base, next),
    runs.some(({ result }) => result.plan.until !== undefined) &&
      'Runs that end when their objectives are decided lean away from the bounds of these: compare runs of a set length.',
    differs(machineOf) && 'The runs are from different machines or versions of Node.js.',
    differs(({ weir }) => weir) && 'The runs were measured by different versions of Weir.',
  ];
};

/**
 * Compares the new side with the base. A difference between the sides is a reason for refusing the comparison, unless
 * it is allowed.
 */
export const compareSides = (options: CompareSidesOptions): ComparisonOrRefusal => {
  const { base, next, gates, intended, allowed } = options;
  const differences = sideDifferences(base, next).filter(({ what }) => !intended.includes(what));
  const refusals = differences.filter(({ what }) => !allowed.includes(what));
  if (refusals.length > 0) return { ok: false, refusals };
  const results = onBoth(options, ({ repetitions }) => repetitions.map(({ result }) => result));
  const metrics = judgedMetricsOf(
    metricCandidatesOf(
      onBoth(options, ({ repetitions }) => repetitions),
      gates,
    ),
    results,
  );
  return {
    ok: true,
    comparison: {
      format: 'comparison/1',
      weir: options.weir,
      comparedAt: options.comparedAt,
      ...onBoth(options, sideOf),
      overridden: differences.map(({ message }) => message),
      cautions: [...cautionsOf(base, next), ...orderCautions(results, metrics)].filter(
        (caution) => caution !== false,
      ),
      rules: comparisonRules,
      metrics: [...metrics],
      shapes: [...shapesOf(results)],
      verdict: overallVerdict(metrics),
    },
  };
};
