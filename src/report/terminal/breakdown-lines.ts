import { measures } from '../../model/measures/measures.ts';
import { quantile } from '../../model/measures/quantile.ts';
import type { Result } from '../../model/result/result.ts';
import { countArrivals, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { distributionOf, groupsMatching } from '../../model/result/summary.ts';
import { headlineMeasures } from '../summary/figures.ts';
import { countText, figureText, shareText } from '../text/number-text.ts';
import {
  type BreakdownRow,
  breakdownBy,
  type BreakdownLabel,
  labelValues,
} from '../summary/breakdown.ts';
import { printable } from '../text/printable.ts';
import { type TableCell, type TerminalLayout, tableLines } from './terminal-layout.ts';

const rowOf = (
  result: Result,
  { name, kind, where }: BreakdownRow,
  isFirst: boolean,
): readonly TableCell[] => {
  const outcomes = sumOutcomes(groupsMatching(result, where));
  const arrivals = countArrivals(outcomes);
  const [measure] = headlineMeasures[kind];
  const samples = distributionOf(result, measure, where);
  const figures = [0.5, 0.95].map((q): TableCell => {
    const figure = quantile(samples, q);
    if (figure === null) return { text: '–', style: 'quiet' };
    const text = `${figure.weak ? '~' : ''}${figureText(figure.value)}`;
    return { text, style: figure.weak ? 'quiet' : 'strong' };
  });
  return [
    { text: isFirst ? printable(name) : '', style: 'strong' },
    { text: kind },
    { text: measures[measure].short, style: 'quiet' },
    ...figures,
    { text: countText(arrivals) },
    { text: shareText(outcomes.completed, arrivals) },
    {
      text: shareText(outcomes.limited, arrivals),
      style: outcomes.limited > 0 ? 'warning' : 'quiet',
    },
  ];
};

/** One line for each part of a run and kind of traffic, with the figure that matters most of the kind; nothing where there was one part. */
export const breakdownLines = (
  layout: TerminalLayout,
  result: Result,
  label: BreakdownLabel,
): readonly string[] => {
  if (labelValues(result, label).length < 2) return [];
  const parts = breakdownBy(result, label);
  return tableLines(layout, {
    // What is worth least stands last: it is left out where there is no room.
    head: [label, 'kind', 'in ms', 'p50', 'p95', 'arrivals', 'completed', '429'],
    rows: parts.map((part, i) => rowOf(result, part, part.name !== parts[i - 1]?.name)),
    rightFrom: 3,
  });
};
