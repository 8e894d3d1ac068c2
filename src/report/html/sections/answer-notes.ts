import { answerNotes } from '../../../model/observation/outcome.ts';
import { countText, shareText } from '../../text/number-text.ts';
import { type AnswerNoteCount, answerNoteCounts } from '../../summary/answer-notes.ts';
import type { Result } from '../../../model/result/result.ts';
import { markup, type Markup } from '../../text/markup.ts';

const row = ({ kind, note, count, completed }: AnswerNoteCount): Markup =>
  markup`<tr>
    <th scope="row"><span class="dot ${kind}">${kind}</span></th>
    <td class="words"><code>${note}</code></td>
    <td>${countText(count)} <small>${shareText(count, completed)}</small></td>
    <td class="words meaning">${answerNotes[note]}</td>
  </tr>`;

/** What was odd in completed answers; nothing where nothing was. */
export const answerNotesTable = (result: Result): Markup | null => {
  const noteCounts = answerNoteCounts(result);
  return noteCounts.length === 0
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
            ${noteCounts.map(row)}
          </tbody>
        </table>
      </div>`;
};
