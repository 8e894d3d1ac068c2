import type { Exemplar } from '../../../model/result/exemplar.ts';
import type { Result } from '../../../model/result/result.ts';
import { momentText, timeText } from '../../text/number-text.ts';
import { markup, type Markup } from '../../text/markup.ts';

/** What a request spent its time on, one after the other; all of them together are its end to end. */
const phases: readonly {
  readonly title: string;
  readonly from: (exemplar: Exemplar) => number | null;
  readonly to: (exemplar: Exemplar) => number | null;
}[] = [
  { title: 'Waited', from: ({ due }) => due, to: ({ begun }) => begun },
  { title: 'Connecting', from: ({ begun }) => begun, to: ({ connected }) => connected },
  { title: 'Sending', from: ({ connected }) => connected, to: ({ sent }) => sent },
  { title: 'To the head', from: ({ sent }) => sent, to: ({ head }) => head },
  { title: 'To the output', from: ({ head }) => head, to: ({ output }) => output },
  { title: 'The rest', from: lastSeen, to: ({ ended }) => ended },
];

/** The last moment before the end that is known. */
function lastSeen({ output, head, sent, connected, begun }: Exemplar): number {
  return output ?? head ?? sent ?? connected ?? begun;
}

const phaseCell = (exemplar: Exemplar, { from, to }: (typeof phases)[number]): Markup => {
  const [begin, end] = [from(exemplar), to(exemplar)];
  return begin === null || end === null
    ? markup`<td>–</td>`
    : markup`<td>${timeText(Math.max(0, end - begin))}</td>`;
};

const outcomeText = ({ outcome, status, cause }: Exemplar): string =>
  [outcome, status === null ? '' : String(status), cause ?? ''].filter(Boolean).join(' ');

const row = ({ plan }: Result, exemplar: Exemplar): Markup => {
  const { requestId, serverId, traffic, model, key, stage, connection, attempts } = exemplar;
  const tried = attempts > 1 ? `, attempt ${attempts}` : '';
  return markup`<tr>
    <td class="words">
      <code>${requestId}</code>
      <small>${serverId === null ? 'the server gave no id' : markup`server: <code>${serverId}</code>`}</small>
    </td>
    <td class="words">
      <span class="dot ${exemplar.outcome === 'completed' ? traffic : exemplar.outcome}">${
        exemplar.outcome === 'completed' ? traffic : outcomeText(exemplar)
      }</span>
      <small>${[
        exemplar.outcome === 'completed' ? null : traffic,
        model,
        key,
        plan.stages[stage]?.name,
      ]
        .filter((word) => typeof word === 'string')
        .join(' · ')}${tried}</small>
    </td>
    <td>${momentText(exemplar.due)}</td>
    <td><b>${timeText(exemplar.ended - exemplar.due)}</b> <small>${connection ?? 'no'} connection</small></td>
    ${phases.map((phase) => phaseCell(exemplar, phase))}
  </tr>`;
};

const table = (result: Result, title: string, exemplars: readonly Exemplar[]): Markup | null =>
  exemplars.length === 0
    ? null
    : markup`<details>
        <summary>${title}</summary>
        <div class="scroll" role="group" aria-label="${title}" tabindex="0">
          <table class="exemplars">
            <caption>
              Times of the last attempt, after one another; waited is from the due moment
            </caption>
            <thead>
              <tr>
                <th scope="col" class="words">Request</th>
                <th scope="col" class="words">What</th>
                <th scope="col">Due</th>
                <th scope="col">End to end</th>
                ${phases.map((phase) => markup`<th scope="col">${phase.title}</th>`)}
              </tr>
            </thead>
            <tbody>
              ${exemplars.map((exemplar) => row(result, exemplar))}
            </tbody>
          </table>
        </div>
      </details>`;

/** Requests to look up in the server's logs; nothing for results that hold none. */
export const exemplarTables = (result: Result): Markup | null => {
  const { exemplars = [] } = result;
  const [completed, failed] = [true, false].map((wanted) =>
    exemplars.filter(({ outcome }) => (outcome === 'completed') === wanted),
  ) as [Exemplar[], Exemplar[]];
  return exemplars.length === 0
    ? null
    : markup`${table(result, `Single requests: the slowest completed ones of each kind (${completed.length})`, completed)}
      ${table(result, `Single requests: the first and the last of each way to fail (${failed.length})`, failed)}`;
};
