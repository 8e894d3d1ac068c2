import { answerNotes } from '../../../model/observation.ts';
import { countText, shareText } from '../../number-text.ts';
import { type OddAnswers, oddAnswers } from '../../odd-answers.ts';
import type { Result } from '../../../model/result.ts';
import { markup, type Markup } from '../markup.ts';

const row = ({ kind, note, count, completed }: OddAnswers): Markup =>
  markup`<tr>
    <th scope="row"><span class="dot ${kind}">${kind}</span></th>
    <td class="words"><code>${note}</code></td>
    <td>${countText(count)} <small>${shareText(count, completed)}</small></td>
    <td class="words meaning">${answerNotes[note]}</td>
  </tr>`;

/** What was odd in completed answers; nothing where nothing was. */
export const oddTable = (result: Result): Markup | null => {
  const odd = oddAnswers(result);
  return odd.length === 0
    ? null
    : markup`<div class="scroll" role="group" aria-label="Odd answers" tabindex="0">
        <table>
          <caption>
            What was odd in completed answers, and was tolerated; shares are of the kind’s completed
            answers
          </caption>
          <thead>
            <tr>
              <th scope="col">Kind</th>
              <th scope="col" class="words">Oddity</th>
              <th scope="col">Answers</th>
              <th scope="col" class="words meaning">Meaning</th>
            </tr>
          </thead>
          <tbody>
            ${odd.map(row)}
          </tbody>
        </table>
      </div>`;
};
