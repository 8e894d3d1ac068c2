import type { Result, SliceRun } from '../../model/result/result.ts';
import { sliceName } from '../../model/result/slice-name.ts';
import type { TrustSignal } from '../../model/result/verdict.ts';

/** A sample comes up to this many milliseconds after its second has passed, and not at all if the load has ended by then. */
const maxSampleDelay = 100;

/** Of fewer seconds than this share, the samples do not tell how the generator fared. */
const minSampledShare = 0.9;

/** Slices end together only where the plan says when: users who share a number of requests end when they are done, and a stop comes when it comes. */
const endTogether = ({ slices, plan, partial }: Result): boolean =>
  slices.length === 1 ||
  (partial === null && plan.stages.every(({ load }) => load.kind !== 'iterations'));

/** How many whole seconds of its load a slice must have sampled; gaps alone are seen where nobody knows its end. */
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

/** Seconds of which no sample tells how the generator fared: nothing vouches for them. */
export const missingSamples = (result: Result): TrustSignal | null => {
  const shortSlices = result.slices.flatMap((slice) => missingSecondsText(result, slice) ?? []);
  if (shortSlices.length === 0) return null;
  return {
    signal: 'generator samples',
    level: 'degraded',
    observed: `from ${shortSlices.join(', ')}`,
    expected: 'from at least nine seconds of ten',
    advice:
      'Nothing shows how the generator fared in the others: it stood still, or its signals were not recorded. Stop what else runs on its machine, lower the rate, and run again.',
  };
};
