import type { Exemplar } from '../../model/result/exemplar.ts';
import type { Result, Failure } from '../../model/result/result.ts';
import {
  type Block,
  column,
  type Column,
  fold,
  only,
  table,
  facts,
  list,
  section,
  type Section,
  type Table,
  text,
  type Tone,
} from '../document/document.ts';
import {
  causeText,
  failureMessage,
  arrivalMeaning,
  type ArrivalName,
  arrivalRows,
  arrivalsByKind,
} from '../summary/outcome-text.ts';
import {
  momentText,
  timeText,
  countText,
  figureText,
  listed,
  plural,
  shareText,
} from '../text/number-text.ts';
import { type MeasureName, measures } from '../../model/measures/measures.ts';
import { countArrivals, sumFinishes, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { gaveUpNames, gaveUpReasons } from '../../model/observation/attempt.ts';
import { answerNoteNames, answerNotes } from '../../model/observation/outcome.ts';
import { figuresOver, groupsMatching, outsideWarmUp } from '../../model/result/summary.ts';
import { kindsPresent } from '../summary/figures.ts';
import { present } from '../text/present.ts';
import { hangUpSection } from './hang-ups.ts';
import { sumOf } from '../../model/sums.ts';

/** The successive phases of a request. They add up to its end-to-end time. */
const phases = [
  ['Waiting', 'due', 'begun'],
  ['Connecting', 'begun', 'connected'],
  ['Sending', 'connected', 'sent'],
  ['To headers', 'sent', 'head'],
  ['To output', 'head', 'output'],
] as const;

const phaseText = (start: number | null, end: number | null): string =>
  start === null || end === null ? '–' : timeText(Math.max(0, end - start));

const exemplarColumns = ({ plan }: Result): readonly Column<Exemplar>[] => [
  column.code('Request', ({ requestId, serverId }) => ({
    text: requestId,
    note: serverId === null ? 'no server id' : `server: ${serverId}`,
  })),
  column.words('Outcome', (exemplar) => {
    const { outcome, traffic, model, key, stage, attempts } = exemplar;
    const isCompleted = outcome === 'completed';
    const labels = [isCompleted ? null : traffic, model, key, plan.stages[stage]?.name];
    return {
      text: isCompleted ? traffic : `${outcome} ${causeText(exemplar)}`,
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

/** Builds the lists of example requests, which a reader can look up in the server's logs. */
export const exemplarFolds = (result: Result): readonly Block[] => {
  const {
    completed = [],
    failed = [],
    cancelled = [],
  } = Object.groupBy(result.exemplars ?? [], ({ outcome }) =>
    outcome === 'completed' || outcome === 'cancelled' ? outcome : 'failed',
  );
  const caption = 'Times of the last attempt, phase by phase; waiting starts at the due moment';
  const columns = exemplarColumns(result);
  const foldOf = (what: string, shown: readonly Exemplar[]): Block =>
    fold(`Single requests: ${what} (${shown.length})`, [
      table(caption, columns, shown, { look: 'exemplars' }),
    ]);
  return [
    foldOf('the slowest completed ones of each kind', completed),
    foldOf('the first and the last of each kind of failure', failed),
    ...(cancelled.length === 0
      ? []
      : [foldOf('the first and the last that were cancelled', cancelled)]),
  ].map((block) => only(['html'], block));
};

const everyGroup = (): boolean => true;

/** Formats the median and the p99 of the waits of completed requests; `null` if no request waited. */
const waitText = (result: Result, measure: MeasureName): string | null => {
  const waits = figuresOver(result, measure, everyGroup);
  const [p50, p99] = [waits.percentile(0.5), waits.percentile(0.99)];
  if (p50 === null || p99 === null) return null;
  return `${measures[measure].label}, over ${plural(waits.count, 'completed request')}: p50 ${figureText(p50.value)} ms, p99 ${figureText(p99.value)} ms, maximum ${figureText(waits.max ?? 0)} ms.`;
};

const gaveUpText = ({ groups }: Result): string | null => {
  const counts = gaveUpNames
    .map((name) => ({ name, count: sumOf(groups, ({ gaveUp }) => gaveUp[name] ?? 0) }))
    .filter(({ count }) => count > 0)
    .map(({ name, count }) => `${countText(count)} because ${gaveUpReasons[name]}`);
  return counts.length === 0 ? null : `Given up: ${counts.join(', ')}.`;
};

const retryText = (result: Result): string => {
  const arrivals = countArrivals(sumOutcomes(result.groups));
  const attempts = sumOf(result.groups, (group) => group.attempts);
  const retried = sumOf(result.groups, (group) => group.retried);
  const succeededRetries = figuresOver(result, 'retryWait', everyGroup).count;
  return `${plural(attempts, 'attempt')} for ${plural(arrivals, 'arrival')}; ${countText(retried)} of them (${shareText(retried, arrivals)}) were retried, ${countText(succeededRetries)} successfully.`;
};

const reconnectText = ({ groups }: Result): string | null => {
  const reconnected = sumOf(groups, (group) => group.reconnected ?? 0);
  return reconnected === 0
    ? null
    : `Reconnected: ${plural(reconnected, 'request')} met a kept connection that the server had closed before it can have read them, and went once more on a new one. The time is part of their latency.`;
};

/** Returns sentences on reconnects, retries and the pace in the whole run, which the counts of outcomes do not show. */
export const retrySentences = (result: Result): readonly string[] => {
  const { retry, pace } = result.plan;
  return present([
    reconnectText(result),
    retry !== null && retryText(result),
    retry !== null && gaveUpText(result),
    retry !== null && waitText(result, 'retryWait'),
    pace !== null && waitText(result, 'paceWait'),
  ]);
};

const outcomeTones = {
  due: 'plain',
  sent: 'plain',
  completed: 'good',
  cancelled: 'plain',
  limited: 'warning',
  refused: 'bad',
  malformed: 'bad',
  broken: 'bad',
  dropped: 'bad',
} as const satisfies Record<ArrivalName, Tone>;

type ArrivalRow = Pick<ReturnType<typeof arrivalRows>[number], 'name' | 'all'>;

const quietIfNone = ({ all }: ArrivalRow): Tone => (all === 0 ? 'quiet' : 'plain');

/** Returns whether an outcome has a row: due, sent and completed always have one, all others only if they occurred. */
const isShownOutcome = ({ name, all }: ArrivalRow): boolean =>
  all > 0 || ['due', 'sent', 'completed'].includes(name);

/** Returns a sentence that names the outcomes that did not occur; `null` if all outcomes occurred. */
const absentOutcomes = (rows: readonly ArrivalRow[]): string | null => {
  const absent = rows
    .filter((row) => !isShownOutcome(row) && row.name !== 'cancelled')
    .map(({ name }) => name);
  return absent.length === 0 ? null : `None ${listed(absent).replace(' and ', ' or ')}.`;
};

/** Builds the table of the outcomes of all arrivals. A run without a warm-up has only one pair of columns. */
const arrivalTable = (rows: ReturnType<typeof arrivalRows>): Table => {
  const due = rows[0]!;
  const columnsOf = (title: string, counts: 'all' | 'measured'): readonly Column<typeof due>[] => [
    column.number(title, (row) => countText(row[counts])),
    column.number('Share', (row) => ({ text: shareText(row[counts], due[counts]), tone: 'quiet' })),
  ];
  const columns: readonly Column<typeof due>[] = [
    column.name('Outcome', ({ name, all }) => ({
      text: name,
      dot: name,
      tone: all === 0 ? 'quiet' : outcomeTones[name],
    })),
    ...columnsOf('Whole run', 'all'),
    ...(due.all === due.measured ? [] : columnsOf('After warm-up', 'measured')),
    column.words({ title: 'Meaning', media: ['html'] }, ({ name }) => arrivalMeaning[name]),
  ];
  const shown = rows.filter(isShownOutcome);
  return table('The outcome of every arrival; shares are of all arrivals due', columns, shown, {
    toneOf: quietIfNone,
    look: 'outcomes',
  });
};

const kindSection = (result: Result): Section | null => {
  const arrivals = arrivalsByKind(result);
  if (arrivals === null) return null;
  type Row = (typeof arrivals.rows)[number];
  const columns: readonly Column<Row>[] = [
    column.name('Outcome', ({ name }) => ({ text: name, dot: name })),
    column.number('All', ({ all }) => ({ text: countText(all), tone: 'strong' })),
    ...arrivals.kinds.map((kind, i) =>
      column.number(kind, ({ byKind }: Row) => {
        const all = byKind[i]!;
        return { text: countText(all), tone: quietIfNone({ name: 'due', all }) };
      }),
    ),
  ];
  const caption = 'The outcomes of each kind of traffic in the whole run';
  const shown = arrivals.rows.filter(isShownOutcome);
  return section('Outcomes by kind of traffic', [
    table(caption, columns, shown, { toneOf: quietIfNone }),
  ]);
};

const exampleText = ({ example: { requestId, serverId } }: Failure): string =>
  serverId === null ? requestId : `${requestId}, server id ${serverId}`;

const failureColumns = (arrivals: number): readonly Column<Failure>[] => [
  column.text('Outcome', ({ outcome, traffic }) => ({
    text: `${outcome} ${traffic}`,
    dot: outcome,
    tone: outcomeTones[outcome],
  })),
  column.number('Count', ({ count }) => countText(count)),
  column.number('Share', ({ count }) => ({ text: shareText(count, arrivals), tone: 'quiet' })),
  column.text('Cause', (failure) => ({
    text: causeText(failure),
    tone: 'strong',
  })),
  column.words({ title: 'Message', media: ['html'] }, (failure) => ({
    text: failureMessage(failure),
    details: { title: 'Example', lines: [`Request ${exampleText(failure)}`, failure.example.text] },
  })),
  column.words(
    { title: 'Message and example', media: ['terminal', 'markdown'] },
    (failure) => `${failureMessage(failure)} (for example ${exampleText(failure)})`,
  ),
  column.number('First', ({ first }) => momentText(first)),
  column.number('Last', ({ last }) => momentText(last)),
];

/** Counts the tolerated deviations in the completed answers of each kind, in order of frequency. */
export const answerNoteCounts = (result: Result) =>
  kindsPresent(result).flatMap((kind) => {
    const groups = groupsMatching(result, ({ traffic }) => traffic === kind);
    const { completed } = sumOutcomes(groups);
    return answerNoteNames
      .map((note) => ({ kind, note, count: sumOf(groups, (g) => g.notes[note] ?? 0), completed }))
      .filter(({ count }) => count > 0)
      .toSorted((a, b) => b.count - a.count);
  });
type AnswerNoteCount = ReturnType<typeof answerNoteCounts>[number];

const answerNoteColumns: readonly Column<AnswerNoteCount>[] = [
  column.name('Kind', ({ kind }) => ({ text: kind, dot: kind })),
  column.code('Deviation', ({ note }) => note),
  column.number('Answers', ({ count }) => countText(count)),
  column.number('Share', ({ count, completed }) => shareText(count, completed)),
  column.words('Meaning', ({ note }) => answerNotes[note]),
];

/** The usual finish reasons. If a run has only these reasons, its report has no sentence on finish reasons. */
const unremarkable: readonly string[] = ['stop', 'tool_calls'];
/** The maximum number of finish reasons in the sentence. */
const maxShownReasons = 10;

/** Counts the chats by finish reason; `null` if all chats ended with a usual finish reason. */
const finishSentence = (result: Result): string | null => {
  const counts = sumFinishes(groupsMatching(result, outsideWarmUp));
  if (counts.every(([reason]) => unremarkable.includes(reason))) return null;
  const shown = counts
    .slice(0, maxShownReasons)
    .map(([reason, count]) => `${reason} ${countText(count)}`);
  const left = counts.slice(maxShownReasons);
  const rest = `${plural(left.length, 'other reason')} ${countText(sumOf(left, ([, count]) => count))}`;
  const where = result.plan.warmUp === 0 ? '' : ' after the warm-up';
  return `Finish reasons${where}: ${[...shown, ...(left.length === 0 ? [] : [rest])].join(', ')}.`;
};

/**
 * Builds the section on failures: the outcome of every arrival, the failures, and the deviations in completed answers.
 */
export const outcomesSection = (result: Result): Section => {
  const rows = arrivalRows(result);
  const failures = result.failures.toSorted((a, b) => b.count - a.count);
  const counters = Object.entries(result.gatewayCounters ?? {});
  const counterFacts = facts(counters.map(([name, value]) => [name, countText(value)]));
  const failureTable = table(
    `${plural(failures.length, 'kind')} of failure, most frequent first; varying numbers and ids are masked, but not in 429s`,
    failureColumns(rows[0]!.all),
    failures,
    { look: 'failures' },
  );
  const deviationTable = table(
    'Tolerated deviations in completed answers; shares are of the kind’s completed answers',
    answerNoteColumns,
    answerNoteCounts(result),
  );
  const isClean = rows.every(
    ({ name, all }) => outcomeTones[name] === 'plain' || name === 'completed' || all === 0,
  );
  const outcomes = arrivalTable(rows);
  return section(
    'What failed?',
    [
      isClean && only(['html'], text('No request failed.')),
      isClean ? only(['terminal', 'markdown'], outcomes) : outcomes,
      isClean && only(['html'], fold('What became of every request', [outcomes])),
      // If nothing failed, `No request failed.` below replaces this sentence.
      text(failures.length === 0 ? null : absentOutcomes(rows)),
      text(finishSentence(result)),
      kindSection(result),
      hangUpSection(result),
      section('Retries and pace', [list(retrySentences(result))]),
      only(['html'], fold('Counters of the reference gateway', [counterFacts])),
      failures.length === 0 &&
        (isClean
          ? only(['terminal', 'markdown'], text('No request failed.'))
          : text('No request failed.')),
      section('Failures', [failureTable]),
      section('Tolerated deviations', [deviationTable]),
      ...exemplarFolds(result),
    ],
    'failures',
  );
};
