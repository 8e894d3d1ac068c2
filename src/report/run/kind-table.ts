import { type MeasureName, measures } from '../../model/measures/measures.ts';
import { countArrivals, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import type { Result } from '../../model/result/result.ts';
import { groupsMatching } from '../../model/result/summary.ts';
import type { Trust } from '../../model/result/verdict.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import { type Cell, column, type Column, table, type Table } from '../document/document.ts';
import {
  type KindFigures,
  kindFigures,
  kindsPresent,
  measuredOf,
  type MeasureFigures,
} from '../summary/figures.ts';
import { countText, figureText, shareText } from '../text/number-text.ts';

/** One row for each kind of traffic: what a busy reader asks for first. */

/** How long a user waits for the first sign of an answer, where a kind of traffic has such a sign. */
const firstSigns: readonly MeasureName[] = ['ttft', 'firstAudio'];
const subjectOf = (name: MeasureName) => measures[name];

interface KindRow {
  readonly kind: TrafficKind;
  readonly due: number;
  readonly completed: number;
  readonly limited: number;
  readonly figures: KindFigures;
}

const figuresOf = ({ figures }: KindRow, names: readonly MeasureName[]): MeasureFigures | null => {
  const rows = [...figures.headline, ...figures.otherMeasures];
  return rows.find(({ subject }) => names.some((name) => subjectOf(name) === subject)) ?? null;
};

/** `~`: few samples beyond it; `±`: the load generator may have moved it. */
const percentileCell = (figures: MeasureFigures | null, q: number): Cell => {
  const found = figures?.quantiles.find((each) => each.q === q);
  if (figures === null || found === undefined) return { text: '–', tone: 'quiet' };
  const { value, weak, error } = found;
  const isMoved = error !== null && !error.isSmall;
  const text = `${weak ? '~' : ''}${figureText(value, figures.subject.unit)}${isMoved ? '±' : ''}`;
  return { text, tone: isMoved ? 'warning' : weak ? 'quiet' : 'plain' };
};

const percentileColumns = (
  names: readonly MeasureName[],
  title: string,
): readonly Column<KindRow>[] =>
  [0.5, 0.95, 0.99].map((q) =>
    column.number({ title: q === 0.5 ? `${title} p50` : `p${q * 100}`, spare: q === 0.95 }, (row) =>
      percentileCell(figuresOf(row, names), q),
    ),
  );

const kindColumns: readonly Column<KindRow>[] = [
  column.name('in ms', ({ kind }) => kind),
  column.number('n', ({ due }) => countText(due)),
  column.number('completed', ({ completed, due }) => ({
    text: shareText(completed, due),
    tone: completed === due ? 'plain' : 'warning',
  })),
  column.number('429', ({ limited }) => ({
    text: countText(limited),
    tone: limited === 0 ? 'quiet' : 'warning',
  })),
  ...percentileColumns(firstSigns, 'TTFT'),
  ...percentileColumns(['endToEnd'], 'end to end'),
];

const kindRows = (result: Result, trust: Trust): readonly KindRow[] =>
  kindsPresent(result).map((kind) => {
    const outcomes = sumOutcomes(groupsMatching(result, measuredOf(kind)));
    const { completed, limited } = outcomes;
    const due = countArrivals(outcomes);
    return { kind, due, completed, limited, figures: kindFigures(result, trust, kind) };
  });

/** How often each kind of traffic succeeded, and how fast it was. */
export const kindTable = (result: Result, trust: Trust): Table =>
  table('Each kind of traffic', kindColumns, kindRows(result, trust));

/** What the marks beside percentiles mean, where they occur. */
const percentileMarks = {
  '~': '~ fewer than ten samples beyond it',
  '±': '± the load generator may have moved it',
} as const;

/** Explains the marks in what is shown of the table; `null` where there is none. */
export const marksText = (shown: readonly string[]): string | null => {
  const found = Object.entries(percentileMarks).filter(([mark]) =>
    shown.some((text) => text.includes(mark)),
  );
  return found.length === 0 ? null : found.map(([, meaning]) => meaning).join('; ');
};

/** The texts of all cells, for a medium that shows every column. */
export const cellTexts = ({ groups }: Table): readonly string[] =>
  groups.flatMap(({ rows }) => rows.flatMap(({ cells }) => cells.map(({ text }) => text)));
