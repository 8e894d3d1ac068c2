import type { Result } from '../../model/result/result.ts';
import {
  runTotalsMeaning,
  runTotalsOf,
  audioRates,
  audioRatesText,
  costSentence,
  costText,
  hasAudio,
  type KindTotals,
} from '../summary/cost-and-audio.ts';
import { countText, figureText, plural } from '../text/number-text.ts';
import { printable } from '../text/printable.ts';
import { paragraph, type TerminalLayout } from './terminal-layout.ts';

const kindTotalsText = (totals: KindTotals): string => {
  const { kind, model, completed, cost, received, sent, characters } = totals;
  const parts = [
    `${costText(cost)} for ${plural(completed, 'answer')}`,
    ...(cost.known > 0 && cost.unknown > 0
      ? [`of ${countText(cost.unknown)} the cost is unknown`]
      : []),
    ...(characters.known === 0 ? [] : [`${countText(characters.total)} characters`]),
    ...(received.known === 0 ? [] : [`${figureText(received.total)} s of audio received`]),
    ...(sent.known === 0 ? [] : [`${figureText(sent.total)} s of audio sent`]),
    ...(sent.unknown === 0 ? [] : [`of ${plural(sent.unknown, 'clip')} the length is unknown`]),
  ];
  return `${kind}${model === null ? '' : ` (${model})`}: ${parts.join(', ')}`;
};

/** What was paid for and what was heard, in all and by kind and model; nothing where nothing was. */
export const costLines = (layout: TerminalLayout, result: Result): readonly string[] => {
  const runTotals = runTotalsOf(result);
  if (runTotals === null) return [];
  const total = paragraph(layout, costSentence(runTotals));
  if (runTotals.all.cost.known === 0 && !hasAudio(runTotals)) return total;
  const rates = audioRates(result);
  return [
    ...total,
    ...runTotals.rows.flatMap((totals) =>
      paragraph(layout, printable(kindTotalsText(totals)), { indent: 4 }),
    ),
    ...(rates === null ? [] : paragraph(layout, audioRatesText(rates))),
    ...paragraph(layout, runTotalsMeaning, { style: 'quiet' }),
  ];
};
