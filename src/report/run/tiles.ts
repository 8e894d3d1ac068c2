import type { Labels } from '../../model/measures/counts.ts';
import { type MeasureName, measures } from '../../model/measures/measures.ts';
import { quantile } from '../../model/measures/quantile.ts';
import type { Result } from '../../model/result/result.ts';
import { distributionOf, outsideWarmUp } from '../../model/result/summary.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { runTotalsOf } from '../summary/cost-and-audio.ts';
import { isWithheld, kindsPresent } from '../summary/figures.ts';
import {
  countText,
  figureText,
  intervalText,
  momentText,
  moneyText,
  plural,
  shareText,
} from '../text/number-text.ts';
import { arrivalRow, arrivalRows } from '../summary/outcome-text.ts';
import { measuredRates, sourcesText } from '../summary/rates.ts';
import { markup, type Markup } from '../text/markup.ts';

/** One of the few figures that most readers look for. */
interface Tile {
  readonly label: string;
  /** The kind of traffic; `null` for all traffic, or if there is only one kind. */
  readonly kind: TrafficKind | null;
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

const measureTile = (result: Result, kind: TrafficKind, name: MeasureName): readonly Tile[] => {
  const where = (labels: Labels): boolean => outsideWarmUp(labels) && labels.traffic === kind;
  const figure = quantile(distributionOf(result, name, where), 0.95);
  if (figure === null) return [];
  const { value, low, high, n, weak } = figure;
  const { short, unit } = measures[name];
  return [
    {
      label: `${short} p95`,
      kind,
      value: `${weak ? '~' : ''}${figureText(value, unit)}`,
      unit,
      foot: `${intervalText(low, high, unit)}, n ${countText(n)}`,
    },
  ];
};

/** The main kind comes first: a stream if there is one, otherwise the most frequent kind. */
const mainFirst = (kinds: readonly TrafficKind[]): readonly TrafficKind[] =>
  kinds.toSorted((a, b) => Number(b === 'chat-stream') - Number(a === 'chat-stream'));

const measureTiles = (result: Result, trust: Trust): readonly Tile[] =>
  mainFirst(kindsPresent(result)).flatMap((kind, i, kinds) => {
    const names: readonly MeasureName[] = tileMeasures[kind];
    return (i === 0 ? names : names.slice(0, 1))
      .filter((name) => !isWithheld(name, trust))
      .flatMap((name) => measureTile(result, kind, name))
      .map((tile) => (kinds.length === 1 ? { ...tile, kind: null } : tile));
  });

const costTile = (result: Result): readonly Tile[] => {
  const totals = runTotalsOf(result);
  if (totals === null || totals.all.cost.known === 0) return [];
  const { known, total, unknown } = totals.all.cost;
  return [
    {
      label: unknown === 0 ? 'Cost' : 'Cost, at least',
      kind: null,
      value: moneyText(Math.round(total)),
      unit: '',
      foot:
        unknown === 0
          ? `of ${plural(known, 'answer')}`
          : `of ${countText(known)} answers; of ${countText(unknown)} unknown`,
    },
  ];
};

const outputTile = (result: Result): readonly Tile[] => {
  const output = measuredRates(result)?.outputTokens ?? null;
  if (output === null) return [];
  return [
    {
      label: 'Output',
      kind: null,
      value: figureText(output),
      unit: 'tokens/s',
      foot: sourcesText(result),
    },
  ];
};

const afterWarmUp = ({ plan }: Result): string => (plan.warmUp === 0 ? '' : ' after the warm-up');

const allTiles = (result: Result, trust: Trust): readonly Tile[] => {
  const rows = arrivalRows(result);
  const due = arrivalRow(rows, 'due').measured;
  const completed = arrivalRow(rows, 'completed').measured;
  const limited = arrivalRow(rows, 'limited').measured;
  const first429 = result.failures
    .filter(({ outcome }) => outcome === 'limited')
    .map(({ first }) => first);
  return [
    {
      label: 'Completed',
      kind: null,
      value: shareText(completed, due).replace(' %', ''),
      unit: '%',
      foot: `${countText(completed)} of ${plural(due, 'arrival')}${afterWarmUp(result)}`,
    },
    ...measureTiles(result, trust),
    ...outputTile(result),
    ...costTile(result),
    {
      label: 'Rate limited',
      kind: null,
      value: countText(limited),
      unit: '429s',
      foot:
        first429.length === 0
          ? 'never'
          : `first of the run at ${momentText(Math.min(...first429))}`,
    },
  ];
};

const tileMarkup = ({ label, kind, value, unit, foot }: Tile): Markup =>
  markup`<div class="tile">
    <dt>${label}</dt>
    <dd><b>${value}</b> <span class="unit">${unit}</span>${kind === null ? null : markup`<small class="dot ${kind}">${kind}</small>`}<small>${foot}</small></dd>
  </div>`;

export const tilesMarkup = (result: Result, trust: Trust): Markup =>
  markup`<dl class="tiles">${allTiles(result, trust).map(tileMarkup)}</dl>`;
