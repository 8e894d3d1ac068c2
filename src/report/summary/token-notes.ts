import type { Labels } from '../../model/measures/counts.ts';
import { type MeasureName, measures } from '../../model/measures/measures.ts';
import { quantile } from '../../model/measures/quantile.ts';
import type { Result } from '../../model/result/result.ts';
import { distributionOf, groupsMatching, outsideWarmUp } from '../../model/result/summary.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import { countText, figureText, plural } from '../text/number-text.ts';
import { promptCountNotes } from './prompt-counts.ts';
import { tokenSourceMeaning } from './outcome-text.ts';
import { tokensBySource } from './rates.ts';

/** The measures that use the server's token count, never an estimate. */
const ofCountedTokens = [
  'tpot',
  'outputSpeed',
  'outputTokens',
] as const satisfies readonly MeasureName[];

const ofKind =
  (kind: TrafficKind) =>
  (labels: Labels): boolean =>
    outsideWarmUp(labels) && labels.traffic === kind;

const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;

/** The answers left out because their tokens are only estimated. */
const estimatedNote = (result: Result, kind: TrafficKind): readonly string[] => {
  const sources = tokensBySource(groupsMatching(result, ofKind(kind)));
  const estimates = sources.filter(({ source }) => source !== 'usage');
  if (estimates.length === 0) return [];
  const names = ofCountedTokens
    .filter((name) => measures[name].traffic.includes(kind))
    .map((name) => measures[name].label.toLowerCase());
  const sums = estimates.map(
    ({ source, answers, output }) =>
      `${plural(answers, 'answer')} (${countText(output)} output tokens, ${tokenSourceMeaning[source]})`,
  );
  return [
    `The server did not count the tokens of every answer; left out of ${listed(names)}: ${listed(sums)}.`,
  ];
};

/** If the median of tokens per chunk is outside these bounds, a chunk is not a token. */
const [fewTokens, manyTokens] = [0.8, 1.5];

/** Whether the time between chunks may be read as the time between tokens. */
const chunkNote = (result: Result, kind: TrafficKind): readonly string[] => {
  const median = quantile(distributionOf(result, 'tokensPerChunk', ofKind(kind)), 0.5);
  if (median === null || (median.value >= fewTokens && median.value <= manyTokens)) return [];
  return [
    `Chunk gap is not inter-token latency here: the median token event held ${figureText(median.value)} tokens.`,
  ];
};

/** Notes on tokens next to a kind's figures. */
export const tokenNotes = (result: Result, kind: TrafficKind): readonly string[] => [
  ...promptCountNotes(result, kind),
  ...estimatedNote(result, kind),
  ...chunkNote(result, kind),
];
