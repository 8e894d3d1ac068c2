import { quantile } from '../../../model/quantile.ts';
import type { Labels, Result } from '../../../model/result.ts';
import { distribution, groupsWhere, measured } from '../../../model/summary.ts';
import type { MeasureName } from '../../../model/measures.ts';
import type { Trust } from '../../../model/verdict.ts';
import {
  isWithheld,
  type KindFigures,
  kindFigures,
  kindsPresent,
  lagFigures,
  ratesOf,
} from '../../figures.ts';
import {
  countText,
  figureText,
  intervalText,
  momentText,
  plural,
  shareText,
  timeText,
} from '../../number-text.ts';
import { arrivalRows, tokenSourceMeaning } from '../../outcome-words.ts';
import { breakdown } from './breakdown.ts';
import { figuresTable } from '../figures-table.ts';
import { markup, type Markup } from '../markup.ts';

interface Tile {
  readonly label: string;
  readonly value: string;
  readonly unit: string;
  readonly foot: string;
}

const measureTile = (result: Result, trust: Trust, name: MeasureName, label: string): Tile[] => {
  const figure = quantile(
    distribution(result, name, (labels) => measured(labels) && labels.traffic === mainKind(result)),
    0.95,
  );
  if (figure === null || isWithheld(name, trust)) return [];
  const { value, low, high, n, weak } = figure;
  return [
    {
      label,
      value: `${weak ? '~' : ''}${figureText(value)}`,
      unit: 'ms',
      foot: `${intervalText(low, high)}, n ${countText(n)}`,
    },
  ];
};

/** Tiles speak of one kind of traffic: a stream where there is one, otherwise the first. */
const mainKind = (result: Result): Labels['traffic'] | undefined => {
  const kinds = kindsPresent(result);
  return kinds.find((kind) => kind === 'chat-stream') ?? kinds[0];
};

const tiles = (result: Result, trust: Trust): readonly Tile[] => {
  const [due, , completed, limited] = arrivalRows(result);
  if (due === undefined || completed === undefined || limited === undefined) return [];
  const rates = ratesOf(result);
  const first429 = result.failures
    .filter(({ outcome }) => outcome === 'limited')
    .map(({ first }) => first);
  return [
    {
      label: 'Completed',
      value: shareText(completed.all, due.all).replace(' %', ''),
      unit: '%',
      foot: `${countText(completed.all)} of ${plural(due.all, 'arrival')}`,
    },
    ...measureTile(result, trust, 'ttft', 'TTFT p95'),
    ...measureTile(result, trust, 'gap', 'Chunk gap p95'),
    ...measureTile(result, trust, 'endToEnd', 'End to end p95'),
    ...(rates?.tokens ?? []).map(({ source, output }) => ({
      label: 'Output',
      value: figureText(output),
      unit: 'tokens/s',
      foot: tokenSourceMeaning[source],
    })),
    {
      label: 'Rate limited',
      value: countText(limited.all),
      unit: '429s',
      foot: first429.length === 0 ? 'never' : `first at ${momentText(Math.min(...first429))}`,
    },
  ];
};

const tileMarkup = ({ label, value, unit, foot }: Tile): Markup =>
  markup`<div class="tile">
    <dt>${label}</dt>
    <dd><b>${value}</b> <span class="unit">${unit}</span><small>${foot}</small></dd>
  </div>`;

const aside = (result: Result, { kind }: KindFigures): string => {
  const groups = groupsWhere(result, (labels) => measured(labels) && labels.traffic === kind);
  const total = (of: (group: (typeof groups)[number]) => number): number =>
    groups.reduce((sum, group) => sum + of(group), 0);
  const [buffered, coalesced] = [total((g) => g.buffered), total((g) => g.coalescedEvents)];
  const sources = [...new Set(groups.flatMap(({ tokens }) => tokens.map(({ source }) => source)))];
  const opened = total((g) => g.connections.new);
  return [
    ...sources.map((source) => `Tokens ${tokenSourceMeaning[source]}.`),
    ...(buffered === 0
      ? []
      : [
          `${plural(buffered, 'stream')} arrived in one burst; chunk gap and TPOT leave such streams out.`,
        ]),
    ...(coalesced === 0
      ? []
      : [
          `${shareText(
            coalesced,
            total((g) => g.tokenEvents),
          )} of token events shared a read with an earlier one.`,
        ]),
    `Connections: ${countText(opened)} new, ${countText(total((g) => g.connections.reused))} reused.`,
  ].join(' ');
};

const requestsMeant = ({ plan }: Result): string =>
  plan.warmUp === 0 ? 'Completed requests' : 'Completed requests that were due after the warm-up';

const kindMarkup = (result: Result, figures: KindFigures): Markup | null =>
  figures.headline.length === 0
    ? null
    : markup`<h3>${figures.kind}</h3>
        ${figuresTable(requestsMeant(result), figures.headline)}
        ${
          figures.further.length === 0
            ? null
            : markup`<details>
                <summary>${plural(figures.further.length, 'further measure')}</summary>
                ${figuresTable('Further measures of the same requests', figures.further)}
              </details>`
        }
        <p class="aside">${aside(result, figures)}</p>`;

const ratesText = (result: Result): string | null => {
  const rates = ratesOf(result);
  if (rates === null) return null;
  const { offered, sent, completed, seconds, tokens } = rates;
  const input = tokens.flatMap((each) =>
    each.input === null ? [] : [`${figureText(each.input)} input tokens/s (${each.source})`],
  );
  return `Over the ${timeText(seconds * 1000)} measured: ${[`${figureText(offered)}/s offered`, `${figureText(sent)}/s sent`, `${figureText(completed)}/s completed`, ...input].join(', ')}.`;
};

/** The figures most people came for, each with its sample count and confidence interval. */
export const headlineSection = (result: Result, trust: Trust): Markup => {
  const lag = lagFigures(result);
  const rates = ratesText(result);
  return markup`<dl class="tiles">${tiles(result, trust).map(tileMarkup)}</dl>
    ${rates === null ? null : markup`<p class="aside">${rates}</p>`}
    ${kindsPresent(result).map((kind) => kindMarkup(result, kindFigures(result, trust, kind)))}
    ${breakdown(result)}
    ${
      lag === null
        ? null
        : markup`<h3>Generator</h3>
            ${figuresTable('How late the generator itself was', [lag])}`
    }
    <p class="aside">
      Small figures are 95 % confidence intervals from order statistics, … where no sample gives a
      bound. ~ marks a percentile with fewer than ten samples beyond it.
    </p>`;
};
