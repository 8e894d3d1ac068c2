import type { Result } from '../../../model/result/result.ts';
import {
  type CostAndAudioTotals,
  runTotalsMeaning,
  runTotalsOf,
  audioRates,
  audioRatesText,
  costSentence,
  hasAudio,
  type MeasureSum,
} from '../../summary/cost-and-audio.ts';
import { countText, figureText, moneyText } from '../../text/number-text.ts';
import { markup, type Markup } from '../../text/markup.ts';

/** A total above what is missing from it; a dash where the kind has no such thing. */
const sumCell = (
  { known, total, unknown }: MeasureSum,
  text: (total: number) => string,
): Markup => {
  if (known + unknown === 0) return markup`<td>–</td>`;
  if (known === 0) return markup`<td>unknown</td>`;
  const missing =
    unknown === 0 ? null : markup`<small>at least; ${countText(unknown)} unknown</small>`;
  return markup`<td>${text(total)}${missing}</td>`;
};

const cells = ({ completed, cost, received, sent, characters }: CostAndAudioTotals): Markup =>
  markup`${sumCell(cost, (total) => moneyText(Math.round(total)))}
    <td>${countText(completed)}</td>
    ${sumCell(received, (total) => `${figureText(total)} s`)}
    ${sumCell(sent, (total) => `${figureText(total)} s`)}
    ${sumCell(characters, countText)}`;

/** What was paid for and what was heard, by kind and model and in all; `null` where nothing was. */
export const costSection = (result: Result): Markup | null => {
  const totals = runTotalsOf(result);
  if (totals === null) return null;
  const total = markup`<p>${costSentence(totals)}</p>`;
  if (totals.all.cost.known === 0 && !hasAudio(totals)) return total;
  const rates = audioRates(result);
  return markup`${total}
    <div class="scroll" role="group" aria-label="Cost and audio" tabindex="0">
      <table class="sums">
        <caption>
          Completed answers by kind and model; costs in units of the currency
        </caption>
        <thead>
          <tr>
            <th scope="col">Kind and model</th>
            <th scope="col">Cost</th>
            <th scope="col">Completed</th>
            <th scope="col">Audio received</th>
            <th scope="col">Audio sent</th>
            <th scope="col">Characters spoken</th>
          </tr>
        </thead>
        <tbody>
          ${totals.rows.map(
            (kindTotals) =>
              markup`<tr>
                <th scope="row">
                  <span class="dot ${kindTotals.kind}">${kindTotals.kind}</span> <small>${kindTotals.model}</small>
                </th>
                ${cells(kindTotals)}
              </tr>`,
          )}
          <tr class="all">
            <th scope="row">All</th>
            ${cells(totals.all)}
          </tr>
        </tbody>
      </table>
    </div>
    ${rates === null ? null : markup`<p>${audioRatesText(rates)}</p>`}
    <p class="aside">${runTotalsMeaning}</p>`;
};
