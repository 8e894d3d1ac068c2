import type { Result } from '../../../model/result.ts';
import {
  keyBudgets,
  type KeyBudget,
  leftText,
  limitedText,
  limitText,
  remainingText,
} from '../../key-budget.ts';
import { countText } from '../../number-text.ts';
import { chartFigure } from '../chart-figure.ts';
import type { Chart } from '../chart.ts';
import { chartedKeys } from '../key-charts.ts';
import { markup, type Markup } from '../markup.ts';

const row = (budget: KeyBudget): Markup => {
  const blind = leftText(budget);
  return markup`<tr>
    <th scope="row">${budget.key}${blind === null ? null : markup` <small>${blind}</small>`}</th>
    <td>${countText(budget.answered)}</td>
    <td>${limitedText(budget)}</td>
    <td>${limitText(budget.requests)}</td>
    <td>${remainingText(budget.requests)}</td>
    <td>${limitText(budget.tokens)}</td>
    <td>${remainingText(budget.tokens)}</td>
  </tr>`;
};

/** What each key was allowed and told. */
export const keysSection = (result: Result, charts: readonly Chart[]): Markup | null =>
  result.ledger.length === 0
    ? null
    : markup`<div class="scroll" role="region" aria-label="Keys" tabindex="0">
          <table>
            <caption>
              Budget of each key, as its response headers told it
            </caption>
            <thead>
              <tr>
                <th scope="col">Key</th>
                <th scope="col">Answered</th>
                <th scope="col">429s</th>
                <th scope="col">Request limit</th>
                <th scope="col">Lowest left</th>
                <th scope="col">Token limit</th>
                <th scope="col">Lowest left</th>
              </tr>
            </thead>
            <tbody>
              ${keyBudgets(result).map(row)}
            </tbody>
          </table>
        </div>
        ${
          result.ledger.length <= chartedKeys
            ? null
            : markup`<p class="aside">
                Charts of the first ${chartedKeys} of ${result.ledger.length} keys.
              </p>`
        }
        ${charts.map(chartFigure)}`;
