import type { Result, SliceRun } from '../../model/result/result.ts';
import { sliceName } from '../../model/result/slice-name.ts';
import type { TrustSignal } from '../../model/result/verdict.ts';

/** Maximum delay of a sample after its second, in ms; there is none if the load has ended by then. */
const maxSampleDelay = 100;

/** With samples of a smaller share of the seconds, the state of the load generator is unknown. */
const minSampledShare = 0.9;

/** Slices end together only at a planned time, not when users complete a number of requests or the run is stopped. */
const endTogether = ({ slices, plan, partial }: Result): boolean =>
  slices.length === 1 ||
  (partial === null && plan.stages.every(({ load }) => load.kind !== 'iterations'));

/** The whole seconds of its load that a slice must have sampled; up to its last sample if its end is unknown. */
const wholeSeconds = (result: Result, { generator }: SliceRun): number => {
  const ofRun = Math.max(0, Math.floor((result.scheduled - maxSampleDelay) / 1000));
  if (endTogether(result) || generator.length === 0) return ofRun;
  const last = generator.reduce((latest, { second }) => Math.max(latest, second), 0);
  return Math.min(ofRun, last + 1);
};

const missingSecondsText = (result: Result, slice: SliceRun): string | null => {
  const expected = wholeSeconds(result, slice);
  const seconds = new Set(slice.generator.map(({ second }) => second));
  const sampled = [...seconds].filter((second) => second < expected).length;
  if (sampled >= expected * minSampledShare) return null;
  const sliceNote = slice.count === 1 ? '' : ` of ${sliceName(result, slice)}`;
  return `${sampled === 0 ? 'none' : sampled} of ${expected} seconds${sliceNote}`;
};

/** Seconds without a sample: the state of the load generator is not verified. */
export const missingSamples = (result: Result): TrustSignal | null => {
  const shortSlices = result.slices.flatMap((slice) => missingSecondsText(result, slice) ?? []);
  if (shortSlices.length === 0) return null;
  return {
    signal: 'generator samples',
    level: 'degraded',
    observed: `from ${shortSlices.join(', ')}`,
    expected: 'from at least 90 % of the seconds',
    advice:
      'The state of the load generator in the other seconds is unknown: it was blocked, or its signals were not recorded. Stop other programs on its machine, lower the rate, and run again.',
  };
};
