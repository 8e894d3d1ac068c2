import type { Result } from '../../../model/result.ts';
import { groupsWhere, measured } from '../../../model/summary.ts';
import type { Trust } from '../../../model/verdict.ts';
import { type KindFigures, kindFigures, kindsPresent, lagFigures } from '../../figures.ts';
import { meanWordErrors } from '../../mean-word-errors.ts';
import { countText, plural, shareText } from '../../number-text.ts';
import { tokenSourceMeaning } from '../../outcome-words.ts';
import { rateSentences } from '../../rates.ts';
import { tokenNotes } from '../../token-notes.ts';
import { figuresTable } from '../figures-table.ts';
import { markup, type Markup } from '../markup.ts';
import { breakdown } from './breakdown.ts';
import { tiles } from './tiles.ts';

const aside = (result: Result, { kind }: KindFigures): string => {
  const groups = groupsWhere(result, (labels) => measured(labels) && labels.traffic === kind);
  const total = (of: (group: (typeof groups)[number]) => number): number =>
    groups.reduce((sum, group) => sum + of(group), 0);
  const [buffered, coalesced] = [total((g) => g.buffered), total((g) => g.coalescedEvents)];
  const sources = [...new Set(groups.flatMap(({ tokens }) => tokens.map(({ source }) => source)))];
  const wordErrors = meanWordErrors(result);
  const opened = total((g) => g.connections.new);
  return [
    ...(sources.join() === 'usage' ? [`Tokens ${tokenSourceMeaning.usage}.`] : []),
    ...tokenNotes(result, kind),
    ...(buffered === 0
      ? []
      : [
          `${plural(buffered, 'stream')} arrived in one burst; chunk gap, stall, TPOT and output speed leave such streams out.`,
        ]),
    ...(coalesced === 0
      ? []
      : [
          `${shareText(
            coalesced,
            total((g) => g.tokenEvents),
          )} of token events shared a read with an earlier one.`,
        ]),
    ...(kind === 'transcription' && wordErrors !== null ? [wordErrors] : []),
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

/** The figures most people came for, each with its sample count and confidence interval. */
export const headlineSection = (result: Result, trust: Trust): Markup => {
  const lag = lagFigures(result);
  return markup`${tiles(result, trust)}
    ${rateSentences(result).map((sentence) => markup`<p class="aside">${sentence}</p>`)}
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
