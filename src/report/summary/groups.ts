import { type LabelFilter, outsideWarmUp } from '../../model/result/summary.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';

/** Selects the groups of one kind of traffic after the warm-up. */
export const measuredOf =
  (kind: TrafficKind): LabelFilter =>
  (labels) =>
    outsideWarmUp(labels) && labels.traffic === kind;

export const sumOf = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0);
