import type { Labels } from '../../model/measures/counts.ts';
import { type MeasureName, measures } from '../../model/measures/measures.ts';
import type { Result } from '../../model/result/result.ts';
import { figuresOver, groupsMatching, outsideWarmUp } from '../../model/result/summary.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import {
  type Block,
  type Cell,
  column,
  type Column,
  fold,
  only,
  section,
  table,
  type Table,
} from '../document/document.ts';
import { kindsPresent } from '../summary/figures.ts';
import { arrivalCounts } from '../summary/outcome-text.ts';
import { countText, listed, shareText } from '../text/number-text.ts';
import { quantileCell } from './figures-table.ts';

/** The labels by which the figures of a run are broken down if they have several values. */
const breakdownLabels = ['stage', 'entry', 'model', 'key'] as const;
type BreakdownLabel = (typeof breakdownLabels)[number];

const valueOf = (labels: Labels, label: BreakdownLabel): string | null =>
  label === 'entry' ? (labels.entry ?? 'without a name') : labels[label];

const labelValues = (result: Result, label: BreakdownLabel): readonly string[] => [
  ...new Set(
    groupsMatching(result, outsideWarmUp).flatMap(({ labels }) => valueOf(labels, label) ?? []),
  ),
];

/** Every part that had an arrival after the warm-up, by the label's value and then by kind. */
const breakdownBy = (result: Result, label: BreakdownLabel) =>
  labelValues(result, label).flatMap((name) =>
    kindsPresent(result).flatMap((kind) => {
      const where = (each: Labels): boolean =>
        outsideWarmUp(each) && valueOf(each, label) === name && each.traffic === kind;
      const groups = groupsMatching(result, where);
      return groups.length === 0 ? [] : { kind, name, where, counts: arrivalCounts(groups) };
    }),
  );
type BreakdownRow = ReturnType<typeof breakdownBy>[number];

/** The measure of the first output, for kinds whose answers arrive bit by bit. */
const firstOutput: Partial<Record<TrafficKind, MeasureName>> = {
  'chat-stream': 'ttft',
  speech: 'firstAudio',
};

const shareCell = ({ counts }: BreakdownRow, outcome: 'completed' | 'limited'): Cell => ({
  text: shareText(counts[outcome], counts.due),
  note: countText(counts[outcome]),
  tone: outcome === 'limited' && counts.limited > 0 ? 'warning' : 'plain',
});

const breakdownTable = (result: Result, label: BreakdownLabel): Table => {
  const firstMeasures = new Set(kindsPresent(result).flatMap((kind) => firstOutput[kind] ?? []));
  const first = [...firstMeasures].map((name) => measures[name].short).join(' or ');
  const latencyColumns = (
    [title, short]: readonly [title: string, short: string],
    measureOf: (kind: TrafficKind) => MeasureName | undefined,
  ): readonly Column<BreakdownRow>[] =>
    [0.5, 0.95].map((q) => {
      const name = `p${q * 100}`;
      const head = { title: `${title} ${name}`, short: q === 0.5 ? `${short} p50` : name };
      return column.number(head, ({ kind, where }) => {
        const measure = measureOf(kind);
        const found =
          measure === undefined ? null : figuresOver(result, measure, where).percentile(q);
        return found === null ? '–' : quantileCell(found, 'ms');
      });
    });
  const columns: readonly Column<BreakdownRow>[] = [
    column.name('Kind', ({ kind }) => kind),
    ...(first === '' ? [] : latencyColumns([first, 'first'], (kind) => firstOutput[kind])),
    ...latencyColumns(['End to end', 'end'], () => 'endToEnd'),
    column.number('Arrivals', ({ counts }) => countText(counts.due)),
    column.number('Completed', (row) => shareCell(row, 'completed')),
    column.number('429', (row) => shareCell(row, 'limited')),
  ];
  const caption = `By ${label}, after the warm-up; latencies in ms`;
  return table(caption, columns, breakdownBy(result, label), { groupOf: ({ name }) => name });
};

/** The figures by stage, entry, model and key, if a run has several; a terminal shows the first two. */
export const breakdownBlocks = (result: Result): readonly Block[] => {
  const labels = breakdownLabels.filter((label) => labelValues(result, label).length > 1);
  const tables = labels.map((label) => ({ label, block: breakdownTable(result, label) }));
  const all = tables.map(({ block }) => block);
  return [
    only(['html'], fold(`Breakdown by ${listed(labels)}`, all)),
    ...tables
      .filter(({ label }) => label === 'stage' || label === 'entry')
      .map(({ label, block }) =>
        only(['terminal'], section(`Breakdown by ${label}, after the warm-up`, [block])),
      ),
  ];
};
