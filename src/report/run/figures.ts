import type { Result } from '../../model/result/result.ts';
import { groupsMatching, outsideWarmUp } from '../../model/result/summary.ts';
import type { Trust } from '../../model/result/verdict.ts';
import {
  type Block,
  fold,
  list,
  picture,
  section,
  type Section,
  text,
} from '../document/document.ts';
import { type KindFigures, kindFigures, kindsPresent, lagFigures } from '../summary/figures.ts';
import { tokenSourceMeaning } from '../summary/outcome-text.ts';
import { rateSentences } from '../summary/rates.ts';
import { tokenNotes } from '../summary/token-notes.ts';
import { wordErrorSentence } from '../summary/word-error-text.ts';
import { countText, plural, shareText } from '../text/number-text.ts';
import { breakdownBlocks } from './breakdown-tables.ts';
import { figuresTable } from './figures-table.ts';
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
          `${plural(buffered, 'stream')} arrived in one burst and are left out of chunk gap, stall, TPOT and output speed.`,
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

/** One table with all kinds, for media without room for a section each. */
const combinedTable = (result: Result, kinds: readonly KindFigures[]): readonly Block[] => {
  const lag = lagFigures(result);
  const rows = [
    ...kinds.flatMap(({ kind, headline }) => headline.map((figures) => ({ figures, kind }))),
    ...(lag === null ? [] : [{ figures: lag, kind: 'generator' }]),
  ];
  const kindOf = new Map(rows.map(({ figures, kind }) => [figures, kind]));
  const wordErrors = wordErrorSentence(result);
  const notes = kinds.flatMap(({ kind }) =>
    tokenNotes(result, kind).map((note) => `${kind}: ${note}`),
  );
  return [
    {
      ...figuresTable(
        'Completed requests',
        rows.map(({ figures }) => figures),
        (figures) => kindOf.get(figures) ?? '',
      ),
      media: ['terminal', 'markdown'],
    },
    list([...notes, ...(wordErrors === null ? [] : [wordErrors])], 'plain', [
      'terminal',
      'markdown',
    ]),
  ];
};

/** A section of one kind of traffic, with its further measures. */
const kindSection = (result: Result, figures: KindFigures): Section => {
  const { kind, headline, otherMeasures } = figures;
  const requests =
    result.plan.warmUp === 0 ? 'Completed requests' : 'Completed requests due after the warm-up';
  return section(
    kind,
    headline.length === 0
      ? []
      : [
          figuresTable(requests, headline),
          fold(plural(otherMeasures.length, 'further measure'), [
            figuresTable('Further measures of the same requests', otherMeasures),
          ]),
          text(kindNotes(result, figures), 'quiet'),
        ],
    { media: ['html'] },
  );
};

const legend =
  '[low–high] is the 95 % confidence interval of a percentile, … where no sample bounds it. ~ marks a percentile with fewer than ten samples beyond it.';

/** The most important figures, each with its sample count and confidence interval. */
export const figuresSection = (result: Result, trust: Trust): Section => {
  const lag = lagFigures(result);
  const kinds = kindsPresent(result).map((kind) => kindFigures(result, trust, kind));
  const hasFigures = lag !== null || kinds.some(({ headline }) => headline.length > 0);
  return section('Figures', [
    picture(() => tilesMarkup(result, trust)),
    ...kinds.map((figures) => kindSection(result, figures)),
    ...combinedTable(result, kinds),
    text(hasFigures ? legend : '', 'quiet'),
    ...breakdownBlocks(result),
    section(
      'Load generator',
      lag === null ? [] : [figuresTable('Lag of the load generator', [lag])],
      {
        media: ['html'],
      },
    ),
    section(
      'Rates',
      rateSentences(result).map((sentence) => text(sentence)),
    ),
  ]);
};
