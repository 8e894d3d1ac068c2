import type { Result } from '../../../model/result/result.ts';
import { groupsMatching, outsideWarmUp } from '../../../model/result/summary.ts';
import type { Trust } from '../../../model/result/verdict.ts';
import { type KindFigures, kindFigures, kindsPresent, lagFigures } from '../../summary/figures.ts';
import { wordErrorSentence } from '../../summary/word-error-text.ts';
import { countText, plural, shareText } from '../../text/number-text.ts';
import { tokenSourceMeaning } from '../../summary/outcome-text.ts';
import { rateSentences } from '../../summary/rates.ts';
import { tokenNotes } from '../../summary/token-notes.ts';
import { figuresTableMarkup } from '../elements/figures-table.ts';
import { markup, type Markup } from '../../text/markup.ts';
import { breakdownSection } from './breakdown.ts';
import { tilesMarkup } from './tiles.ts';

const kindNotes = (result: Result, { kind }: KindFigures): string => {
  const groups = groupsMatching(
    result,
    (labels) => outsideWarmUp(labels) && labels.traffic === kind,
  );
  const total = (of: (group: (typeof groups)[number]) => number): number =>
    groups.reduce((sum, group) => sum + of(group), 0);
  const [buffered, coalesced] = [total((g) => g.buffered), total((g) => g.coalescedEvents)];
  const sources = [...new Set(groups.flatMap(({ tokens }) => tokens.map(({ source }) => source)))];
  const wordErrors = wordErrorSentence(result);
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

const requestsCaption = ({ plan }: Result): string =>
  plan.warmUp === 0 ? 'Completed requests' : 'Completed requests that were due after the warm-up';

const kindMarkup = (result: Result, figures: KindFigures): Markup | null =>
  figures.headline.length === 0
    ? null
    : markup`<h3>${figures.kind}</h3>
        ${figuresTableMarkup(requestsCaption(result), figures.headline)}
        ${
          figures.otherMeasures.length === 0
            ? null
            : markup`<details>
                <summary>${plural(figures.otherMeasures.length, 'further measure')}</summary>
                ${figuresTableMarkup('Further measures of the same requests', figures.otherMeasures)}
              </details>`
        }
        <p class="aside">${kindNotes(result, figures)}</p>`;

/** The figures most people came for, each with its sample count and confidence interval. */
export const headlineSection = (result: Result, trust: Trust): Markup => {
  const lag = lagFigures(result);
  return markup`${tilesMarkup(result, trust)}
    ${rateSentences(result).map((sentence) => markup`<p class="aside">${sentence}</p>`)}
    ${kindsPresent(result).map((kind) => kindMarkup(result, kindFigures(result, trust, kind)))}
    ${breakdownSection(result)}
    ${
      lag === null
        ? null
        : markup`<h3>Generator</h3>
            ${figuresTableMarkup('How late the generator itself was', [lag])}`
    }
    <p class="aside">
      Small figures are 95 % confidence intervals from order statistics, … where no sample gives a
      bound. ~ marks a percentile with fewer than ten samples beyond it.
    </p>`;
};
