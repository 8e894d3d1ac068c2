import type { ObjectiveVerdict } from '../../../model/objective-verdict.ts';
import type { Result } from '../../../model/result.ts';
import type { TrustLevel } from '../../../model/verdict.ts';
import { countText } from '../../number-text.ts';
import {
  boundsText,
  goodputSentence,
  type ObjectiveOutcome,
  objectiveOutcome,
  objectivesSentence,
  observedText,
  outcomeGlyph,
  reasonText,
} from '../../objective-words.ts';
import { markup, type Markup } from '../markup.ts';

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
        <span aria-hidden="true">${outcomeGlyph[outcome]}</span> ${outcome}
      </span>
    </td>
    <th scope="row" class="words"><code>${verdict.text}</code></th>
    <td>${observedText(verdict)}</td>
    <td>${boundsText(verdict) ?? '–'}</td>
    <td>${verdict.n === null ? '–' : countText(verdict.n)}</td>
    <td class="words">${reasonText(verdict) ?? '–'}</td>
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
