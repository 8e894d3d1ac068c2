import type { Result } from '../../model/result.ts';
import {
  accountsMeaning,
  accountsOf,
  audioRates,
  audioRatesText,
  costSentence,
  costText,
  hasAudio,
  type KindAccount,
} from '../cost-and-audio.ts';
import { countText, figureText, plural } from '../number-text.ts';
import { printable } from '../printable.ts';
import { paragraph, type Screen } from './screen.ts';

const accountText = (account: KindAccount): string => {
  const { kind, model, completed, cost, received, sent, characters } = account;
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
export const costLines = (screen: Screen, result: Result): readonly string[] => {
  const accounts = accountsOf(result);
  if (accounts === null) return [];
  const total = paragraph(screen, costSentence(accounts));
  if (accounts.all.cost.known === 0 && !hasAudio(accounts)) return total;
  const rates = audioRates(result);
  return [
    ...total,
    ...accounts.rows.flatMap((account) =>
      paragraph(screen, printable(accountText(account)), { indent: 4 }),
    ),
    ...(rates === null ? [] : paragraph(screen, audioRatesText(rates))),
    ...paragraph(screen, accountsMeaning, { style: 'quiet' }),
  ];
};
