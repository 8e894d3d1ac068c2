import type { ChatStreamAnswer } from '../../model/observation/outcome.ts';
import type { CalibrationCell, MeasurementError } from '../../model/series/calibration.ts';
import { emptyHistogram, type Histogram } from '../../model/measures/histogram.ts';
import type { Observation } from '../../model/observation/observation.ts';
import { quantile } from '../../model/measures/quantile.ts';

/** When the gateway handed each token of an answer to its socket, in ms of the machine's monotonic clock. */
export interface SentTokens {
  readonly requestId: string;
  readonly sent: readonly number[];
}

/** What a run recorded; instant 0 of it lies at `zero` on the machine's monotonic clock. */
export interface Recorded {
  readonly zero: number;
  readonly observations: readonly Observation[];
}

const errorSummary = (histogram: Histogram): MeasurementError | null => {
  const p50 = quantile(histogram, 0.5);
  const p99 = quantile(histogram, 0.99);
  if (p50 === null || p99 === null) return null;
  return { n: histogram.count, p50: p50.value, p99: p99.value, max: histogram.max ?? 0 };
};

const streamOf = ({ outcome }: Observation): ChatStreamAnswer | null =>
  outcome.kind === 'completed' && outcome.answer.kind === 'chat-stream' ? outcome.answer : null;

/**
 * Joins both sides by the request's id. What a run says of an answer counts from instants of its own
 * (when it was due), so the error of its TTFT is that of the first token's arrival, of its end that of
 * the last one's; of a gap it is the difference between the gap recorded and the gap sent. The way
 * through the kernel is in it: no client can do without. Answers due before `warmUp` (ms of the run)
 * and those without all their tokens on both sides are left out; `null` when nothing is left.
 */
export const measuredErrors = (
  traces: readonly SentTokens[],
  { zero, observations }: Recorded,
  warmUp: number,
): Pick<CalibrationCell, 'answers' | 'errors'> | null => {
  const byId = new Map(traces.map(({ requestId, sent }) => [requestId, sent]));
  const errors = { ttft: emptyHistogram(), gap: emptyHistogram(), endToEnd: emptyHistogram() };
  for (const observation of observations) {
    const sent = byId.get(observation.requestId);
    const arrived = streamOf(observation)?.tokenInstants;
    if (observation.due < warmUp || sent === undefined || sent.length === 0) continue;
    if (arrived?.length !== sent.length) continue;
    const late = sent.map((at, token) => zero + arrived[token]! - at);
    errors.ttft.record(Math.abs(late[0]!));
    errors.endToEnd.record(Math.abs(late.at(-1)!));
    for (let token = 1; token < late.length; token += 1) {
      errors.gap.record(Math.abs(late[token]! - late[token - 1]!));
    }
  }
  const ttft = errorSummary(errors.ttft);
  const gap = errorSummary(errors.gap);
  const endToEnd = errorSummary(errors.endToEnd);
  if (ttft === null || gap === null || endToEnd === null) return null;
  return { answers: ttft.n, errors: { ttft, gap, endToEnd } };
};
