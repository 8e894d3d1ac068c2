import { headlineMeasures } from '../../model/measures/headline.ts';
import { type MeasureName, measures } from '../../model/measures/measures.ts';
import type { Result } from '../../model/result/result.ts';
import { figuresOver, groupsMatching, outsideWarmUp } from '../../model/result/summary.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import type { Trust } from '../../model/result/verdict.ts';
import {
  errorText,
  figureErrorOf,
  isWithheld,
  kindsPresent,
  measuredOf,
  type KindFigures,
  kindFigures,
  type MeasureFigures,
} from '../summary/figures.ts';
import { arrivalCounts } from '../summary/outcome-text.ts';
import { measuredRates, sourcesText } from '../summary/rates.ts';
import { markup, type Markup } from '../text/markup.ts';
import {
  countText,
  figureText,
  intervalText,
  momentText,
  moneyText,
  plural,
  shareText,
} from '../text/number-text.ts';
import { present } from '../text/present.ts';
import { runTotalsOf } from './cost.ts';
import { countArrivals, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { type Cell, column, type Column, table, type Table } from '../document/document.ts';

/** One of the few figures that most readers look for; without a kind it is of all traffic. */
type Tile = readonly [
  label: string,
  value: string,
  unit: string,
  foot: string,
  kind?: TrafficKind | undefined,
];

/** As many as fit into one row of a wide page. */
const mostTiles = 6;

/** What a user waits for, of the main kind of traffic: a stream if there is one, otherwise the most frequent kind. */
const shownMeasures: readonly MeasureName[] = ['ttft', 'firstAudio', 'endToEnd'];

/** The measures of the main kind, then those of the others. */
const measureTiles = (result: Result, trust: Trust): readonly Tile[] =>
  kindsPresent(result)
    .toSorted((a, b) => Number(b === 'chat-stream') - Number(a === 'chat-stream'))
    .flatMap((kind, _, kinds) => {
      const names: readonly MeasureName[] = headlineMeasures[kind];
      const shown = names.filter(
        (name) => shownMeasures.includes(name) && !isWithheld(name, trust),
      );
      return shown.flatMap((name): readonly Tile[] => {
        const figure = figuresOver(result, name, measuredOf(kind)).percentile(0.95);
        if (figure === null) return [];
        const { value, low, high, n, weak } = figure;
        const { short, unit } = measures[name];
        const text = `${weak ? '~' : ''}${figureText(value, unit)}`;
        const error = figureErrorOf(trust, kind, name, 0.95);
        const foot = present([
          intervalText(low, high, unit),
          `n ${countText(n)}`,
          error !== null && !error.isSmall && `error ${errorText(error)}`,
        ]).join(', ');
        return [[`${short} p95`, text, unit, foot, kinds.length === 1 ? undefined : kind]];
      });
    });

const outputTile = (result: Result): Tile | null => {
  const output = measuredRates(result)?.outputTokens ?? null;
  return output === null ? null : ['Output', figureText(output), 'tokens/s', sourcesText(result)];
};

const costTile = (result: Result): Tile | null => {
  const cost = runTotalsOf(result)?.all.cost;
  if (cost === undefined || cost.known === 0) return null;
  const value = moneyText(Math.round(cost.total));
  if (cost.unknown === 0) return ['Cost', value, '', `of ${plural(cost.known, 'answer')}`];
  const foot = `of ${countText(cost.known)} answers; of ${countText(cost.unknown)} unknown`;
  return ['Cost, at least', value, '', foot];
};

const allTiles = (result: Result, trust: Trust): readonly Tile[] => {
  const { due, completed, limited } = arrivalCounts(groupsMatching(result, outsideWarmUp));
  const first429 = result.failures
    .filter(({ outcome }) => outcome === 'limited')
    .map(({ first }) => first);
  const when = `first of the run at ${momentText(Math.min(...first429))}`;
  const afterWarmUp = result.plan.warmUp === 0 ? '' : ' after the warm-up';
  const share = shareText(completed, due).replace(' %', '');
  const arrivals = `${countText(completed)} of ${plural(due, 'arrival')}${afterWarmUp}`;
  const others = present<Tile>([
    ['Rate limited', countText(limited), '429s', first429.length === 0 ? 'never' : when],
    outputTile(result),
    costTile(result),
  ]);
  const latencies = measureTiles(result, trust).slice(0, mostTiles - 1 - others.length);
  return [['Completed', share, '%', arrivals], ...latencies, ...others];
};

const tileMarkup = ([label, value, unit, foot, kind]: Tile): Markup =>
  markup`<div class="tile">
    <dt>${label}</dt>
    <dd><b>${value}</b> <span class="unit">${unit}</span>${kind === undefined ? null : markup`<small class="dot ${kind}">${kind}</small>`}<small>${foot}</small></dd>
  </div>`;

export const tilesMarkup = (result: Result, trust: Trust): Markup =>
  markup`<dl class="tiles">${allTiles(result, trust).map(tileMarkup)}</dl>`;

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
