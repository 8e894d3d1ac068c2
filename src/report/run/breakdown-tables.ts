import { countArrivals, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { type MeasureName, measures } from '../../model/measures/measures.ts';
import { quantile } from '../../model/measures/quantile.ts';
import type { Result } from '../../model/result/result.ts';
import { distributionOf, groupsMatching } from '../../model/result/summary.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import {
  type Block,
  type Cell,
  type Column,
  section,
  fold,
  table,
  type Table,
} from '../document/document.ts';
import {
  breakdownBy,
  type BreakdownLabel,
  breakdownLabels,
  type BreakdownRow,
  labelValues,
} from '../summary/breakdown.ts';
import { kindsPresent } from '../summary/figures.ts';
import { countText, shareText } from '../text/number-text.ts';
import { quantileCell } from './figures-table.ts';

/** The measure of the first output, for kinds whose answers arrive bit by bit. */
const firstOutput: Partial<Record<TrafficKind, MeasureName>> = {
  'chat-stream': 'ttft',
  speech: 'firstAudio',
};

const breakdownTable = (result: Result, label: BreakdownLabel): Table => {
  const kinds = kindsPresent(result);
  const firstMeasures = [...new Set(kinds.flatMap((kind) => firstOutput[kind] ?? []))];
  const first = firstMeasures.map((name) => measures[name].short).join(' or ');
  const outcomesOf = ({ where }: BreakdownRow) => sumOutcomes(groupsMatching(result, where));
  const shareCell = (row: BreakdownRow, outcome: 'completed' | 'limited'): Cell => {
    const outcomes = outcomesOf(row);
    const count = outcomes[outcome];
    return {
      text: shareText(count, countArrivals(outcomes)),
      note: countText(count),
      tone: outcome === 'limited' && count > 0 ? 'warning' : 'plain',
    };
  };
  const latencyColumns = (
    [title, short]: readonly [title: string, short: string],
    measureOf: (kind: TrafficKind) => MeasureName | undefined,
  ): readonly Column<BreakdownRow>[] =>
    [0.5, 0.95].map((q) => ({
      title: `${title} p${q * 100}`,
      short: q === 0.5 ? `${short} p50` : `p${q * 100}`,
      holds: 'number',
      cell: ({ kind, where }) => {
        const measure = measureOf(kind);
        const found =
          measure === undefined ? null : quantile(distributionOf(result, measure, where), q);
        return found === null ? '–' : quantileCell(found, 'ms');
      },
    }));
  const columns: readonly Column<BreakdownRow>[] = [
    { title: 'Kind', holds: 'name', cell: ({ kind }) => kind },
    ...(first === '' ? [] : latencyColumns([first, 'first'], (kind) => firstOutput[kind])),
    ...latencyColumns(['End to end', 'end'], () => 'endToEnd'),
    {
      title: 'Arrivals',
      holds: 'number',
      cell: (row) => countText(countArrivals(outcomesOf(row))),
    },
    { title: 'Completed', holds: 'number', cell: (row) => shareCell(row, 'completed') },
    { title: '429', holds: 'number', cell: (row) => shareCell(row, 'limited') },
  ];
  return table(
    `By ${label}, after the warm-up; latencies in ms`,
    columns,
    breakdownBy(result, label),
    {
      groupOf: ({ name }) => name,
    },
  );
};

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

/** The figures by stage, entry, model and key, if a run has several; a terminal shows the first two. */
export const breakdownBlocks = (result: Result): readonly Block[] => {
  const labels = breakdownLabels.filter((label) => labelValues(result, label).length > 1);
  const terminalLabels = labels.filter((label) => label === 'stage' || label === 'entry');
  const tables = labels.map((label) => breakdownTable(result, label));
  return [
    { ...fold(`Breakdown by ${listed(labels)}`, tables), media: ['html'] },
    ...terminalLabels.map((label) =>
      section(`Breakdown by ${label}, after the warm-up`, [breakdownTable(result, label)], {
        media: ['terminal'],
      }),
    ),
  ];
};
