import type { Failure, Result } from '../../../model/result/result.ts';
import { retrySentences } from '../../summary/retry-text.ts';
import { countText, momentText, plural, shareText } from '../../text/number-text.ts';
import {
  type ArrivalRow,
  arrivalMeaning,
  arrivalRow,
  arrivalRows,
  arrivalsByKind,
} from '../../summary/outcome-text.ts';
import { failureText } from '../../summary/failure-text.ts';
import { markup, type Markup } from '../../text/markup.ts';
import { exemplarTables } from './exemplars.ts';
import { answerNotesTable } from './answer-notes.ts';

const rowMarkup = (row: ArrivalRow, due: ArrivalRow, hasWarmUpColumns: boolean): Markup =>
  markup`<tr class="${row.all === 0 ? 'none' : 'some'}">
    <th scope="row"><span class="dot ${row.name}">${row.name}</span></th>
    <td>${countText(row.all)}</td>
    <td>${shareText(row.all, due.all)}</td>
    ${
      hasWarmUpColumns
        ? markup`<td>${countText(row.measured)}</td>
            <td>${shareText(row.measured, due.measured)}</td>`
        : null
    }
    <td class="words meaning">${arrivalMeaning[row.name]}</td>
  </tr>`;

/** What became of every arrival; all of them are the denominator. Without a warm-up there is one pair of columns. */
const arrivalTable = (result: Result): Markup => {
  const rows = arrivalRows(result);
  const due = arrivalRow(rows, 'due');
  const hasWarmUpColumns = due.all !== due.measured;
  const after = markup`<th scope="col">After warm-up</th>
          <th scope="col">share</th>`;
  return markup`<div class="scroll" role="group" aria-label="Arrivals" tabindex="0">
    <table>
      <caption>
        What became of every arrival; shares are of all that were due
      </caption>
      <thead>
        <tr>
          <th scope="col">Outcome</th>
          <th scope="col">Whole run</th>
          <th scope="col">share</th>
          ${hasWarmUpColumns ? after : null}
          <th scope="col" class="words meaning">Meaning</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => rowMarkup(row, due, hasWarmUpColumns))}
      </tbody>
    </table>
  </div>`;
};

const countCell = (count: number): Markup =>
  markup`<td class="${count === 0 ? 'none' : 'some'}">${countText(count)}</td>`;

/** The same counts apart by kind of traffic; `null` where there was one kind. */
const kindTable = (result: Result): Markup | null => {
  const arrivals = arrivalsByKind(result);
  if (arrivals === null) return null;
  const { kinds, rows } = arrivals;
  return markup`<div class="scroll" role="group" aria-label="Arrivals by kind" tabindex="0">
    <table class="kinds">
      <caption>
        The same by kind of traffic, over the whole run
      </caption>
      <thead>
        <tr>
          <th scope="col">Outcome</th>
          <th scope="col">All</th>
          ${kinds.map((kind) => markup`<th scope="col"><span class="dot ${kind}">${kind}</span></th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ name, all, byKind }) =>
            markup`<tr class="${all === 0 ? 'none' : 'some'}">
              <th scope="row"><span class="dot ${name}">${name}</span></th>
              <td><b>${countText(all)}</b></td>
              ${byKind.map(countCell)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
};

const failureRow = (failure: Failure, arrivals: number): Markup => {
  const { outcome, traffic, status, cause, count, first, last, example } = failure;
  const server =
    example.serverId === null ? null : markup`, server’s id <code>${example.serverId}</code>`;
  return markup`<tr>
    <td class="words"><span class="dot ${outcome}">${outcome}</span> <small>${traffic}</small></td>
    <td>${countText(count)} <small>${shareText(count, arrivals)}</small></td>
    <td class="words">
      <b>${status === null ? cause : `${status} ${cause}`}</b>
      <span class="message">${failureText(failure)}</span>
      <details>
        <summary>Example</summary>
        <p>Request <code>${example.requestId}</code>${server}</p>
        <pre tabindex="0">${example.text}</pre>
      </details>
    </td>
    <td>${momentText(first)}</td>
    <td>${momentText(last)}</td>
  </tr>`;
};

const failureTable = (failures: readonly Failure[], arrivals: number): Markup =>
  markup`<div class="scroll" role="group" aria-label="Failures" tabindex="0">
    <table class="failures">
      <caption>
        ${plural(failures.length, 'kind')} of failure, most frequent first; numbers and ids masked where they differ
      </caption>
      <thead>
        <tr>
          <th scope="col" class="words">Outcome</th>
          <th scope="col">Count</th>
          <th scope="col" class="words">What was said</th>
          <th scope="col">First</th>
          <th scope="col">Last</th>
        </tr>
      </thead>
      <tbody>
        ${failures.map((failure) => failureRow(failure, arrivals))}
      </tbody>
    </table>
  </div>`;

const mockCountersMarkup = ({ witness }: Result): Markup | null =>
  witness === null
    ? null
    : markup`<details>
        <summary>The reference gateway’s own counters</summary>
        <dl class="pairs">
          ${Object.entries(witness).map(
            ([name, value]) =>
              markup`<dt>${name}</dt>
                <dd>${countText(value)}</dd>`,
          )}
        </dl>
      </details>`;

export const arrivalsSection = (result: Result): Markup => {
  const arrivals = arrivalRow(arrivalRows(result), 'due').all;
  const failures = result.failures.toSorted((a, b) => b.count - a.count);
  return markup`${arrivalTable(result)} ${kindTable(result)}
  ${retrySentences(result).map((text) => markup`<p>${text}</p>`)} ${mockCountersMarkup(result)}
  ${failures.length === 0 ? markup`<p>No request failed.</p>` : failureTable(failures, arrivals)}
  ${answerNotesTable(result)} ${exemplarTables(result)}`;
};
