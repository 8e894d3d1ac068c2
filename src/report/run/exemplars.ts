import type { Exemplar } from '../../model/result/exemplar.ts';
import type { Result } from '../../model/result/result.ts';
import { type Column, fold, type Block, table } from '../document/document.ts';
import { momentText, timeText } from '../text/number-text.ts';

/** The last known moment before the end. */
const lastKnown = ({ output, head, sent, connected, begun }: Exemplar): number =>
  output ?? head ?? sent ?? connected ?? begun;

/** The phases of a request in sequence; their sum is its end-to-end time. */
const phases: readonly {
  readonly title: string;
  readonly from: (exemplar: Exemplar) => number | null;
  readonly to: (exemplar: Exemplar) => number | null;
}[] = [
  { title: 'Waiting', from: ({ due }) => due, to: ({ begun }) => begun },
  { title: 'Connecting', from: ({ begun }) => begun, to: ({ connected }) => connected },
  { title: 'Sending', from: ({ connected }) => connected, to: ({ sent }) => sent },
  { title: 'To headers', from: ({ sent }) => sent, to: ({ head }) => head },
  { title: 'To output', from: ({ head }) => head, to: ({ output }) => output },
  { title: 'To end', from: lastKnown, to: ({ ended }) => ended },
];

const outcomeText = ({ outcome, status, cause, traffic }: Exemplar): string =>
  outcome === 'completed'
    ? traffic
    : [outcome, status === null ? '' : String(status), cause ?? ''].filter(Boolean).join(' ');

const columnsOf = ({ plan }: Result): readonly Column<Exemplar>[] => [
  {
    title: 'Request',
    holds: 'code',
    cell: ({ requestId, serverId }) => ({
      text: requestId,
      note: serverId === null ? 'no server id' : `server: ${serverId}`,
    }),
  },
  {
    title: 'Outcome',
    holds: 'words',
    cell: (exemplar) => {
      const { outcome, traffic, model, key, stage, attempts } = exemplar;
      const isCompleted = outcome === 'completed';
      const labels = [isCompleted ? null : traffic, model, key, plan.stages[stage]?.name];
      return {
        text: outcomeText(exemplar),
        dot: isCompleted ? traffic : outcome,
        note: `${labels.filter((label) => typeof label === 'string').join(' · ')}${attempts > 1 ? `, attempt ${attempts}` : ''}`,
      };
    },
  },
  { title: 'Due', holds: 'number', cell: ({ due }) => momentText(due) },
  {
    title: 'End to end',
    holds: 'number',
    cell: ({ ended, due, connection }) => ({
      text: timeText(ended - due),
      tone: 'strong',
      note: `${connection ?? 'no'} connection`,
    }),
  },
  ...phases.map(({ title, from, to }): Column<Exemplar> => ({
    title,
    holds: 'number',
    cell: (exemplar) => {
      const [start, end] = [from(exemplar), to(exemplar)];
      return start === null || end === null ? '–' : timeText(Math.max(0, end - start));
    },
  })),
];

/** Requests to look up in the server's logs; empty if the result has none. */
export const exemplarFolds = (result: Result): readonly Block[] => {
  const { exemplars = [] } = result;
  const caption = 'Times of the last attempt, phase by phase; waiting starts at the due moment';
  const foldOf = (title: string, shown: readonly Exemplar[]): Block => ({
    ...fold(`${title} (${shown.length})`, [table(caption, columnsOf(result), shown)]),
    media: ['html'],
  });
  return [
    foldOf(
      'Single requests: the slowest completed ones of each kind',
      exemplars.filter(({ outcome }) => outcome === 'completed'),
    ),
    foldOf(
      'Single requests: the first and the last of each kind of failure',
      exemplars.filter(({ outcome }) => outcome !== 'completed'),
    ),
  ];
};
