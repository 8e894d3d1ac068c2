import type { Failure, Result } from '../../model/result/result.ts';
import { answerNotes, type OutcomeKind } from '../../model/observation/outcome.ts';
import {
  type Column,
  fold,
  list,
  section,
  type Section,
  table,
  type Table,
  text,
  type Tone,
} from '../document/document.ts';
import { type AnswerNoteCount, answerNoteCounts } from '../summary/answer-notes.ts';
import { failureText } from '../summary/failure-text.ts';
import {
  arrivalMeaning,
  type ArrivalRow,
  arrivalRow,
  arrivalRows,
  arrivalsByKind,
  type KindArrivals,
} from '../summary/outcome-text.ts';
import { retrySentences } from '../summary/retry-text.ts';
import { countText, momentText, plural, shareText } from '../text/number-text.ts';
import { exemplarFolds } from './exemplars.ts';

const outcomeTones = {
  due: 'plain',
  sent: 'plain',
  completed: 'good',
  limited: 'warning',
  refused: 'bad',
  malformed: 'bad',
  broken: 'bad',
  dropped: 'bad',
} as const satisfies Record<'due' | 'sent' | OutcomeKind, Tone>;

/** The outcome of every arrival; without a warm-up there is one pair of columns. */
const arrivalTable = (result: Result): Table => {
  const rows = arrivalRows(result);
  const due = arrivalRow(rows, 'due');
  const afterWarmUp: readonly Column<ArrivalRow>[] = [
    { title: 'After warm-up', holds: 'number', cell: ({ measured }) => countText(measured) },
    {
      title: 'Share',
      holds: 'number',
      cell: ({ measured }) => ({ text: shareText(measured, due.measured), tone: 'quiet' }),
    },
  ];
  const columns: readonly Column<ArrivalRow>[] = [
    {
      title: 'Outcome',
      holds: 'name',
      cell: ({ name, all }) => ({
        text: name,
        dot: name,
        tone: all === 0 ? 'quiet' : outcomeTones[name],
      }),
    },
    { title: 'Whole run', holds: 'number', cell: ({ all }) => countText(all) },
    {
      title: 'Share',
      holds: 'number',
      cell: ({ all }) => ({ text: shareText(all, due.all), tone: 'quiet' }),
    },
    ...(due.all === due.measured ? [] : afterWarmUp),
    { title: 'Meaning', holds: 'words', media: ['html'], cell: ({ name }) => arrivalMeaning[name] },
  ];
  return table('The outcome of every arrival; shares are of all arrivals due', columns, rows, {
    toneOf: ({ all }) => (all === 0 ? 'quiet' : 'plain'),
    look: 'outcomes',
  });
};

const kindSection = (result: Result): Section | null => {
  const arrivals = arrivalsByKind(result);
  if (arrivals === null) return null;
  type KindRow = KindArrivals['rows'][number];
  const columns: readonly Column<KindRow>[] = [
    { title: 'Outcome', holds: 'name', cell: ({ name }) => ({ text: name, dot: name }) },
    {
      title: 'All',
      holds: 'number',
      cell: ({ all }) => ({ text: countText(all), tone: 'strong' }),
    },
    ...arrivals.kinds.map((kind, i): Column<KindRow> => ({
      title: kind,
      holds: 'number',
      cell: ({ byKind }) => ({
        text: countText(byKind[i]!),
        tone: byKind[i] === 0 ? 'quiet' : 'plain',
      }),
    })),
  ];
  return section('Outcomes by kind of traffic', [
    table('The outcomes of each kind of traffic in the whole run', columns, arrivals.rows, {
      toneOf: ({ all }) => (all === 0 ? 'quiet' : 'plain'),
    }),
  ]);
};

const failureColumns = (arrivals: number): readonly Column<Failure>[] => [
  {
    title: 'Outcome',
    holds: 'text',
    cell: ({ outcome, traffic }) => ({
      text: `${outcome} ${traffic}`,
      dot: outcome,
      tone: outcomeTones[outcome],
    }),
  },
  { title: 'Count', holds: 'number', cell: ({ count }) => countText(count) },
  {
    title: 'Share',
    holds: 'number',
    cell: ({ count }) => ({ text: shareText(count, arrivals), tone: 'quiet' }),
  },
  {
    title: 'Cause',
    holds: 'text',
    cell: ({ status, cause }) => ({
      text: status === null ? cause : `${status} ${cause}`,
      tone: 'strong',
    }),
  },
  {
    title: 'Message',
    holds: 'words',
    media: ['html'],
    cell: (failure) => {
      const { requestId, serverId, text: answer } = failure.example;
      const server = serverId === null ? '' : `, server id ${serverId}`;
      return {
        text: failureText(failure),
        details: { title: 'Example', lines: [`Request ${requestId}${server}`, answer] },
      };
    },
  },
  {
    title: 'Message and example',
    holds: 'words',
    media: ['terminal', 'markdown'],
    cell: (failure) => {
      const { requestId, serverId } = failure.example;
      const server = serverId === null ? '' : `, server id ${serverId}`;
      return `${failureText(failure)} (for example ${requestId}${server})`;
    },
  },
  { title: 'First', holds: 'number', cell: ({ first }) => momentText(first) },
  { title: 'Last', holds: 'number', cell: ({ last }) => momentText(last) },
];

const answerNoteColumns: readonly Column<AnswerNoteCount>[] = [
  { title: 'Kind', holds: 'name', cell: ({ kind }) => ({ text: kind, dot: kind }) },
  { title: 'Deviation', holds: 'code', cell: ({ note }) => note },
  { title: 'Answers', holds: 'number', cell: ({ count }) => countText(count) },
  { title: 'Share', holds: 'number', cell: ({ count, completed }) => shareText(count, completed) },
  { title: 'Meaning', holds: 'words', cell: ({ note }) => answerNotes[note] },
];

/** The outcome of every arrival, the failures and the deviations in completed answers. */
export const outcomesSection = (result: Result): Section => {
  const due = arrivalRow(arrivalRows(result), 'due').all;
  const failures = result.failures.toSorted((a, b) => b.count - a.count);
  const notes = answerNoteCounts(result);
  const counters = Object.entries(result.witness ?? {});
  return section('Outcomes', [
    arrivalTable(result),
    kindSection(result),
    section('Retries and pace', [list(retrySentences(result))]),
    {
      ...fold('Counters of the reference gateway', [
        {
          kind: 'facts',
          rows: counters.map(([name, value]) => [name, countText(value)]),
        },
      ]),
      media: ['html'],
    },
    text(failures.length === 0 ? 'No request failed.' : ''),
    section('Failures', [
      table(
        `${plural(failures.length, 'kind')} of failure, most frequent first; varying numbers and ids are masked`,
        failureColumns(due),
        failures,
        { look: 'failures' },
      ),
    ]),
    section('Tolerated deviations', [
      table(
        'Tolerated deviations in completed answers; shares are of the kind’s completed answers',
        answerNoteColumns,
        notes,
      ),
    ]),
    ...exemplarFolds(result),
  ]);
};
