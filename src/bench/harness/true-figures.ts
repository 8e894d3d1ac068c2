import type { Recorded, SentTokens } from '../../verbs/calibrate/judge/measured-errors.ts';
import type { FigureError } from '../../model/result/verdict.ts';

/** Percentiles as an ideal load generator would have measured them, from the gateway's trace log, and whether the published bounds contain them. */

/** The measures whose true values are in the trace log. */
const tracedMeasures = ['ttft', 'gap', 'endToEnd'] as const;
type TracedMeasure = (typeof tracedMeasures)[number];

/** The tokens of an answer: each left the gateway between the two instants, in ms of the machine's monotonic clock. */
export interface WrittenTokens extends SentTokens {
  readonly written: readonly number[];
}

/** Both sides' records of a run. */
interface BothSides extends Recorded {
  readonly traces: readonly WrittenTokens[];
  /** Requests due before this are left out, in ms of the run. */
  readonly warmUp: number;
}

/** The least and the greatest values, in ms, that the true samples can have, each ascending. */
export type TrueSamples = Readonly<
  Record<TracedMeasure, { readonly least: Float64Array; readonly most: Float64Array }>
>;

const ascending = (ranges: readonly (readonly [number, number])[]) => ({
  least: Float64Array.from(ranges, ([least]) => least).sort(),
  most: Float64Array.from(ranges, ([, most]) => most).sort(),
});

/**
 * The true samples of all streams that completed. A request that was begun late is answered as much later, so its lag is
 * subtracted. A gateway that waits for a CPU between its clock and its write does not know when a token left it, so each
 * sample is a range. Throws if the gateway sent other tokens than were read: then nothing can be compared.
 */
export const trueSamplesOf = ({ traces, zero, observations, warmUp }: BothSides): TrueSamples => {
  const byId = new Map(traces.map((trace) => [trace.requestId, trace]));
  const samples: Record<TracedMeasure, [number, number][]> = { ttft: [], gap: [], endToEnd: [] };
  for (const { requestId, due, begun, released, outcome } of observations) {
    if (due < warmUp || outcome.kind !== 'completed') continue;
    if (outcome.answer.kind !== 'chat-stream') continue;
    const { sent, written } = byId.get(requestId) ?? { sent: [], written: [] };
    const tokens = outcome.answer.tokenInstants.length;
    if (sent.length !== tokens || tokens === 0)
      throw new Error(`${requestId}: ${sent.length} tokens in the trace log, ${tokens} were read`);
    const wouldBeDue = zero + due + (begun - released);
    const since = (token: number): [number, number] => [
      sent[token]! - wouldBeDue,
      written[token]! - wouldBeDue,
    ];
    samples.ttft.push(since(0));
    samples.endToEnd.push(since(tokens - 1));
    for (let token = 1; token < tokens; token += 1)
      samples.gap.push([
        Math.max(0, sent[token]! - written[token - 1]!),
        written[token]! - sent[token - 1]!,
      ]);
  }
  return {
    ttft: ascending(samples.ttft),
    gap: ascending(samples.gap),
    endToEnd: ascending(samples.endToEnd),
  };
};

/** A figure, its bounds and the range that its true value lies in. */
export interface ComparedFigure extends FigureError {
  readonly least: number;
  readonly most: number;
  readonly isInside: boolean;
}

/** Histograms keep three digits and thousandths; the clocks of two processes agree to some microseconds. */
const digits = 0.001;
const agreement = 0.02;

const canBeInside = ({ value, low, high }: FigureError, least: number, most: number): boolean =>
  // The lower bound is a measured value less an error.
  most >= low - value * digits - agreement && least <= high * (1 + digits) + agreement;

/** The figures of chat streams that have a true value. */
export const comparedFigures = (
  figures: readonly FigureError[],
  samples: TrueSamples,
): readonly ComparedFigure[] =>
  figures.flatMap((figure) => {
    const measure = tracedMeasures.find((each) => each === figure.measure);
    if (figure.traffic !== 'chat-stream' || measure === undefined) return [];
    const own = samples[measure];
    const at = Math.max(1, Math.ceil(own.least.length * figure.q - 1e-9)) - 1;
    const [least, most] = [own.least[at], own.most[at]];
    if (least === undefined || most === undefined) return [];
    return { ...figure, least, most, isInside: canBeInside(figure, least, most) };
  });

/** A figure as `ttft p95 238.1 ms, bounds 236.2 … 238.1, true value 237.0 … 237.1`. */
export const comparedText = ({
  measure,
  q,
  value,
  low,
  high,
  least,
  most,
}: ComparedFigure): string => {
  const [shown, from, to, ...truly] = [value, low, high, least, most].map((ms) => ms.toFixed(3));
  return `${measure} p${q * 100} ${shown} ms, bounds ${from} … ${to}, true value ${truly.join(' … ')}`;
};
