import type { Result } from '../../model/result/result.ts';
import { countText } from '../text/number-text.ts';
import { arrivalsByKind, type KindArrivals } from '../summary/outcome-text.ts';
import {
  paragraph,
  type TerminalLayout,
  type TerminalTable,
  tableLines,
  tableWidth,
} from './terminal-layout.ts';

const tableOf = ({ kinds, rows }: KindArrivals): TerminalTable => ({
  head: ['', 'all', ...kinds],
  rows: rows.map(({ name, all, byKind }) => [
    { text: name, style: all === 0 ? 'quiet' : 'plain' },
    { text: countText(all), style: 'strong' },
    ...byKind.map((count) => ({
      text: countText(count),
      style: count === 0 ? ('quiet' as const) : ('plain' as const),
    })),
  ]),
  rightFrom: 1,
});

/** What there is no room for in columns: one sentence for each kind, without what did not occur. */
const sentences = ({ kinds, rows }: KindArrivals): readonly string[] =>
  kinds.map((kind, i) => {
    const counts = rows.map(({ name, byKind }) => ({ name, count: byKind[i] ?? 0 }));
    const words = counts
      .filter(({ count }) => count > 0)
      .map(({ name, count }) => `${countText(count)} ${name}`);
    return `${kind}: ${words.join(', ')}`;
  });

/** What became of the arrivals of each kind of traffic; nothing where there was one kind. */
export const arrivalsByKindLines = (layout: TerminalLayout, result: Result): readonly string[] => {
  const arrivals = arrivalsByKind(result);
  if (arrivals === null) return [];
  const table = tableOf(arrivals);
  return tableWidth(table) > layout.width
    ? sentences(arrivals).flatMap((text) => paragraph(layout, text))
    : tableLines(layout, table);
};
