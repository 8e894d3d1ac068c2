import type { Group } from '../../model/measures/counts.ts';
import { type TokenSource, tokenSources } from '../../model/observation/outcome.ts';
import type { Result } from '../../model/result/result.ts';
import { countArrivals, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { measuredWindow } from '../../model/result/summary.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import { kindsPresent } from './figures.ts';
import { figureText, plural, timeText } from '../text/number-text.ts';
import { tokenSourceMeaning } from './outcome-text.ts';

/** Rates per second: over the measured window, and over the whole run until its last answer. */

/** Completed answers per second of one kind of traffic. */
interface KindRate {
  readonly kind: TrafficKind;
  readonly completed: number;
}

/**
 * Everything that happened within the measured window, per second of it, whenever its request was
 * due. The drain counts neither in the sums nor in the time.
 */
export interface MeasuredRates {
  readonly seconds: number;
  readonly offered: number;
  readonly sent: number;
  readonly completed: number;
  /** In the order of `kindsPresent`. */
  readonly completedByKind: readonly KindRate[];
  /** From all sources together; `null` if no answer reported any. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

/** Completed answers of the whole run and their tokens, by where the counts come from. */
interface SourceTokens {
  readonly source: TokenSource;
  readonly answers: number;
  /** `null` if no answer reported it. */
  readonly input: number | null;
  readonly output: number;
}

/** Tokens of the run's completed answers: one row for each source that occurs, best first. */
export const tokensBySource = (groups: readonly Group[]): readonly SourceTokens[] =>
  tokenSources.flatMap((source) => {
    const sums = groups.flatMap(({ tokens }) => tokens.filter((sum) => sum.source === source));
    const total = (field: 'answers' | 'answersWithInput' | 'input' | 'output'): number =>
      sums.reduce((sum, part) => sum + part[field], 0);
    if (total('answers') === 0) return [];
    const input = total('answersWithInput') === 0 ? null : total('input');
    return [{ source, answers: total('answers'), input, output: total('output') }];
  });

/** `null` if the measured window has no whole second. */
export const measuredRates = (result: Result): MeasuredRates | null => {
  const window = measuredWindow(result);
  if (window === null) return null;
  const { seconds, timeline } = window;
  const rate = (of: (second: (typeof timeline)[number]) => number): number =>
    timeline.reduce((sum, second) => sum + of(second), 0) / seconds;
  const sourceTokens = tokensBySource(result.groups);
  return {
    seconds,
    offered: rate(({ due }) => due),
    sent: rate(({ sent }) => sent),
    completed: rate(({ outcomes }) => outcomes.completed),
    completedByKind: kindsPresent(result).map((kind) => ({
      kind,
      completed: rate(({ completed }) => completed[kind] ?? 0),
    })),
    inputTokens: sourceTokens.every(({ input }) => input === null)
      ? null
      : rate(({ inputTokens }) => inputTokens),
    outputTokens: sourceTokens.length === 0 ? null : rate(({ outputTokens }) => outputTokens),
  };
};

/** Totals of the whole run per second, warm-up and drain included, until the load and the last exchange have ended. */
export interface WholeRunRates {
  readonly seconds: number;
  readonly sent: number;
  readonly completed: number;
  /** Per second, by source. */
  readonly tokens: readonly SourceTokens[];
}

/** The duration of a run in ms: until the load and the last answer have ended. */
export const runDuration = ({ scheduled, ended }: Result): number => Math.max(scheduled, ended);

/** `null` when no exchange took place. */
export const wholeRunRates = (result: Result): WholeRunRates | null => {
  if (result.ended === 0) return null;
  const seconds = runDuration(result) / 1000;
  return {
    seconds,
    sent: result.timeline.reduce((sum, { sent }) => sum + sent, 0) / seconds,
    completed: sumOutcomes(result.groups).completed / seconds,
    tokens: tokensBySource(result.groups).map(({ input, output, ...rest }) => ({
      ...rest,
      input: input === null ? null : input / seconds,
      output: output / seconds,
    })),
  };
};

/** The sources of the run's token counts; with several, the number of answers for each. */
export const sourcesText = (result: Result): string => {
  const sourceTokens = tokensBySource(result.groups);
  return sourceTokens
    .map(({ source, answers }) =>
      sourceTokens.length === 1
        ? tokenSourceMeaning[source]
        : `${tokenSourceMeaning[source]} in ${plural(answers, 'answer')}`,
    )
    .join(', ');
};

const perSecondPhrase = (rate: number, what: string): string => `${figureText(rate)}/s ${what}`;

const tokensText = (input: number | null, output: number, sourceText: string): string =>
  `; tokens ${input === null ? '' : `${perSecondPhrase(input, 'in')}, `}${perSecondPhrase(output, 'out')} (${sourceText})`;

const measuredSentence = (result: Result, rates: MeasuredRates): string => {
  const { seconds, offered, sent, completed, completedByKind, inputTokens, outputTokens } = rates;
  const kinds = completedByKind.map((each) => `${each.kind} ${figureText(each.completed)}/s`);
  const apart = kinds.length < 2 ? '' : ` (${kinds.join(', ')})`;
  const tokens =
    outputTokens === null ? '' : tokensText(inputTokens, outputTokens, sourcesText(result));
  return `Over the ${timeText(seconds * 1000)} measured: ${perSecondPhrase(offered, 'offered')}, ${perSecondPhrase(sent, 'sent')}, ${perSecondPhrase(completed, 'completed')}${apart}${tokens}.`;
};

const wholeRunSentence = ({ seconds, sent, completed, tokens }: WholeRunRates): string => {
  const bySource = tokens.map(({ source, answers, input, output }) =>
    tokensText(input, output, `${tokenSourceMeaning[source]}, ${plural(answers, 'answer')}`),
  );
  return `Over the whole run of ${timeText(seconds * 1000)}: ${perSecondPhrase(sent, 'sent')}, ${perSecondPhrase(completed, 'completed')}${bySource.join('')}.`;
};

const noRates =
  'There are no rates for the measured window, because there is no whole second between the end of the warm-up and the end of the load.';

/** The rates in sentences; none for a run in which nothing was due. */
export const rateSentences = (result: Result): readonly string[] => {
  if (countArrivals(sumOutcomes(result.groups)) === 0) return [];
  const [measured, whole] = [measuredRates(result), wholeRunRates(result)];
  return [
    measured === null ? noRates : measuredSentence(result, measured),
    ...(whole === null ? [] : [wholeRunSentence(whole)]),
  ];
};
