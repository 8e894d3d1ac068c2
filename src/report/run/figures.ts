import type { Group } from '../../model/measures/counts.ts';
import type { Result } from '../../model/result/result.ts';
import { groupsMatching } from '../../model/result/summary.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { type Block, fold, list, only, section, type Section, text } from '../document/document.ts';
import {
  type KindFigures,
  kindFigures,
  kindsPresent,
  lagFigures,
  measuredOf,
  sumOf,
} from '../summary/figures.ts';
import { markedErrorText } from '../summary/error-text.ts';
import { tokenSourceMeaning } from '../summary/outcome-text.ts';
import { rateSentences } from '../summary/rates.ts';
import { tokenNotes, wordErrorSentence } from '../summary/token-notes.ts';
import { countText, plural, shareText } from '../text/number-text.ts';
import { present } from '../text/present.ts';
import { breakdownBlocks } from './breakdown-tables.ts';
import { figuresTable } from './figures-table.ts';

const connectionsSentence = (total: (of: (group: Group) => number) => number): string => {
  const [opened, reused] = [total((g) => g.connections.new), total((g) => g.connections.reused)];
  const ahead = total((g) => g.connections.ahead ?? 0);
  const early =
    ahead > 0 && `${countText(ahead)} opened ahead of their requests, which did not wait for them`;
  const reconnected = total((g) => g.reconnected ?? 0);
  const again =
    reconnected > 0 &&
    ` Reconnected: ${plural(reconnected, 'request')} met a connection that the server had closed and went once more on a new one, which is part of the latency.`;
  return `Connections: ${present([`${countText(opened)} new`, early, `${countText(reused)} reused`]).join(', ')}.${again || ''}`;
};

const kindNotes = (result: Result, { kind }: KindFigures): string => {
  const groups = groupsMatching(result, measuredOf(kind));
  const total = (of: (group: Group) => number): number => sumOf(groups, of);
  const [buffered, coalesced] = [total((g) => g.buffered), total((g) => g.coalescedEvents)];
  const sources = new Set(groups.flatMap(({ tokens }) => tokens.map(({ source }) => source)));
  return present([
    sources.size === 1 && sources.has('usage') && `Tokens ${tokenSourceMeaning.usage}.`,
    ...tokenNotes(result, kind),
    buffered > 0 &&
      `${plural(buffered, 'stream')} arrived in one burst and are left out of chunk gap, stall, TPOT and output speed.`,
    coalesced > 0 &&
      `${shareText(
        coalesced,
        total((g) => g.tokenEvents),
      )} of token events shared a read with an earlier one.`,
    kind === 'transcription' && wordErrorSentence(result),
    connectionsSentence(total),
  ]).join(' ');
};

/** One table with all kinds, for media without room for a section each. */
const combinedTable = (result: Result, kinds: readonly KindFigures[]): readonly Block[] => {
  const lag = lagFigures(result);
  const groups = [
    ...kinds.map(({ kind, headline }) => ({ kind, rows: headline })),
    { kind: 'generator', rows: present([lag]) },
  ];
  const notes = kinds.flatMap(({ kind }) =>
    tokenNotes(result, kind).map((note) => `${kind}: ${note}`),
  );
  return [
    figuresTable(
      'Completed requests',
      groups.flatMap(({ rows }) => rows),
      (figures) => groups.find(({ rows }) => rows.includes(figures))?.kind ?? '',
    ),
    list([...notes, wordErrorSentence(result)]),
  ].map((block) => only(['terminal', 'markdown'], block));
};

const kindSection = (result: Result, figures: KindFigures): Section => {
  const { kind, headline, otherMeasures } = figures;
  const requests =
    result.plan.warmUp === 0 ? 'Completed requests' : 'Completed requests due after the warm-up';
  const further = figuresTable('Further measures of the same requests', otherMeasures);
  const blocks = [
    figuresTable(requests, headline),
    fold(plural(otherMeasures.length, 'further measure'), [further]),
    text(kindNotes(result, figures), 'quiet'),
  ];
  return only(['html'], section(kind, headline.length === 0 ? [] : blocks));
};

const legend = (kinds: readonly KindFigures[]): string => {
  const shown = kinds.flatMap(({ headline, otherMeasures }) => [...headline, ...otherMeasures]);
  const hasErrors = shown.some(({ quantiles }) =>
    quantiles.some(({ error }) => markedErrorText(error) !== undefined),
  );
  return present([
    '[low–high] is the 95 % confidence interval of a percentile, … where no sample bounds it.',
    hasErrors &&
      '−, + or ± is its measurement error: by how much the load generator can have made it too high, too low, or either.',
    '~ marks a percentile with fewer than ten samples beyond it.',
  ]).join(' ');
};

/** How fast each kind of traffic was: percentiles with their sample counts, intervals and errors. */
export const speedSection = (result: Result, trust: Trust, charts: readonly Block[]): Section => {
  const lag = lagFigures(result);
  const kinds = kindsPresent(result).map((kind) => kindFigures(result, trust, kind));
  const hasFigures = lag !== null || kinds.some(({ headline }) => headline.length > 0);
  const meaning = hasFigures ? [text(legend(kinds), 'quiet')] : [];
  return section(
    'How fast?',
    [
      ...combinedTable(result, kinds),
      ...meaning.map((block) => only(['terminal', 'markdown'], block)),
      ...charts,
      only(
        ['html'],
        fold('All figures, with intervals and errors', [
          ...kinds.map((figures) => kindSection(result, figures)),
          ...meaning,
        ]),
      ),
      ...breakdownBlocks(result),
    ],
    'speed',
  );
};

/** How much was sent and answered. */
export const rateSection = (result: Result, charts: readonly Block[]): Section =>
  section(
    'How much?',
    [...rateSentences(result).map((sentence) => text(sentence)), ...charts],
    'rates',
  );

/** The lag of the load generator; `null` where nothing was sent. */
export const lagTable = (result: Result): Block | null => {
  const lag = lagFigures(result);
  return lag === null ? null : only(['html'], figuresTable('Lag of the load generator', [lag]));
};
