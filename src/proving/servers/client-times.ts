import { judgeTrust } from '../../judge/trust/judge-trust.ts';
import { confidenceRanks, quantile } from '../../model/measures/quantile.ts';
import type { Result } from '../../model/result/result.ts';
import { distributionOf } from '../../model/result/summary.ts';

/** A run's times against those of an independent client beside it. */

/** What an independent client measured beside a run. */
export interface ClientTimes {
  readonly answered: number;
  /** Those that a server which closes connections early has cost it. */
  readonly failed: number;
  /** In ms. */
  readonly ttft: readonly number[];
  readonly gap: readonly number[];
}

/** The median of one measure by both sides, each with the interval in which it lies, in ms. */
export interface ComparedMedian {
  readonly measure: 'ttft' | 'gap';
  readonly weir: readonly [number, number];
  readonly client: readonly [number, number];
  readonly agree: boolean;
}

/** An interpreted client reads up to this much late, in ms. */
const clientLateness = 2;

/** Where the median of samples lies with 95 % confidence. */
const medianOf = (samples: readonly number[]): readonly [number, number] => {
  const sorted = samples.toSorted((a, b) => a - b);
  const { low, high } = confidenceRanks(sorted.length, 0.5);
  return [sorted[low - 1] ?? 0, sorted[high - 1] ?? Number.POSITIVE_INFINITY];
};

const isStream = ({ traffic }: { readonly traffic: string }): boolean => traffic === 'chat-stream';

/** The medians of time to first token and gap, by the run with its published bounds and by the client. */
export const compareMedians = (result: Result, times: ClientTimes): readonly ComparedMedian[] =>
  (['ttft', 'gap'] as const).flatMap((measure) => {
    const figure = judgeTrust(result).figures.find(
      (each) => each.traffic === 'chat-stream' && each.measure === measure && each.q === 0.5,
    );
    if (figure === undefined) return [];
    // The published bounds are about reading; both sides are samples besides.
    const samples = quantile(distributionOf(result, measure, isStream), 0.5);
    const weir = [
      Math.max(0, figure.low - (figure.value - (samples?.low ?? 0))),
      figure.high + ((samples?.high ?? Number.POSITIVE_INFINITY) - figure.value),
    ] as const;
    const [low, high] = medianOf(times[measure]);
    const client = [Math.max(0, low - clientLateness), high] as const;
    const agree = weir[0] <= client[1] && client[0] <= weir[1];
    return [{ measure, weir, client, agree }];
  });
