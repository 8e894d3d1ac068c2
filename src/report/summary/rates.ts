import type { Group, TimelineSecond } from '../../model/measures/counts.ts';
import { tokenSources } from '../../model/observation/outcome.ts';
import type { Result } from '../../model/result/result.ts';
import { countArrivals, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { allCompletedDueIn } from '../../model/result/run-dependence.ts';
import { measuredWindow, figuresOver, groupsMatching } from '../../model/result/summary.ts';
import { figureText, plural, timeText, countText, listed } from '../text/number-text.ts';
import { present, textIf } from '../text/present.ts';
import { kindsPresent, measuredOf } from './figures.ts';
import { tokenSourceMeaning } from './outcome-text.ts';
import { measures } from '../../model/measures/measures.ts';
import type { PromptSourceOf } from '../../model/workload/prompt-source.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import { sumOf } from '../../model/sums.ts';

/**
 * Adds up the tokens of completed answers by the source of the token counts, beginning with the best source. `input` is
 * `null` if no answer has a count of input tokens.
 */
const tokensBySource = (groups: readonly Group[]) =>
  tokenSources.flatMap((source) => {
    const sums = groups.flatMap(({ tokens }) => tokens.filter((sum) => sum.source === source));
    const answers = sumOf(sums, (sum) => sum.answers);
    if (answers === 0) return [];
    const hasInput = sums.some(({ answersWithInput }) => answersWithInput > 0);
    const input = hasInput ? sumOf(sums, (sum) => sum.input) : null;
    return [{ source, answers, input, output: sumOf(sums, (sum) => sum.output) }];
  });

/**
 * Returns rates per second of the measured window: due, sent, completed and ended requests, and tokens. A completed
 * request counts if it was due in the window, even if it ended later. So slow answers count, too. The tokens of all
 * sources are added up; a token rate is `null` without token counts. Returns `null` if no whole second was measured.
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
    completed: rate((second) => allCompletedDueIn(second)),
    /** Answers per second that ended within the window. This rate shows the work of the server during the load. */
    ended: rate(({ outcomes }) => outcomes.completed),
    completedByKind: kindsPresent(result).map((kind) => ({
      kind,
      completed: rate((second) => allCompletedDueIn(second, [kind])),
    })),
    inputTokens: hasInput ? rate(({ inputTokens }) => inputTokens) : null,
    outputTokens: sourceTokens.length === 0 ? null : rate(({ outputTokens }) => outputTokens),
  };
};

/** Returns the duration of a run in ms: the time until both the load and the last answer have ended. */
export const runDuration = ({ scheduled, ended }: Result): number => Math.max(scheduled, ended);

/** Divides the totals of the whole run by its duration in seconds; `null` if no request was sent. */
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

/** Names the sources of the run's token counts. With several sources, also says how many answers each source has. */
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

/**
 * The minimum share of the completed requests that ended during the load. If the share is smaller, `completedPhrase`
 * also gives the rate of the requests that ended during the load.
 */
const mostlyEnded = 0.95;

/**
 * Formats the rate of completed requests. If many of them ended only after the load, perhaps as a backlog, the text
 * also gives the rate of those that ended during the load.
 */
export const completedPhrase = ({
  completed,
  ended,
}: {
  readonly completed: number;
  readonly ended: number;
}): string =>
  perSecondPhrase(completed, 'completed') +
  textIf(ended < mostlyEnded * completed, `, only ${figureText(ended)}/s before the load ended`);

const measuredSentence = (result: Result): string => {
  const rates = measuredRates(result);
  if (rates === null) {
    return 'There are no rates for the measured window, because there is no whole second between the end of the warm-up and the end of the load.';
  }
  const { seconds, offered, sent, completedByKind, inputTokens, outputTokens } = rates;
  const kinds = completedByKind.map((each) => `${each.kind} ${figureText(each.completed)}/s`);
  const apart = textIf(kinds.length > 1, ` (${kinds.join(', ')})`);
  const tokens =
    outputTokens === null ? '' : tokensText(inputTokens, outputTokens, sourcesText(result));
  return `Over the ${timeText(seconds * 1000)} measured: ${perSecondPhrase(offered, 'offered')}, ${perSecondPhrase(sent, 'sent')}, ${completedPhrase(rates)}${apart}${tokens}.`;
};

/** Returns a sentence with the rates of the whole run; `null` if the measured window is the whole run. */
const wholeRunSentence = (result: Result): string | null => {
  const rates = wholeRunRates(result);
  const measured = measuredRates(result)?.seconds.toFixed(1);
  if (rates === null || measured === rates.seconds.toFixed(1)) return null;
  const bySource = rates.tokens.map(({ source, answers, input, output }) =>
    tokensText(input, output, `${tokenSourceMeaning[source]}, ${plural(answers, 'answer')}`),
  );
  return `Over the whole run of ${timeText(rates.seconds * 1000)}: ${perSecondPhrase(rates.sent, 'sent')}, ${perSecondPhrase(rates.completed, 'completed')}${bySource.join('')}.`;
};

/** Returns sentences with the rates of a run; no sentences if no request was due. */
export const rateSentences = (result: Result): readonly string[] =>
  countArrivals(sumOutcomes(result.groups)) === 0
    ? []
    : present([measuredSentence(result), wholeRunSentence(result)]);

/** Returns a sentence on the mean word error rate of the answers; `null` if no clip has a known text. */
export const wordErrorSentence = (result: Result): string | null => {
  const where = measuredOf('transcription');
  const { count, mean } = figuresOver(result, 'wordErrorRate', where);
  if (mean === null) return null;
  const unknown = sumOutcomes(groupsMatching(result, where)).completed - count;
  const others = unknown === 0 ? '' : ` (${countText(unknown)} others have none)`;
  return `Word error rate: ${figureText(mean)} % on average over ${plural(count, 'answer')} to clips with a known text${others}. It is the mean of the rates of single answers, so a short clip counts as much as a long one.`;
};

/** Returns the synthetic source of a group's prompts; `null` if the group has several entries or another source. */
const onlySource = (
  { plan }: Result,
  { traffic, model, entry, stage }: Group['labels'],
): PromptSourceOf<'synthetic'> | null => {
  const entries = (plan.stages.find(({ name }) => name === stage)?.traffic ?? []).filter(
    (each) =>
      each.kind === traffic && 'model' in each && each.model === model && each.name === entry,
  );
  const [first] = entries;
  if (entries.length !== 1 || first === undefined || !('conversations' in first)) return null;
  const { conversations: source } = first;
  return Array.isArray(source) || source.kind !== 'synthetic' ? null : source;
};

/**
 * If the counted tokens differ from the requested tokens by at most this share, no calibration is proposed. The
 * rounding of a calibrated length can cause a difference of this size.
 */
const negligibleDifference = 0.001;

/**
 * If the counted and the requested tokens differ by more than this factor, no calibration is proposed. Such a
 * difference probably comes from a fixed count or a hidden prompt of the server, and not from its tokenizer.
 */
const mostCalibration = 4;

/**
 * Returns notes that compare the server's mean token count of synthetic prompts with the requested count. There is one
 * note for each combination of model, length and calibration. The note also says which calibration would make the
 * counts equal in the next run.
 */
export const promptCountNotes = (result: Result, kind: TrafficKind): readonly string[] => {
  const reported = groupsMatching(result, measuredOf(kind)).flatMap(({ labels, tokens }) => {
    const source = onlySource(result, labels);
    const made = tokens.flatMap((sums) => sums.made ?? []);
    if (source === null || labels.model === null || made.length === 0) return [];
    const { tokens: length, calibration = 1 } = source;
    return [{ model: labels.model, length, calibration, made }];
  });
  const alike = Map.groupBy(reported, ({ model, length, calibration }) =>
    JSON.stringify([model, length, calibration]),
  );
  return [...alike.values()].map((members) => {
    const { model, length, calibration } = members[0]!;
    const counts = members.flatMap(({ made }) => made);
    const answers = sumOf(counts, (each) => each.answers);
    const asked = sumOf(counts, (each) => each.asked) / answers;
    const counted = sumOf(counts, (each) => each.input) / answers;
    const isFixed = typeof length === 'number';
    const askedText = `${isFixed ? countText(asked) : figureText(asked)} input tokens${textIf(!isFixed, ' on average')}`;
    const figures = `${model}: requested ${askedText}, the server counted ${figureText(counted)}`;
    const share = counted / asked - 1;
    const isOff = Math.abs(share) > negligibleDifference && Math.abs(counted - asked) >= 0.5;
    if (!isOff) return `${figures}.`;
    const next = Number(((calibration * counted) / asked).toPrecision(4));
    const isPlausible = counted * mostCalibration >= asked && counted <= asked * mostCalibration;
    const remedy = isPlausible
      ? `\`calibration: ${next}\` in the prompt corrects it`
      : 'so large a difference is rarely the tokenizer’s: the server may add a prompt of its own, or not count this one';
    return `${figures} (${share < 0 ? '−' : '+'}${figureText(Math.abs(share) * 100)} %; ${remedy}).`;
  });
};

/** Whether any request of a kind has a price. */
const isPriced = ({ plan }: Result, kind: TrafficKind): boolean =>
  plan.stages.some(({ traffic }) =>
    traffic.some((entry) => entry.kind === kind && 'price' in entry && entry.price !== null),
  );

/** Returns a note on the answers that some measures leave out, since the tokens of these answers are only estimated. */
const estimatedNote = (result: Result, kind: TrafficKind): string | null => {
  const bySource = tokensBySource(groupsMatching(result, measuredOf(kind)));
  const all = sumOf(bySource, ({ answers }) => answers);
  const estimates = bySource.filter(({ source }) => source !== 'usage');
  if (estimates.length === 0) return null;
  // These measures use the server's token count, never an estimate.
  const names = (['tpot', 'outputSpeed', 'outputTokens'] as const)
    .filter((name) => measures[name].traffic.includes(kind))
    .map((name) => measures[name].label.toLowerCase());
  const sums = estimates.map(
    ({ source, answers, output }) =>
      `${plural(answers, 'answer')} (${countText(output)} output tokens, ${tokenSourceMeaning[source]})`,
  );
  const leftOut = listed([...names, ...(isPriced(result, kind) ? ['cost'] : [])]);
  return `The server did not count the tokens of every answer; left out of ${leftOut}: ${listed(sums)}, of ${plural(all, 'completed chat')}.`;
};

/**
 * Returns a note on answers with the server's count of output tokens but without a count of input tokens. Returns
 * `null` if all answers have both counts, or if no answer has input tokens and the traffic has no price.
 */
const inputNote = (result: Result, kind: TrafficKind): string | null => {
  const sums = groupsMatching(result, measuredOf(kind)).flatMap(({ tokens }) =>
    tokens.filter(({ source }) => source === 'usage'),
  );
  const answers = sumOf(sums, (sum) => sum.answers);
  const without = answers - sumOf(sums, (sum) => sum.answersWithInput);
  const lacksCost = isPriced(result, kind);
  if (without === 0 || (without === answers && !lacksCost)) return null;
  return `Of ${plural(answers, 'answer')} with counted output tokens, ${countText(without)} reported no input tokens: input tokens${textIf(lacksCost, ' and cost')} leave them out.`;
};

/** If the median number of tokens per chunk is outside these bounds, a chunk does not correspond to a token. */
const [fewTokens, manyTokens] = [0.8, 1.5];

/** Returns a note if the time between chunks must not be read as the time between tokens; otherwise `null`. */
const chunkNote = (result: Result, kind: TrafficKind): string | null => {
  const median = figuresOver(result, 'tokensPerChunk', measuredOf(kind)).percentile(0.5);
  if (median === null || (median.value >= fewTokens && median.value <= manyTokens)) return null;
  return `Chunk gap is not inter-token latency here: the median token event held ${figureText(median.value)} tokens.`;
};

export const tokenNotes = (result: Result, kind: TrafficKind): readonly string[] =>
  present([
    ...promptCountNotes(result, kind),
    estimatedNote(result, kind),
    inputNote(result, kind),
    chunkNote(result, kind),
  ]);
