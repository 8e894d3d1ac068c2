import type { ObjectiveVerdict } from '../../../model/result/objective-verdict.ts';
import type { Result } from '../../../model/result/result.ts';
import type { TrustLevel } from '../../../model/result/verdict.ts';
import { countText } from '../../text/number-text.ts';
import {
  objectiveIntervalText,
  goodputSentence,
  type ObjectiveOutcome,
  objectiveOutcome,
  objectivesSentence,
  objectiveObservedText,
  objectiveGlyph,
  objectiveReasonText,
} from '../../summary/objective-text.ts';
import { markup, type Markup } from '../../text/markup.ts';

/** The colours of the verdict on the run serve for the objectives too. */
const levelOf = {
  kept: 'valid',
  broken: 'invalid',
  warning: 'degraded',
  undecided: 'degraded',
} as const satisfies Record<ObjectiveOutcome, TrustLevel>;

const row = (verdict: ObjectiveVerdict): Markup => {
  const outcome = objectiveOutcome(verdict);
  return markup`<tr>
    <td>
      <span class="level ${levelOf[outcome]}">
        <span aria-hidden="true">${objectiveGlyph[outcome]}</span> ${outcome}
      </span>
    </td>
    <th scope="row" class="words"><code>${verdict.text}</code></th>
    <td>${objectiveObservedText(verdict)}</td>
    <td>${objectiveIntervalText(verdict) ?? '–'}</td>
    <td>${verdict.n === null ? '–' : countText(verdict.n)}</td>
    <td class="words">${objectiveReasonText(verdict) ?? '–'}</td>
  </tr>`;
};

const table = (verdicts: readonly ObjectiveVerdict[]): Markup =>
  markup`<div class="scroll" role="group" aria-label="Objectives" tabindex="0">
    <table>
      <caption>
        ${objectivesSentence(verdicts)}
      </caption>
      <thead>
        <tr>
          <th scope="col">Verdict</th>
          <th scope="col" class="words">Objective</th>
          <th scope="col">Seen</th>
          <th scope="col">95 % interval</th>
          <th scope="col">n</th>
          <th scope="col" class="words">Remark</th>
        </tr>
      </thead>
      <tbody>
        ${verdicts.map(row)}
      </tbody>
    </table>
  </div>`;

/** What the run was held to; `null` when it was held to nothing. */
export const objectivesSection = (result: Result): Markup | null => {
  const verdicts = result.verdicts ?? [];
  const goodput = goodputSentence(result);
  if (verdicts.length === 0 && goodput === null) return null;
  return markup`${verdicts.length === 0 ? null : table(verdicts)}
    ${goodput === null ? null : markup`<p>${goodput}</p>`}
    ${
      verdicts.length === 0
        ? null
        : markup`<p class="aside">
            Judged by the value seen. The interval tells how sure that value is of this run alone
            (percentiles: order statistics; shares: Wilson); what other runs would show is for a
            comparison of several. Too few samples are no data, and no data is never kept.
          </p>`
    }`;
};
