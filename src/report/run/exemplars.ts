import type { Exemplar } from '../../model/result/exemplar.ts';
import type { Result } from '../../model/result/result.ts';
import { type Block, column, type Column, fold, only, table } from '../document/document.ts';
import { causeText } from '../summary/cause-text.ts';
import { momentText, timeText } from '../text/number-text.ts';

/** The phases of a request in sequence, each from one moment to the next; their sum is its end-to-end time. */
const phases = [
  ['Waiting', 'due', 'begun'],
  ['Connecting', 'begun', 'connected'],
  ['Sending', 'connected', 'sent'],
  ['To headers', 'sent', 'head'],
  ['To output', 'head', 'output'],
] as const;

const phaseText = (start: number | null, end: number | null): string =>
  start === null || end === null ? '–' : timeText(Math.max(0, end - start));

const outcomeText = ({ outcome, status, cause, traffic }: Exemplar): string =>
  outcome === 'completed' ? traffic : `${outcome} ${causeText({ status, cause })}`;

const columnsOf = ({ plan }: Result): readonly Column<Exemplar>[] => [
  column.code('Request', ({ requestId, serverId }) => ({
    text: requestId,
    note: serverId === null ? 'no server id' : `server: ${serverId}`,
  })),
  column.words('Outcome', (exemplar) => {
    const { outcome, traffic, model, key, stage, attempts } = exemplar;
    const isCompleted = outcome === 'completed';
    const labels = [isCompleted ? null : traffic, model, key, plan.stages[stage]?.name];
    return {
      text: outcomeText(exemplar),
      dot: isCompleted ? traffic : outcome,
      note: `${labels.filter((label) => typeof label === 'string').join(' · ')}${attempts > 1 ? `, attempt ${attempts}` : ''}`,
    };
  }),
  column.number('Due', ({ due }) => momentText(due)),
  column.number('End to end', ({ ended, due, connection }) => ({
    text: timeText(ended - due),
    tone: 'strong',
    note: `${connection ?? 'no'} connection`,
  })),
  ...phases.map(([title, from, to]) =>
    column.number(title, (exemplar: Exemplar) => phaseText(exemplar[from], exemplar[to])),
  ),
  column.number('To end', ({ output, head, sent, connected, begun, ended }) =>
    phaseText(output ?? head ?? sent ?? connected ?? begun, ended),
  ),
];

/** Requests to look up in the server's logs; empty if the result has none. */
export const exemplarFolds = (result: Result): readonly Block[] => {
  const { completed = [], failed = [] } = Object.groupBy(result.exemplars ?? [], ({ outcome }) =>
    outcome === 'completed' ? 'completed' : 'failed',
  );
  const caption = 'Times of the last attempt, phase by phase; waiting starts at the due moment';
  const foldOf = (what: string, shown: readonly Exemplar[]): Block => {
    const title = `Single requests: ${what} (${shown.length})`;
    return only(
      ['html'],
      fold(title, [table(caption, columnsOf(result), shown, { look: 'exemplars' })]),
    );
  };
  return [
    foldOf('the slowest completed ones of each kind', completed),
    foldOf('the first and the last of each kind of failure', failed),
  ];
};
