import {
  column,
  fold,
  facts,
  list,
  picture,
  type ReportDocument,
  section,
  table,
  type TonedText,
} from '../../../report/document/document.ts';
import { axisTo, plotFigure, timeAxis } from '../../../report/document/plot.ts';
import type { Markup } from '../../../report/text/markup.ts';
import {
  countText,
  figureText,
  listed,
  plural,
  secondsText,
  shareText,
  timeText,
} from '../../../report/text/number-text.ts';
import type {
  PhaseCounts,
  PolicyRecovery,
  RecoveryReport,
  UnknownReason,
} from '../model/recovery-report.ts';
import { present } from '../../../report/text/present.ts';

const names = { none: 'no retries', 'retry-after': 'Retry-After', backoff: 'backoff' } as const;

const watchedFor = ({ phases: { gone, until } }: PolicyRecovery): string => timeText(until - gone);

/**
 * Says how many of the requests due since the overload began were lost, and how many of these lost requests were due
 * after the overload ended.
 */
const lostText = ({ overload, watched }: PolicyRecovery): string => {
  const due = overload.due + watched.due;
  const after = watched.due - watched.good;
  const lost = overload.due - overload.good + after;
  return `${countText(lost)} of ${plural(due, 'request')} due since the overload began were lost (${shareText(lost, due)}), ${countText(after)} of them due after it ended`;
};

const unknownTexts: Record<UnknownReason, (policy: PolicyRecovery) => string> = {
  partial: () => 'the run ended before the time of this policy was over',
  invalid: () => 'the load was not as planned (run/report.html says why)',
  'base-fails': () =>
    'before the overload already, more than 5 % of the requests failed: give a lower rate',
  few: () =>
    'the requests are too few for windows of time: give a longer --base and --watch, or a higher rate',
  'base-worse': () =>
    'before its overload, the target was worse than before the first one: give a longer --pause',
  unharmed: () => 'the overload did no harm that is sure: raise --times or --overload',
  unsure: (policy) =>
    `at the end, after ${watchedFor(policy)}, it is neither surely as before nor surely bad: give a longer --watch`,
  balanced: (policy) =>
    `it is still bad after ${watchedFor(policy)}, and is sent about as much as it completes at most (${figureText(policy.sentAtEnd)} a second): give a longer --watch`,
  draining: (policy) =>
    `it is still bad after ${watchedFor(policy)}, but may need up to ${timeText(policy.needs ?? 0)} for what waits in it: give a longer --watch`,
};

/** Says when a target was back: `after 3 s`, or `within 1 s`. */
const backText = ({ after, resolution }: PolicyRecovery): string =>
  after === 0 ? `within ${timeText(resolution ?? 0)}` : `after ${timeText(after ?? 0)}`;

const stateText = (policy: PolicyRecovery, { mostCompleted: most }: RecoveryReport): TonedText => {
  const { state, after, resolution, sentAtEnd, reason } = policy;
  const rates = `${figureText(sentAtEnd)} requests a second`;
  switch (state) {
    case 'back': {
      const within = after === 0 ? '' : ` (to within ${timeText(resolution ?? 0)})`;
      return { tone: 'good', text: `back ${backText(policy)}${within}; ${lostText(policy)}` };
    }
    case 'kept':
      return {
        tone: 'bad',
        text: `still bad ${watchedFor(policy)} after the overload: the retries keep it there, ${rates}${sentAtEnd > most ? ` where it never completed more than ${figureText(most)}` : ', and without them it is back'}; ${lostText(policy)}`,
      };
    case 'stuck':
      return {
        tone: 'bad',
        text: `still bad ${watchedFor(policy)} after the overload, and not by what waits in it: it is sent ${rates}, and completed up to ${figureText(most)}; ${lostText(policy)}`,
      };
    case 'unknown':
      return { tone: 'warning', text: `cannot tell: ${unknownTexts[reason ?? 'unsure'](policy)}` };
  }
};

/** Returns the answer as a sentence: `still bad with backoff; back with no retries (after 3 s)`. */
const recoveryVerdict = ({ policies }: RecoveryReport): TonedText => {
  const withState = (...states: readonly PolicyRecovery['state'][]): readonly string[] =>
    policies
      .filter(({ state }) => states.includes(state))
      .map((each) =>
        each.state === 'back' ? `${names[each.policy]} (${backText(each)})` : names[each.policy],
      );
  const [back, bad, unknown] = [
    withState('back'),
    withState('kept', 'stuck'),
    withState('unknown'),
  ];
  const parts = present([
    bad.length > 0 && `still bad with ${listed(bad)}`,
    unknown.length > 0 && `cannot tell with ${listed(unknown)}`,
    back.length > 0 && `back with ${listed(back)}`,
  ]);
  const text = parts.join('; ');
  return {
    text: `After the overload: ${text}`,
    tone: bad.length > 0 ? 'bad' : unknown.length > 0 ? 'warning' : 'good',
  };
};

interface PhaseRow extends PhaseCounts {
  readonly policy: string;
  readonly phase: string;
}

const timesMeaning =
  'from when a request was due until it was answered (a stream: its first token), of all that were due: ∞ where too many failed. The row “after it” begins when the overload ends, so it has the time before the target is back';

const timeCell = (due: number, time: number | null | undefined): string =>
  time === undefined || due === 0 ? '–' : time === null ? '∞' : figureText(time, 'ms');

const columns = [
  column.name<PhaseRow>('When', ({ phase }) => phase),
  column.number<PhaseRow>('Due', ({ due }) => countText(due)),
  column.number<PhaseRow>('In time', ({ good }) => countText(good)),
  column.number<PhaseRow>('Late', ({ late }) => countText(late)),
  column.number<PhaseRow>('Failed', ({ failed }) => countText(failed)),
  column.number<PhaseRow>('In time of due', ({ good, due }) => shareText(good, due)),
  column.number<PhaseRow>('p50 ms', ({ due, p50 }) => timeCell(due, p50)),
  column.number<PhaseRow>('p95 ms', ({ due, p95 }) => timeCell(due, p95)),
  column.number<PhaseRow>('Sent for each', ({ attempts }) => attempts.toFixed(1)),
];

const rowsOf = ({ policy, base, overload, watched }: PolicyRecovery): readonly PhaseRow[] =>
  (
    [
      ['before', base],
      ['overload', overload],
      ['after it', watched],
    ] as const
  ).map(([phase, counts]) => ({ policy: names[policy], phase, ...counts }));

/** Plots the rates of due, sent and good requests over the time of a policy. A good request completed in time. */
const plotOf = (policy: PolicyRecovery): Markup | null => {
  const { windows, phases, resolution, after } = policy;
  if (resolution === null) return null;
  const { from, peak, gone, until } = phases;
  const secondsOf = (instant: number): number => (instant - from) / 1000;
  const line = (figure: 'due' | 'sent' | 'good') =>
    windows.map(
      (each) =>
        [secondsOf(each.from + resolution / 2), (1000 * each[figure]) / resolution] as const,
    );
  const highest = Math.max(1, ...[...line('due'), ...line('sent')].map(([, rate]) => rate));
  return plotFigure(
    {
      title: names[policy.policy],
      unit: 'requests a second',
      aside: `Due (grey), sent with retries (blue) and answered in time (green) of those due then, by ${timeText(resolution)}.`,
      size: [1040, 220],
      x: timeAxis(secondsOf(until), secondsText),
      y: axisTo(highest),
    },
    (pen) => [
      pen.path('sent', line('sent')),
      pen.path('due', line('due')),
      pen.path('firm completed', line('good')),
      pen.upright('', secondsOf(peak), 'overload', true),
      pen.upright('', secondsOf(gone)),
      after === null || after === 0
        ? null
        : pen.upright('completed', secondsOf(gone + after), 'back'),
    ],
  );
};

export const recoveryDocument = (report: RecoveryReport): ReportDocument => {
  const { weir, name, target, startedAt, policies, multiple, rate, retry, seed } = report;
  const named = policies.find(({ policy }) => policy === 'retry-after')?.named;
  const waits = policies.find(({ within }) => within !== null)?.within;
  return {
    weir,
    title: `Recovery of ${target}`,
    description: [`Scenario: ${name}`],
    verdict: recoveryVerdict(report),
    blocks: [
      section('Does it come back?', [
        list(
          policies.map((policy) => {
            const { text, tone } = stateText(policy, report);
            return { text: `With ${names[policy.policy]}: ${text}.`, tone };
          }),
        ),
        list([
          report.partial !== null && `It ended early: ${report.partial}.`,
          named === 0 &&
            'No retry waited as the target said, so Retry-After was the same as backoff.',
        ]),
        ...policies.map((policy) => picture(() => plotOf(policy))),
      ]),
      section('What became of the requests?', [
        table('Requests by when they were due', columns, policies.flatMap(rowsOf), {
          groupOf: ({ policy }) => policy,
        }),
      ]),
      fold('How it was measured', [
        facts([
          [
            'Load',
            `${figureText(rate)} requests a second, ${figureText(multiple)} times as many in the overload (seed ${seed})`,
          ],
          [
            'Retries',
            `at most ${retry.attempts} attempts of ${listed(retry.on)}; waits up to ${timeText(retry.base)}, doubling to ${timeText(retry.cap)}, where the target names none`,
          ],
          [
            'In time',
            waits === null || waits === undefined
              ? 'not known'
              : `answered (a stream: its first token) within ${timeText(waits)} after a request was due`,
          ],
          ['p50, p95', timesMeaning],
          [
            'Bad',
            'surely more than 10 in 100 more requests late or failed than before; a target that is as before gets a bad window in at most 5 % of runs',
          ],
          ['Most completed', `${figureText(report.mostCompleted)} a second, over two seconds`],
          ['Sent', plural(report.spent.requests, 'request')],
        ]),
      ]),
    ],
    footer: `Examined by Weir ${weir}, started ${startedAt}.`,
  };
};
