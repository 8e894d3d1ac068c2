import {
  type LimitFinding,
  isViolation,
  type LimitCheck,
} from '../../../model/limits/limit-log.ts';
import type { Result } from '../../../model/result/result.ts';
import type { KeyLimits } from '../../../model/limits/run-limits.ts';
import {
  keyUsages,
  type KeyUsage,
  unrecordedText,
  limitedText,
  limitText,
  remainingText,
} from '../../summary/key-usage.ts';
import { countText } from '../../text/number-text.ts';
import {
  keyClaimsToShow,
  keyLimitSentences,
  runLimitsVerdict,
} from '../../summary/run-limits-text.ts';
import { chartFigure } from '../charts/chart-figure.ts';
import type { Chart } from '../charts/chart.ts';
import { maxChartedKeys } from '../charts/key-charts.ts';
import { markup, type Markup } from '../../text/markup.ts';

const row = (usage: KeyUsage): Markup => {
  const unrecorded = unrecordedText(usage);
  return markup`<tr>
    <th scope="row">${usage.key}${unrecorded === null ? null : markup` <small>${unrecorded}</small>`}</th>
    <td>${countText(usage.answered)}</td>
    <td>${limitedText(usage)}</td>
    <td>${limitText(usage.requests)}</td>
    <td>${remainingText(usage.requests)}</td>
    <td>${limitText(usage.tokens)}</td>
    <td>${remainingText(usage.tokens)}</td>
  </tr>`;
};

const findingSign = { proved: '✓', refuted: '!', undecided: '?' } as const satisfies Record<
  LimitFinding,
  string
>;

const checkRow = (check: LimitCheck, isJudged: boolean): Markup => markup`<tr>
    <td class="word">${isJudged && isViolation(check) ? '✗ violated' : findingSign[check.finding]}</td>
    <th scope="row">${check.claim}</th>
    <td class="word">${check.observed}${check.evidence.map((line) => markup`<br><small>${line}</small>`)}</td>
    <td>${check.section === null ? '–' : `§ ${check.section}`}</td>
  </tr>`;

const keyLimitsMarkup = (key: KeyLimits, isJudged: boolean): Markup => markup`<h3>${key.key}</h3>
  ${keyLimitSentences(key).map((sentence) => markup`<p>${sentence}</p>`)}
  <details${keyClaimsToShow(key).some(({ finding }) => finding === 'refuted') ? markup` open` : null}>
    <summary>What the run proves of this key’s limits</summary>
    <div class="scroll" role="group" aria-label="Claims about ${key.key}" tabindex="0">
      <table>
        <thead>
          <tr>
            <th scope="col">Finding</th>
            <th scope="col">Claim</th>
            <th scope="col">Seen</th>
            <th scope="col">Interface</th>
          </tr>
        </thead>
        <tbody>
          ${key.checks.map((check) => checkRow(check, isJudged))}
        </tbody>
      </table>
    </div>
  </details>`;

const limitsMarkup = (result: Result): Markup | null => {
  const { limits } = result;
  if (limits === undefined) return null;
  const verdict = runLimitsVerdict(result);
  return markup`${verdict === null ? null : markup`<p><strong>${verdict.text}.</strong></p>`}
    ${limits.keys.slice(0, maxChartedKeys).map((key) => keyLimitsMarkup(key, limits.judged))}
    <p class="aside">
      Of a decision only that it fell between sending and the first byte of the answer is known. “Proved” and “refuted” hold for every way
      in which the decisions can have fallen; ✓ holds, ! does not and violates no limit, ? cannot be told from this run.
    </p>`;
};

/** What each key was allowed and told, and what is proved of it. */
export const keysSection = (result: Result, charts: readonly Chart[]): Markup | null =>
  result.ledger.length === 0
    ? null
    : markup`<div class="scroll" role="group" aria-label="Keys" tabindex="0">
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
              ${keyUsages(result).map(row)}
            </tbody>
          </table>
        </div>
        ${
          result.ledger.length <= maxChartedKeys
            ? null
            : markup`<p class="aside">
                Charts of the first ${maxChartedKeys} of ${result.ledger.length} keys.
              </p>`
        }
        ${charts.map(chartFigure)} ${limitsMarkup(result)}`;
