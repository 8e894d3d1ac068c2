import type { Result } from '../../model/result/result.ts';
import {
  type Cell,
  type Column,
  section,
  type Section,
  table,
  text,
} from '../document/document.ts';
import {
  audioRates,
  audioRatesText,
  type CostAndAudioTotals,
  costSentence,
  hasAudio,
  type MeasureSum,
  runTotalsMeaning,
  runTotalsOf,
} from '../summary/cost-and-audio.ts';
import { countText, figureText, moneyText } from '../text/number-text.ts';

interface CostRow extends CostAndAudioTotals {
  readonly name: string;
  readonly kind: string | null;
}

/** A total, and below it what is missing; a dash if it does not apply to the kind. */
const sumCell = ({ known, total, unknown }: MeasureSum, write: (total: number) => string): Cell => {
  if (known + unknown === 0) return { text: '–' };
  if (known === 0) return { text: 'unknown' };
  return {
    text: write(total),
    note: unknown === 0 ? undefined : `+ ${countText(unknown)} unknown`,
  };
};

const secondsText = (seconds: number): string => `${figureText(seconds)} s`;

const columns: readonly Column<CostRow>[] = [
  {
    title: 'Kind and model',
    holds: 'name',
    cell: ({ name, kind }) => (kind === null ? name : { text: name, dot: kind }),
  },
  {
    title: 'Cost',
    holds: 'number',
    cell: ({ cost }) => sumCell(cost, (total) => moneyText(Math.round(total))),
  },
  {
    title: 'Completed',
    short: 'n',
    holds: 'number',
    cell: ({ completed }) => countText(completed),
  },
  {
    title: 'Audio received',
    short: 'received',
    holds: 'number',
    cell: ({ received }) => sumCell(received, secondsText),
  },
  {
    title: 'Audio sent',
    short: 'sent',
    holds: 'number',
    cell: ({ sent }) => sumCell(sent, secondsText),
  },
  {
    title: 'Characters',
    holds: 'number',
    cell: ({ characters }) => sumCell(characters, countText),
  },
];

/** The cost and the audio of a run, by kind and model and in total; `null` without answers that have a price. */
export const costSection = (result: Result): Section | null => {
  const totals = runTotalsOf(result);
  if (totals === null) return null;
  const title = 'Cost and audio';
  const total = text(costSentence(totals));
  if (totals.all.cost.known === 0 && !hasAudio(totals))
    return section(title, [total], { id: 'cost' });
  const rates = audioRates(result);
  const rows: readonly CostRow[] = [
    ...totals.rows.map((row) => ({
      ...row,
      name: row.model === null ? row.kind : `${row.kind} (${row.model})`,
    })),
    { ...totals.all, name: 'All', kind: null },
  ];
  return section(
    title,
    [
      total,
      table('Completed answers by kind and model; costs in currency units', columns, rows, {
        toneOf: ({ kind }) => (kind === null ? 'strong' : 'plain'),
        showsNotes: true,
      }),
      text(rates === null ? '' : audioRatesText(rates)),
      text(runTotalsMeaning, 'quiet'),
    ],
    { id: 'cost' },
  );
};
