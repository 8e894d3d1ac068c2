import type { Labels } from '../../model/measures/counts.ts';
import type { Result } from '../../model/result/result.ts';
import { groupsMatching, outsideWarmUp, type LabelFilter } from '../../model/result/summary.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import { kindsPresent } from './figures.ts';

/** Breaks the figures of a run down by the labels that have several values. */
export const breakdownLabels = [
  'stage',
  'entry',
  'model',
  'key',
] as const satisfies readonly (keyof Labels)[];
export type BreakdownLabel = (typeof breakdownLabels)[number];

/** The groups of one kind of traffic that share a label, after the warm-up. */
export interface BreakdownRow {
  readonly name: string;
  readonly kind: TrafficKind;
  readonly where: LabelFilter;
}

/** The label of all entries without a name. */
const unnamed = 'without a name';

const valueOf = (labels: Labels, label: BreakdownLabel): string | null =>
  label === 'entry' ? (labels.entry ?? unnamed) : labels[label];

/** The values of a label, in the order of the groups. */
export const labelValues = (result: Result, label: BreakdownLabel): readonly string[] => [
  ...new Set(
    groupsMatching(result, outsideWarmUp).flatMap((group) => valueOf(group.labels, label) ?? []),
  ),
];

/** Every part that had an arrival, by the label's value and then by kind. */
export const breakdownBy = (result: Result, label: BreakdownLabel): readonly BreakdownRow[] => {
  const kinds = kindsPresent(result);
  return labelValues(result, label)
    .flatMap((name) =>
      kinds.map((kind): BreakdownRow => ({
        kind,
        name,
        where: (each) =>
          outsideWarmUp(each) && valueOf(each, label) === name && each.traffic === kind,
      })),
    )
    .filter(({ where }) => groupsMatching(result, where).length > 0);
};
