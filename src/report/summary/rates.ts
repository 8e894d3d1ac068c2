import type { Group, TimelineSecond } from '../../model/measures/counts.ts';
import { tokenSources } from '../../model/observation/outcome.ts';
import type { Result } from '../../model/result/result.ts';
import { countArrivals, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { measuredWindow } from '../../model/result/summary.ts';
import { figureText, plural, timeText } from '../text/number-text.ts';
import { present, textIf } from '../text/present.ts';
import { kindsPresent, sumOf } from './figures.ts';
import { tokenSourceMeaning } from './outcome-text.ts';

/** Rates per second: over the measured window, and over the whole run until its last answer. */

/** Tokens of completed answers of the whole run by where the counts come from, best first; `input` is `null` if no answer reported it. */
export const tokensBySource = (groups: readonly Group[]) =>
  tokenSources.flatMap((source) => {
    const sums = groups.flatMap(({ tokens }) => tokens.filter((sum) => sum.source === source));
    const answers = sumOf(sums, (sum) => sum.answers);
    if (answers === 0) return [];
    const hasInput = sums.some(({ answersWithInput }) => answersWithInput > 0);
    const input = hasInput ? sumOf(sums, (sum) => sum.input) : null;
    return [{ source, answers, input, output: sumOf(sums, (sum) => sum.output) }];
  });

/**
 * Everything that happened within the measured window, per second of it, whenever its request was
 * due: the drain counts neither in the sums nor in the time. Tokens are from all sources together, `null` if no
 * answer reported any. The whole is `null` if the window has no whole second.
 */
export const measuredRates = (result: Result) => {
  const window = measuredWindow(result);
  if (window === null) return null;
  const { seconds, timeline } = window;
  const rate = (of: (second: TimelineSecond) => number): number => sumOf(timeline, of) / seconds;
  const sourceTokens = tokensBySource(result.groups);
  const hasInput = sourceTokens.some(({ input }) => input !== null);
  return {
    seconds,
    offered: rate(({ due }) => due),
    sent: rate(({ sent }) => sent),
    completed: rate(({ outcomes }) => outcomes.completed),
    completedByKind: kindsPresent(result).map((kind) => ({
      kind,
      completed: rate(({ completed }) => completed[kind] ?? 0),
    })),
    inputTokens: hasInput ? rate(({ inputTokens }) => inputTokens) : null,
    outputTokens: sourceTokens.length === 0 ? null : rate(({ outputTokens }) => outputTokens),
  };
};

/** The duration of a run in ms: until the load and the last answer have ended. */
export const runDuration = ({ scheduled, ended }: Result): number => Math.max(scheduled, ended);

/** Totals of the whole run per second, warm-up and drain included; `null` when no exchange took place. */
export const wholeRunRates = (result: Result) => {
  if (result.ended === 0) return null;
  const seconds = runDuration(result) / 1000;
  return {
    seconds,
    sent: sumOf(result.timeline, ({ sent }) => sent) / seconds,
    completed: sumOutcomes(result.groups).completed / seconds,
    tokens: tokensBySource(result.groups).map(({ input, output, ...rest }) => ({
      ...rest,
      input: input === null ? null : input / seconds,
      output: output / seconds,
    })),
  };
};

/** The sources of the run's token counts; with several, the number of answers for each. */
export const sourcesText = (result: Result): string =>
  tokensBySource(result.groups)
    .map(
      ({ source, answers }, _, { length }) =>
        `${tokenSourceMeaning[source]}${textIf(length > 1, ` in ${plural(answers, 'answer')}`)}`,
    )
    .join(', ');

const perSecondPhrase = (rate: number, what: string): string => `${figureText(rate)}/s ${what}`;

const tokensText = (input: number | null, output: number, sourceText: string): string =>
  `; tokens ${input === null ? '' : `${perSecondPhrase(input, 'in')}, `}${perSecondPhrase(output, 'out')} (${sourceText})`;

const noRates =
  'There are no rates for the measured window, because there is no whole second between the end of the warm-up and the end of the load.';

const measuredSentence = (result: Result): string => {
  const rates = measuredRates(result);
  if (rates === null) return noRates;
  const { seconds, offered, sent, completed, completedByKind, inputTokens, outputTokens } = rates;
  const kinds = completedByKind.map((each) => `${each.kind} ${figureText(each.completed)}/s`);
  const apart = textIf(kinds.length > 1, ` (${kinds.join(', ')})`);
  const tokens =
    outputTokens === null ? '' : tokensText(inputTokens, outputTokens, sourcesText(result));
  return `Over the ${timeText(seconds * 1000)} measured: ${perSecondPhrase(offered, 'offered')}, ${perSecondPhrase(sent, 'sent')}, ${perSecondPhrase(completed, 'completed')}${apart}${tokens}.`;
};

/** `null` for a run that is its measured window. */
const wholeRunSentence = (result: Result): string | null => {
  const rates = wholeRunRates(result);
  if (rates === null || measuredRates(result)?.seconds === Number(rates.seconds.toFixed(1)))
    return null;
  const bySource = rates.tokens.map(({ source, answers, input, output }) =>
    tokensText(input, output, `${tokenSourceMeaning[source]}, ${plural(answers, 'answer')}`),
  );
  return `Over the whole run of ${timeText(rates.seconds * 1000)}: ${perSecondPhrase(rates.sent, 'sent')}, ${perSecondPhrase(rates.completed, 'completed')}${bySource.join('')}.`;
};

/** The rates in sentences; none for a run in which nothing was due. */
export const rateSentences = (result: Result): readonly string[] =>
  countArrivals(sumOutcomes(result.groups)) === 0
    ? []
    : present([measuredSentence(result), wholeRunSentence(result)]);
