import { comparisonRules } from '../../model/series/compared-metric.ts';
import type { HistoryFigure, HistoryRun } from '../../model/series/history.ts';
import type { Result } from '../../model/result/result.ts';
import { type MetricCandidate, metricCandidatesOf } from './metric-candidates.ts';
import { comparedPercentiles } from './gates.ts';
import type { Repetition } from './repetition.ts';
import { unusableRunReason, targetOf } from './usable-run.ts';

/**
 * Returns whether a comparison gates a metric by default. The number of samples does not matter here, since the history
 * has many runs.
 */
const isHeadline = ({ labels: { traffic, name } }: MetricCandidate): boolean =>
  traffic === null || comparedPercentiles[traffic].gated.some((gated) => gated === name);

const valueOf = (candidate: MetricCandidate): number | null => {
  if (candidate.scale === 'ratio') return candidate.base[0] ?? null;
  const [share] = candidate.base;
  return share === undefined || share.of === 0 ? null : share.events / share.of;
};

const headlineFigures = (run: Repetition): readonly HistoryFigure[] =>
  metricCandidatesOf({ base: [run], next: [run] }, null)
    .filter(isHeadline)
    .flatMap((candidate) => {
      const value = valueOf(candidate);
      if (value === null) return [];
      const { id, traffic, model, label, unit, better } = candidate.labels;
      const { scale } = candidate;
      const least =
        candidate.scale === 'ratio'
          ? { effect: (1 + candidate.effect) * (1 + candidate.error) - 1, floor: candidate.floor }
          : { effect: comparisonRules.rateEffect, floor: 0 };
      const name = [traffic, model, label].filter(Boolean).join(' ');
      return [{ id, label: name, unit, better, scale, value, ...least }];
    });

const verdictsOf = ({ verdicts, limits }: Result): HistoryRun['verdicts'] => [
  ...(verdicts ?? []).map(({ text, ruling }) => ({ text, ruling })),
  ...(limits?.violated === true
    ? [{ text: 'the limits of the keys', ruling: 'fail' as const }]
    : []),
];

/** Returns what the history stores of a run; `null` if the run is invalid or incomplete, or if no request completed. */
export const historyRun = (repetition: Repetition): HistoryRun | null => {
  const { file, result, trust } = repetition;
  if (unusableRunReason(repetition) !== null) return null;
  return {
    file,
    planHash: result.planHash,
    plan: result.plan.name,
    target: targetOf(result.plan),
    weir: result.weir,
    startedAt: result.startedAt,
    trust: trust.level,
    verdicts: verdictsOf(result),
    figures: [...headlineFigures(repetition)],
  };
};
