import { z } from 'zod';
import { attemptsOf, type Observation, type ReadDelays } from '../observation/observation.ts';
import { encodedHistogramSchema, type Histogram } from './histogram.ts';

/**
 * Histograms of how late Weir may have read parts of answers, in ms. `judge/errors` computes the errors of figures from
 * them.
 * - `first`, `end` (completed requests): the delay of the first token or audio, and that of the last token or of the
 *   end of the answer. Both include the lag of the start.
 * - `firstOfPartial` (answers that failed later): the delay of the first token or audio, including the lag of the
 *   start.
 * - `tokens` (a sample of the streams): the delay of each token event.
 * - `gapLow`, `gapHigh` (the same sample): the shortest and the longest that each gap between chunks can really have
 *   been.
 */
export const delayNames = [
  'first',
  'end',
  'tokens',
  'gapLow',
  'gapHigh',
  'firstOfPartial',
] as const;
export type DelayName = (typeof delayNames)[number];

export const delaysSchema = z.partialRecord(z.enum(delayNames), encodedHistogramSchema);

const startLag = (observation: Observation): number =>
  attemptsOf(observation).reduce((sum, { begun, released }) => sum + (begun - released), 0);

const recordTokenDelays = (
  { tokens, weight }: ReadDelays,
  instants: Float64Array,
  histogramOf: (name: DelayName) => Histogram,
): void => {
  const [each, low, high] = [histogramOf('tokens'), histogramOf('gapLow'), histogramOf('gapHigh')];
  const delays = tokens ?? [];
  for (let i = 0; i < delays.length; i += 1) {
    each.record(delays[i]!, weight);
    if (i === 0) continue;
    const gap = instants[i]! - instants[i - 1]!;
    low.record(Math.max(0, gap - delays[i]!), weight);
    high.record(gap + delays[i - 1]!, weight);
  }
};

export const recordDelays = (
  observation: Observation,
  histogramOf: (name: DelayName) => Histogram,
): void => {
  const { outcome, readDelays } = observation;
  if (readDelays === undefined) return;
  const lag = startLag(observation);
  const { first, end, tokens } = readDelays;
  if (outcome.kind !== 'completed') {
    if (first !== null) histogramOf('firstOfPartial').record(lag + first);
    return;
  }
  if (first !== null) histogramOf('first').record(lag + first);
  histogramOf('end').record(lag + end);
  if (tokens === null || outcome.answer.kind !== 'chat-stream' || outcome.answer.buffered) return;
  recordTokenDelays(readDelays, outcome.answer.tokenInstants, histogramOf);
};
