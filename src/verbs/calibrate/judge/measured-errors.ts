import type { ChatStreamAnswer } from '../../../model/observation/outcome.ts';
import type { CalibrationCell, MeasurementError } from '../../../model/series/calibration.ts';
import { emptyHistogram, type Histogram } from '../../../model/measures/histogram.ts';
import type { Observation } from '../../../model/observation/observation.ts';
import { quantile } from '../../../model/measures/quantile.ts';

/** When the gateway wrote each token of an answer to its socket, in ms of the machine's monotonic clock. */
export interface SentTokens {
  readonly requestId: string;
  readonly sent: readonly number[];
}

/** What the run recorded. `zero` is the run's instant 0 on the machine's monotonic clock. */
export interface Recorded {
  readonly zero: number;
  readonly observations: readonly Observation[];
}

const errorSummary = (histogram: Histogram): MeasurementError | null => {
  const [p50, p99] = [quantile(histogram, 0.5), quantile(histogram, 0.99)];
  if (p50 === null || p99 === null) return null;
  return { n: histogram.count, p50: p50.value, p99: p99.value, max: histogram.max ?? 0 };
};

const streamOf = ({ outcome }: Observation): ChatStreamAnswer | null =>
  outcome.kind === 'completed' && outcome.answer.kind === 'chat-stream' ? outcome.answer : null;

/**
 * Joins the records of the gateway and of the run by request id, and computes how wrong the recorded times are. The
 * error of the TTFT is the delay with which the first token was recorded. The error of the end is the delay with which
 * the last token was recorded. The error of a gap is the difference between the recorded gap and the gap at the
 * gateway. All errors are absolute values, and include the time in the kernel, which every client has. Leaves out
 * answers that were due before `warmUp` (in ms since the run began), and answers whose two records differ in the number
 * of tokens. Returns `null` if no answer is left.
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
  const [ttft, gap, endToEnd] = [errors.ttft, errors.gap, errors.endToEnd].map(errorSummary);
  return ttft && gap && endToEnd ? { answers: ttft.n, errors: { ttft, gap, endToEnd } } : null;
};
