import type { Labels, Result } from '../model/result.ts';
import { groupsWhere, measured, type Where } from '../model/summary.ts';
import type { TrafficKind } from '../model/traffic.ts';
import { kindsPresent } from './figures.ts';

/** By what the figures of a run can be told apart, where it had several. */
export const splitLabels = [
  'stage',
  'entry',
  'model',
  'key',
] as const satisfies readonly (keyof Labels)[];
export type SplitLabel = (typeof splitLabels)[number];

/** The groups of one kind of traffic that share a label, after the warm-up. */
export interface Part {
  readonly name: string;
  readonly kind: TrafficKind;
  readonly where: Where;
}

/** What stands for all entries without a name. */
const unnamed = 'without a name';

const valueOf = (labels: Labels, label: SplitLabel): string | null =>
  label === 'entry' ? (labels.entry ?? unnamed) : labels[label];

/** The values of a label, in the order of the groups. */
export const valuesOf = (result: Result, label: SplitLabel): readonly string[] => [
  ...new Set(groupsWhere(result, measured).flatMap((group) => valueOf(group.labels, label) ?? [])),
];

/** Every part that had an arrival, by the label's value and then by kind. */
export const partsBy = (result: Result, label: SplitLabel): readonly Part[] => {
  const kinds = kindsPresent(result);
  return valuesOf(result, label)
    .flatMap((name) =>
      kinds.map((kind): Part => ({
        kind,
        name,
        where: (each) => measured(each) && valueOf(each, label) === name && each.traffic === kind,
      })),
    )
    .filter(({ where }) => groupsWhere(result, where).length > 0);
};
