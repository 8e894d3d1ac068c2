import { headlineMeasures } from '../../model/measures/headline.ts';
import { type MeasureName, measures } from '../../model/measures/measures.ts';
import type { Result } from '../../model/result/result.ts';
import { figuresOver, groupsMatching, outsideWarmUp } from '../../model/result/summary.ts';
import type { Trust } from '../../model/result/verdict.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import { column, type Column, table, type Table } from '../document/document.ts';
import {
  errorText,
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
import { present } from '../text/present.ts';
import { runTotalsOf } from './cost.ts';

/** This file builds what most readers look for first: a few tiles, and a row for each kind of traffic. */

/** A tile; without a kind it is for all traffic. */
type Tile = readonly [
  label: string,
  value: string,
  unit: string,
  foot: string,
  kind?: TrafficKind | undefined,
];

/** The maximum number of tiles, as many as fit into one row of a wide page. */
const mostTiles = 6;

/** The times of an answer that a user waits for. */
const shownMeasures: readonly MeasureName[] = ['ttft', 'firstAudio', 'endToEnd'];

/** Returns the tiles of streams, then those of other kinds, the most frequent kind first. */
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
          const foot = present([
            intervalText(low, high, unit),
            `n ${countText(n)}`,
            error !== null && !error.isSmall && `error ${errorText(error)}`,
          ]).join(', ');
          const dot = kinds.length === 1 ? undefined : kind;
          const ofUnit = present([unit, completedShareText(figure)]).join(' ');
          return [[`${short} p95`, percentileText(figure, unit), ofUnit, foot, dot]];
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
  const first429 = result.failures.flatMap((each) =>
    each.outcome === 'limited' ? each.first : [],
  );
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

export const tilesMarkup = (result: Result, trust: Trust): Markup =>
  markup`<dl class="tiles">${allTiles(result, trust).map(
    ([label, value, unit, foot, kind]) => markup`<div class="tile">
    <dt>${label}</dt>
    <dd><b>${value}</b> <span class="unit">${unit}</span>${kind === undefined ? null : markup`<small class="dot ${kind}">${kind}</small>`}<small>${foot}</small></dd>
  </div>`,
  )}</dl>`;

type KindRow = ReturnType<typeof arrivalCounts> & { readonly kind: TrafficKind };

/** Builds the table of how often each kind of traffic succeeded, and how fast it was. */
export const kindTable = (result: Result, trust: Trust): Table => {
  const percentileColumns = (title: string, names: readonly MeasureName[]) =>
    [0.5, 0.95, 0.99].map((q): Column<KindRow> => {
      const head = { title: q === 0.5 ? `${title} p50` : `p${q * 100}`, spare: q === 0.95 };
      return column.number(head, ({ kind }) => {
        const name = names.find((each) => measures[each].traffic.includes(kind));
        const found = name && figuresOver(result, name, measuredOf(kind)).percentile(q);
        if (!name || !found) return { text: '–', tone: 'quiet' };
        const isMoved = figureErrorOf(trust, kind, name, q)?.isSmall === false;
        // A line of 80 columns has room for one of these two marks.
        const weak = found.weak && found.ofShare === undefined;
        const text = `${percentileText({ ...found, weak }, measures[name].unit)}${isMoved ? '±' : ''}`;
        const note = completedShareText(found) ?? undefined;
        return { text, note, tone: isMoved ? 'warning' : found.weak ? 'quiet' : 'plain' };
      });
    });
  const columns: readonly Column<KindRow>[] = [
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
    ...percentileColumns('TTFT', ['ttft', 'firstAudio']),
    ...percentileColumns('end to end', ['endToEnd']),
  ];
  const rows = kindsPresent(result).map((kind) => ({
    kind,
    ...arrivalCounts(groupsMatching(result, measuredOf(kind))),
  }));
  return table('Each kind of traffic', columns, rows);
};

/** Explains the marks beside percentiles that occur in these texts; `null` if there are none. */
export const marksText = (shown: readonly string[]): string | null => {
  const marks = [
    '~ fewer than ten independent samples beyond it',
    '± the load generator may have moved it',
    '* infinite if failures count',
  ];
  const found = marks.filter((meaning) => shown.some((text) => text.includes(meaning[0]!)));
  return found.length === 0 ? null : found.join('; ');
};
