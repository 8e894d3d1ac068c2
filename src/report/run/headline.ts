import { headlineMeasures, percentileName } from '../../model/measures/headline.ts';
import { type MeasureName, measures } from '../../model/measures/measures.ts';
import type { Result } from '../../model/result/result.ts';
import { figuresOver, groupsMatching, outsideWarmUp } from '../../model/result/summary.ts';
import type { Trust } from '../../model/result/verdict.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import { type Cell, column, type Column, table, type Table } from '../document/document.ts';
import {
  errorWords,
  figureErrorOf,
  kindsPresent,
  measuredOf,
  completedShareText,
  percentileText,
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
import { present, textIf } from '../text/present.ts';
import { runTotalsOf } from './cost.ts';

/** This file builds the first part of a report: a few tiles, and a row for each kind of traffic. */

/** A tile. A tile without a kind of traffic is for all traffic. */
type Tile = readonly [
  label: string,
  value: string,
  unit: string,
  feet: readonly string[],
  kind?: TrafficKind | undefined,
];

/** The headline has at most this many tiles, which fit into one row of a wide page. */
const mostTiles = 6;

/** Tiles show only these measures, because users wait for these times. */
const shownMeasures: readonly MeasureName[] = ['ttft', 'firstAudio', 'endToEnd'];

/** Returns the tiles of streams, followed by the tiles of other kinds of traffic in order of frequency. */
const measureTiles = (result: Result, trust: Trust): readonly Tile[] =>
  kindsPresent(result)
    .toSorted((a, b) => Number(b === 'chat-stream') - Number(a === 'chat-stream'))
    .flatMap((kind, _, kinds) => {
      const names: readonly MeasureName[] = headlineMeasures[kind];
      return names
        .filter((name) => shownMeasures.includes(name))
        .flatMap((name): readonly Tile[] => {
          const figure = figuresOver(result, name, measuredOf(kind)).percentile(0.95);
          if (figure === null) return [];
          const { low, high, n } = figure;
          const { short, unit } = measures[name];
          const error = figureErrorOf(trust, kind, name, 0.95);
          const share = completedShareText(figure);
          const foot = present([
            (low !== null || high !== null) && `95 %: ${intervalText(low, high, unit)}`,
            `n ${countText(n)}`,
            error !== null && !error.isSmall && errorWords(error),
          ]).join(', ');
          const dot = kinds.length === 1 ? undefined : kind;
          // The figure needs no `*` (higher if failures count), since the foot of the tile says what share of the
          // arrivals completed.
          const value = `${figure.weak ? '~' : ''}${figureText(figure.value, unit)}`;
          const feet = present([
            share !== null && `${share.replace('of', 'of the')} that completed`,
            foot,
          ]);
          return [[`${short} p95`, value, unit, feet, dot]];
        });
    });

const outputTile = (result: Result): Tile | null => {
  const output = measuredRates(result)?.outputTokens ?? null;
  return output === null ? null : ['Output', figureText(output), 'tokens/s', [sourcesText(result)]];
};

const costTile = (result: Result): Tile | null => {
  const cost = runTotalsOf(result)?.all.cost;
  if (cost === undefined || cost.known === 0) return null;
  const value = moneyText(Math.round(cost.total));
  const currency = result.plan.pricing?.currency ?? '';
  if (cost.unknown === 0) return ['Cost', value, currency, [`of ${plural(cost.known, 'answer')}`]];
  const foot = `of ${countText(cost.known)} answers; of ${countText(cost.unknown)} unknown`;
  return ['Cost, at least', value, currency, [foot]];
};

const allTiles = (result: Result, trust: Trust): readonly Tile[] => {
  const { due, completed, cancelled, limited } = arrivalCounts(
    groupsMatching(result, outsideWarmUp),
  );
  const first429 = result.failures.flatMap((each) =>
    each.outcome === 'limited' ? each.first : [],
  );
  const when = `first of the run at ${momentText(Math.min(...first429))}`;
  const afterWarmUp = result.plan.warmUp === 0 ? '' : ' after the warm-up';
  const share = shareText(completed, due - cancelled).replace(' %', '');
  const arrivals = `${countText(completed)} of ${plural(due - cancelled, 'arrival')}${afterWarmUp}`;
  const hungUp = cancelled > 0 && `the client hung up on ${countText(cancelled)} more`;
  const others = present<Tile>([
    ['Rate limited', countText(limited), '429s', [first429.length === 0 ? 'never' : when]],
    outputTile(result),
    costTile(result),
  ]);
  const latencies = measureTiles(result, trust).slice(0, mostTiles - 1 - others.length);
  return [['Completed', share, '%', present([arrivals, hungUp])], ...latencies, ...others];
};

export const tilesMarkup = (result: Result, trust: Trust): Markup =>
  markup`<dl class="tiles">${allTiles(result, trust).map(
    ([label, value, unit, feet, kind]) => markup`<div class="tile">
    <dt>${label}</dt>
    <dd><b>${value}</b> <span class="unit">${unit}</span>${kind === undefined ? null : markup`<small class="dot ${kind}">${kind}</small>`}${feet.map((foot) => markup`<small>${foot}</small>`)}</dd>
  </div>`,
  )}</dl>`;

const timeNames = {
  ttft: 'TTFT',
  firstAudio: 'first audio',
  endToEnd: 'end to end',
} as const satisfies Partial<Record<MeasureName, string>>;

/**
 * A row with one measured time of a kind of traffic. The first row of each kind also has the counts of its arrivals.
 */
interface TimeRow {
  readonly name: string;
  readonly kind: TrafficKind;
  readonly measure: MeasureName;
  readonly counts: ReturnType<typeof arrivalCounts> | null;
}

const timeRows = (result: Result): readonly TimeRow[] =>
  kindsPresent(result).flatMap((kind) => {
    const names = (['ttft', 'firstAudio', 'endToEnd'] as const).filter((name) =>
      measures[name].traffic.includes(kind),
    );
    const found = names.filter(
      (name) => figuresOver(result, name, measuredOf(kind)).percentile(0.5) !== null,
    );
    const counts = arrivalCounts(groupsMatching(result, measuredOf(kind)));
    const shown = found.length === 0 ? names.slice(-1) : found;
    return shown.map((measure, i) => ({
      name: `${kind} ${timeNames[measure]}`,
      kind,
      measure,
      counts: i === 0 ? counts : null,
    }));
  });

const percentileCell = (result: Result, trust: Trust, row: TimeRow, q: number): Cell => {
  const { kind, measure } = row;
  const found = figuresOver(result, measure, measuredOf(kind)).percentile(q);
  if (found === null) return { text: '–', tone: 'quiet' };
  const isMoved = figureErrorOf(trust, kind, measure, q)?.isSmall === false;
  const text = `${percentileText(found, measures[measure].unit)}${isMoved ? '±' : ''}`;
  const note = completedShareText(found) ?? undefined;
  return { text, note, tone: isMoved ? 'warning' : found.weak ? 'quiet' : 'plain' };
};

/** Formats the confidence interval of a p95; empty if the run is too short for an interval. */
const rangeText = (result: Result, { kind, measure }: TimeRow): string => {
  const { low = null, high = null } =
    figuresOver(result, measure, measuredOf(kind)).percentile(0.95) ?? {};
  if (low === null && high === null) return '';
  return `[${intervalText(low, high, measures[measure].unit)}]`;
};

/** Builds the table of each kind of traffic: the success rate, the times, and the confidence interval of the p95. */
export const kindTable = (result: Result, trust: Trust): Table => {
  const rows = timeRows(result);
  const hasRanges = rows.some((row) => rangeText(result, row) !== '');
  const countColumn = (
    title: string,
    cell: (counts: NonNullable<TimeRow['counts']>) => Cell | string,
  ): Column<TimeRow> => column.number(title, ({ counts }) => (counts === null ? '' : cell(counts)));
  const percentileColumn = (q: number): Column<TimeRow> =>
    column.number(
      { title: percentileName(q), ...(q === 0.99 ? { spare: 'first' as const } : {}) },
      (row) => percentileCell(result, trust, row, q),
    );
  const columns: readonly Column<TimeRow>[] = [
    column.name('in ms', ({ name }) => name),
    // Requests that the client cancelled could not complete, so n and the share leave them out. A line below the table
    // counts them.
    countColumn('n', ({ cancelled, due }) => countText(due - cancelled)),
    countColumn('completed', ({ completed, cancelled, due }) => ({
      text: shareText(completed, due - cancelled),
      tone: completed === due - cancelled ? 'plain' : 'warning',
    })),
    countColumn('429', ({ limited }) => ({
      text: countText(limited),
      tone: limited === 0 ? 'quiet' : 'warning',
    })),
    percentileColumn(0.5),
    percentileColumn(0.95),
    column.number({ title: '95 % interval', short: '[95 %]', spare: true }, (row) => ({
      text: rangeText(result, row) || (hasRanges ? '–' : ''),
      tone: 'quiet',
    })),
    percentileColumn(0.99),
  ];
  return table('Each kind of traffic', columns, rows);
};

/** The marks and their meanings. A no-break space joins each mark to the first word of its meaning. */
const marks = [
  ['~', '~\u00a0fewer than ten independent samples beyond it'],
  ['±', '±\u00a0the load generator may have moved it'],
  ['*', '*\u00a0higher if failures count'],
] as const;

/**
 * Explains the marks and intervals in the texts `shown`, or in the table `kinds` if `shown` is not given. Returns
 * `null` if there is nothing to explain.
 */
export const marksText = (kinds: Table, shown?: readonly string[]): string | null => {
  const rows = kinds.groups.flatMap((group) => group.rows);
  const cells = rows.flatMap((row) => row.cells.slice(1).map(({ text }) => text));
  const has = (mark: string): boolean => (shown ?? cells).some((text) => text.includes(mark));
  const median = kinds.columns.findIndex(({ title }) => title === 'p50');
  const hasFigures = rows.some((row) => row.cells[median]?.text !== '–');
  const hasRanges = cells.some((text) => text.startsWith('['));
  const isShort = hasFigures && !hasRanges;
  const found = present([
    hasRanges &&
      has('[') &&
      `95 % of runs hold the true p95 within [ ]${textIf(has('…'), ' (… is open)')}`,
    isShort && 'too short for an interval: it needs samples in ten whole seconds',
    ...marks.map(([mark, meaning]) => has(mark) && meaning),
  ]);
  return found.length === 0 ? null : found.join('; ');
};
