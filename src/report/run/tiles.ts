import { type MeasureName, measures } from '../../model/measures/measures.ts';
import { quantile } from '../../model/measures/quantile.ts';
import type { Result } from '../../model/result/result.ts';
import { distributionOf, groupsMatching, outsideWarmUp } from '../../model/result/summary.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { isWithheld, kindsPresent } from '../summary/figures.ts';
import { measuredOf } from '../summary/groups.ts';
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
import { type Optional, present } from '../text/present.ts';
import { runTotalsOf } from './cost.ts';

/** One of the few figures that most readers look for. */
interface Tile {
  readonly label: string;
  /** The kind of traffic; absent for all traffic, or if there is only one kind. */
  readonly kind?: TrafficKind | undefined;
  readonly value: string;
  readonly unit: string;
  readonly foot: string;
}

/** All tiles of a run's main kind of traffic, and the first of every other kind. */
const tileMeasures = {
  chat: ['endToEnd'],
  'chat-stream': ['ttft', 'gap', 'endToEnd'],
  speech: ['firstAudio', 'speechFactor', 'endToEnd'],
  transcription: ['endToEnd', 'transcriptionFactor', 'wordErrorRate'],
  models: ['endToEnd'],
} as const satisfies Record<TrafficKind, readonly MeasureName[]>;

/** The main kind comes first: a stream if there is one, otherwise the most frequent kind. */
const measureTiles = (result: Result, trust: Trust): readonly Tile[] =>
  kindsPresent(result)
    .toSorted((a, b) => Number(b === 'chat-stream') - Number(a === 'chat-stream'))
    .flatMap((kind, i, kinds) => {
      const names: readonly MeasureName[] = tileMeasures[kind];
      const shown = (i === 0 ? names : names.slice(0, 1)).filter(
        (name) => !isWithheld(name, trust),
      );
      return shown.flatMap((name) => {
        const figure = quantile(distributionOf(result, name, measuredOf(kind)), 0.95);
        if (figure === null) return [];
        const { value, low, high, n, weak } = figure;
        const { short, unit } = measures[name];
        return {
          label: `${short} p95`,
          kind: kinds.length === 1 ? undefined : kind,
          value: `${weak ? '~' : ''}${figureText(value, unit)}`,
          unit,
          foot: `${intervalText(low, high, unit)}, n ${countText(n)}`,
        };
      });
    });

const outputTile = (result: Result): Tile | null => {
  const output = measuredRates(result)?.outputTokens ?? null;
  if (output === null) return null;
  const foot = sourcesText(result);
  return { label: 'Output', value: figureText(output), unit: 'tokens/s', foot };
};

const costTile = (result: Result): Tile | null => {
  const cost = runTotalsOf(result)?.all.cost;
  if (cost === undefined || cost.known === 0) return null;
  const { known, total, unknown } = cost;
  const value = moneyText(Math.round(total));
  return unknown === 0
    ? { label: 'Cost', value, unit: '', foot: `of ${plural(known, 'answer')}` }
    : {
        label: 'Cost, at least',
        value,
        unit: '',
        foot: `of ${countText(known)} answers; of ${countText(unknown)} unknown`,
      };
};

const allTiles = (result: Result, trust: Trust): readonly Optional<Tile>[] => {
  const { due, completed, limited } = arrivalCounts(groupsMatching(result, outsideWarmUp));
  const first429 = result.failures
    .filter(({ outcome }) => outcome === 'limited')
    .map(({ first }) => first);
  const when = `first of the run at ${momentText(Math.min(...first429))}`;
  const afterWarmUp = result.plan.warmUp === 0 ? '' : ' after the warm-up';
  return [
    {
      label: 'Completed',
      value: shareText(completed, due).replace(' %', ''),
      unit: '%',
      foot: `${countText(completed)} of ${plural(due, 'arrival')}${afterWarmUp}`,
    },
    ...measureTiles(result, trust),
    outputTile(result),
    costTile(result),
    {
      label: 'Rate limited',
      value: countText(limited),
      unit: '429s',
      foot: first429.length === 0 ? 'never' : when,
    },
  ];
};

const tileMarkup = ({ label, kind, value, unit, foot }: Tile): Markup =>
  markup`<div class="tile">
    <dt>${label}</dt>
    <dd><b>${value}</b> <span class="unit">${unit}</span>${kind === undefined ? null : markup`<small class="dot ${kind}">${kind}</small>`}<small>${foot}</small></dd>
  </div>`;

export const tilesMarkup = (result: Result, trust: Trust): Markup =>
  markup`<dl class="tiles">${present(allTiles(result, trust)).map(tileMarkup)}</dl>`;
