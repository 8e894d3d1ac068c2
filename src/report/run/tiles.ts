import { headlineMeasures } from '../../model/measures/headline.ts';
import { type MeasureName, measures } from '../../model/measures/measures.ts';
import type { Result } from '../../model/result/result.ts';
import { figuresOver, groupsMatching, outsideWarmUp } from '../../model/result/summary.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { errorText } from '../summary/error-text.ts';
import { figureErrorOf, isWithheld, kindsPresent, measuredOf } from '../summary/figures.ts';
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
