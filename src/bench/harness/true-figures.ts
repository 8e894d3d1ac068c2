import type { Recorded, SentTokens } from '../../verbs/calibrate/judge/measured-errors.ts';
import type { FigureError } from '../../model/result/verdict.ts';

/** Percentiles as an ideal load generator would have measured them, from the gateway's trace log, and whether the published bounds contain them. */

/** The measures whose true values the trace log tells. */
const tracedMeasures = ['ttft', 'gap', 'endToEnd'] as const;
type TracedMeasure = (typeof tracedMeasures)[number];

/** Both sides' records of a run. */
interface BothSides extends Recorded {
  readonly traces: readonly SentTokens[];
  /** Requests due before this are left out, in ms of the run. */
  readonly warmUp: number;
}

/** The true samples in ms, ascending. */
export type TrueSamples = Readonly<Record<TracedMeasure, Float64Array>>;

const ascending = (values: readonly number[]): Float64Array => Float64Array.from(values).sort();

/**
 * The true samples of all streams that completed. A request that was begun late is answered as much later, so its lag is
 * subtracted. Throws if the gateway sent other tokens than were read: then nothing can be compared.
 */
export const trueSamplesOf = ({ traces, zero, observations, warmUp }: BothSides): TrueSamples => {
  const byId = new Map(traces.map(({ requestId, sent }) => [requestId, sent]));
  const samples: Record<TracedMeasure, number[]> = { ttft: [], gap: [], endToEnd: [] };
  for (const { requestId, due, begun, released, outcome } of observations) {
    if (due < warmUp || outcome.kind !== 'completed') continue;
    if (outcome.answer.kind !== 'chat-stream') continue;
    const sent = byId.get(requestId) ?? [];
    const tokens = outcome.answer.tokenInstants.length;
    if (sent.length !== tokens || tokens === 0)
      throw new Error(`${requestId}: ${sent.length} tokens in the trace log, ${tokens} were read`);
    const wouldBeDue = zero + due + (begun - released);
    samples.ttft.push(sent[0]! - wouldBeDue);
    samples.endToEnd.push(sent.at(-1)! - wouldBeDue);
    for (let token = 1; token < tokens; token += 1)
      samples.gap.push(sent[token]! - sent[token - 1]!);
  }
  return {
    ttft: ascending(samples.ttft),
    gap: ascending(samples.gap),
    endToEnd: ascending(samples.endToEnd),
  };
};

/** A figure, its bounds and its true value. */
export interface ComparedFigure extends FigureError {
  readonly actual: number;
  readonly isInside: boolean;
}

/** Histograms keep three digits and thousandths; the clocks of two processes agree to some microseconds. */
const digits = 0.001;
const agreement = 0.02;

const isInside = ({ value, low, high }: FigureError, actual: number): boolean =>
  // The lower bound is a measured value less an error.
  actual >= low - value * digits - agreement && actual <= high * (1 + digits) + agreement;

/** The figures of chat streams that have a true value. */
export const comparedFigures = (
  figures: readonly FigureError[],
  samples: TrueSamples,
): readonly ComparedFigure[] =>
  figures.flatMap((figure) => {
    const measure = tracedMeasures.find((each) => each === figure.measure);
    if (figure.traffic !== 'chat-stream' || measure === undefined) return [];
    const own = samples[measure];
    const actual = own[Math.max(1, Math.ceil(own.length * figure.q - 1e-9)) - 1];
    return actual === undefined ? [] : { ...figure, actual, isInside: isInside(figure, actual) };
  });

/** A figure as `ttft p95 238.1 ms, bounds 236.2 … 238.1, true value 237.0`. */
export const comparedText = ({ measure, q, value, low, high, actual }: ComparedFigure): string => {
  const [shown, from, to, truly] = [value, low, high, actual].map((ms) => ms.toFixed(3));
  return `${measure} p${q * 100} ${shown} ms, bounds ${from} … ${to}, true value ${truly}`;
};
