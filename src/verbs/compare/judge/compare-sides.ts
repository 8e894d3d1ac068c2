import { shareOf, sumOfShares } from '../../../model/measures/share.ts';
import { type ComparedShape, type ComparedSide, type Comparison } from '../model/comparison.ts';
import {
  type ComparedMetric,
  comparisonRules,
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
import { geometricMean, holm, ksDistance } from '../../../judge/statistics/significance.ts';
import { differenceOf, judgeMetric } from './judge-metric.ts';
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
  targetOf,
} from '../../../judge/series/side-differences.ts';

export type ComparisonOrRefusal =
  | { readonly ok: true; readonly comparison: Comparison }
  | { readonly ok: false; readonly refusals: readonly SideDifference[] };

export interface CompareSidesOptions {
  readonly base: Side;
  readonly next: Side;
  /** The names of the metrics that decide; `null`: the defaults. */
  readonly gates: readonly string[] | null;
  /** The intended differences, which are not reported. */
  readonly intended: readonly ComparedProperty[];
  /** Other permitted differences, which are reported. */
  readonly allowed: readonly ComparedProperty[];
  readonly weir: string;
  /** ISO 8601. */
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

const metricsOf = (
  candidates: readonly MetricCandidate[],
  results: Both<readonly Result[]>,
): readonly ComparedMetric[] => {
  const differences = candidates.map(differenceOf);
  const tested = candidates.flatMap(({ gated }, i) => {
    const p = differences[i]?.p ?? null;
    return gated && p !== null ? [{ i, p }] : [];
  });
  const adjusted = holm(tested.map(({ p }) => p));
  const adjustedOf = new Map(tested.map(({ i }, place) => [i, adjusted[place]!]));
  return candidates.map((candidate, i) => {
    const { labels, scale, gated, remark } = candidate;
    const adjustedP = adjustedOf.get(i) ?? null;
    const surroundings = { adjustedP, tests: tested.length, results };
    const judgement = judgeMetric(candidate, differences[i] ?? null, surroundings);
    return { ...labels, scale, gated, ...figuresOf(candidate), ...judgement, remark };
  });
};

/** The most serious verdict of the gated metrics; without any, `inconclusive`. */
const overallVerdict = (metrics: readonly ComparedMetric[]): ComparisonVerdict => {
  const verdicts = metrics.filter(({ gated }) => gated).map(({ verdict }) => verdict);
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

const cautionsOf = (base: Side, next: Side): string[] => {
  const runs = [...base.repetitions, ...next.repetitions];
  const uncertain = runs.filter(({ trust }) => trust.level !== 'valid').length;
  const differs = (of: (result: Result) => string): boolean =>
    new Set(runs.map(({ result }) => of(result))).size > 1;
  return [
    uncertain > 0 &&
      `${uncertain} of ${runs.length} runs ${uncertain === 1 ? 'is' : 'are'} not VALID: the load generator adds to the noise of their figures.`,
    differs(machineOf) && 'The runs are from different machines or versions of Node.js.',
    differs(({ weir }) => weir) && 'The runs were measured by different versions of Weir.',
  ].filter((caution) => caution !== false);
};

/** Compares the new side with the base. Differences between the runs are reasons to refuse unless they are allowed. */
export const compareSides = (options: CompareSidesOptions): ComparisonOrRefusal => {
  const { base, next, gates, intended, allowed } = options;
  const differences = sideDifferences(base, next).filter(({ what }) => !intended.includes(what));
  const refusals = differences.filter(({ what }) => !allowed.includes(what));
  if (refusals.length > 0) return { ok: false, refusals };
  const results = onBoth(options, ({ repetitions }) => repetitions.map(({ result }) => result));
  const metrics = metricsOf(metricCandidatesOf(results, gates), results);
  return {
    ok: true,
    comparison: {
      format: 'comparison/1',
      weir: options.weir,
      comparedAt: options.comparedAt,
      ...onBoth(options, sideOf),
      overridden: differences.map(({ message }) => message),
      cautions: cautionsOf(base, next),
      rules: comparisonRules,
      metrics: [...metrics],
      shapes: [...shapesOf(results)],
      verdict: overallVerdict(metrics),
    },
  };
};
