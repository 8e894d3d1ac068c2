import { measures } from '../../model/measures.ts';
import { quantile } from '../../model/quantile.ts';
import type { Result } from '../../model/result.ts';
import { arrivalsIn, outcomesOf } from '../../model/outcomes.ts';
import { distribution, groupsWhere } from '../../model/summary.ts';
import { headlineMeasures } from '../figures.ts';
import { countText, figureText, shareText } from '../number-text.ts';
import { type Part, partsBy, type SplitLabel, valuesOf } from '../parts.ts';
import { printable } from '../printable.ts';
import { type Cell, type Screen, tableLines } from './screen.ts';

const rowOf = (result: Result, { name, kind, where }: Part, isFirst: boolean): readonly Cell[] => {
  const outcomes = outcomesOf(groupsWhere(result, where));
  const arrivals = arrivalsIn(outcomes);
  const [measure] = headlineMeasures[kind];
  const samples = distribution(result, measure, where);
  const figures = [0.5, 0.95].map((q): Cell => {
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
export const partLines = (screen: Screen, result: Result, label: SplitLabel): readonly string[] => {
  if (valuesOf(result, label).length < 2) return [];
  const parts = partsBy(result, label);
  return tableLines(screen, {
    // What is worth least stands last: it is left out where there is no room.
    head: [label, 'kind', 'in ms', 'p50', 'p95', 'arrivals', 'completed', '429'],
    rows: parts.map((part, i) => rowOf(result, part, part.name !== parts[i - 1]?.name)),
    rightFrom: 3,
  });
};
