import type { CapacityStep, CapacityTerms, EstimatedRange } from '../model/capacity.ts';
import { believedRate, isEvidence, isWithinError } from './believed-rate.ts';
import { growthCertainlyBelow, provingArrivals } from './growth.ts';
import { ceilingOf, decisiveSteps } from './judge-capacity.ts';
import { mostSeen } from './seen-throughput.ts';

export interface StepRequest {
  readonly rate: number;
  /** The duration of the step in whole seconds, including the warm-up. */
  readonly seconds: number;
  /** The first seconds of the step. In these seconds the flow becomes steady, and Weir measures nothing. */
  readonly warmUp: number;
}

export interface SearchTerms extends CapacityTerms {
  /** Whether objectives require more than a steady flow, for example short latencies. */
  readonly forLatency: boolean;
  /** The measured half of a step needs at least this many arrivals, so that every objective can be decided. */
  readonly samples: number;
}

/**
 * The relative width of the interval at which the search ends. Jams make the share of late answers vary. For objectives
 * of latency, a width of 5 % would therefore take two to three times the default budget.
 */
export const defaultPrecision = { flow: 0.05, latency: 0.1 } as const;

const rateFactor = 2;
/** The measured half of a step of the climb has at least this many arrivals. Steps of the climb may be short. */
const climbSamples = 15;
/**
 * A short step that missed the objective is repeated with this many arrivals. Otherwise a few misses by chance would
 * end the climb.
 */
const confirmingSamples = 60;
/**
 * If the broken rate is at least this factor above the kept rate, the two rates are far apart. The next step then
 * measures only `farSamples` requests and lasts only `farSeconds`.
 */
const farFactor = 1.3;
const farSamples = 600;
const farSeconds = 40;
/**
 * After this number of measured steps, the distribution of the highest rate is more reliable than the highest kept and
 * the lowest broken rate, since single verdicts may be wrong.
 */
const maxApproach = 6;
/**
 * If the upper end of the distribution's interval is more than this many times the lower end, the distribution is less
 * reliable than the highest kept and the lowest broken rate. The middle of the distribution can then be far below all
 * kept rates.
 */
const hopelessFactor = 2;
/** A step near the border measures at least this many requests in at least this many seconds. */
const borderSamples = 2000;
const borderSeconds = 30;
/** The minimum duration of a step, in median latencies. A step of this duration has time to become steady. */
const latenciesPerStep = 10;
const minStepSeconds = 6;
/** The warm-up of a step lasts this many seconds (longer if answers are slow), but at most half of the step. */
const settlingSeconds = 15;
const maxStepSeconds = 600;
/**
 * A step is repeated at most this many times in a row if it is uncertain whether the number of requests in flight grew.
 * Each repetition is twice as long as the one before.
 */
const maxRepeats = 3;

/** Returns the median latency in seconds of the busiest `kept` step; 0 if there is no such step. */
const answerSecondsOf = (steps: readonly CapacityStep[]): number => {
  const kept = steps.filter(({ verdict, latency }) => verdict === 'kept' && latency !== null);
  const busiest = kept.toSorted((a, b) => b.rate - a.rate)[0];
  return (busiest?.latency?.p50 ?? 0) / 1000;
};

const evenSeconds = (seconds: number): number =>
  2 * Math.ceil(Math.min(maxStepSeconds, seconds) / 2);

/** Returns the seconds that the flow needs to become steady. A step measures nothing in these seconds. */
const settlingOf = (steps: readonly CapacityStep[]): number =>
  Math.max(settlingSeconds, (latenciesPerStep / 2) * answerSecondsOf(steps));

/** Returns a step of at least this many seconds. The first seconds are a warm-up, in which the flow becomes steady. */
const stepOf = (rate: number, steps: readonly CapacityStep[], seconds: number): StepRequest => {
  const whole = evenSeconds(Math.max(seconds, latenciesPerStep * answerSecondsOf(steps)));
  return { rate, seconds: whole, warmUp: Math.ceil(Math.min(whole / 2, settlingOf(steps))) };
};

/** Returns the seconds of a step that has this many arrivals after its flow became steady. */
const secondsFor = (samples: number, rate: number, steps: readonly CapacityStep[]): number =>
  samples / rate + Math.min(samples / rate, settlingOf(steps));

/**
 * Returns the number of arrivals of the next step: twice the usual number if the last step had too few arrivals for an
 * objective.
 */
const wantedSamples = (steps: readonly CapacityStep[], { samples }: SearchTerms): number => {
  const last = steps.at(-1);
  return last?.verdict === 'undecided' && !isEvidence(last) ? 2 * samples : samples;
};

/**
 * Returns a function that makes steps. Each step has at least `leastSamples` measured arrivals, and lasts at least
 * `leastSeconds`.
 */
const stepsOf =
  (leastSamples: number, leastSeconds: number) =>
  (rate: number, steps: readonly CapacityStep[], terms: SearchTerms): StepRequest => {
    const samples = Math.max(wantedSamples(steps, terms), leastSamples);
    return stepOf(rate, steps, Math.max(leastSeconds, secondsFor(samples, rate, steps)));
  };

const climbStep = stepsOf(climbSamples, minStepSeconds);
const confirmingStep = stepsOf(confirmingSamples, minStepSeconds);
const farStep = stepsOf(farSamples, farSeconds);
const borderStep = stepsOf(borderSamples, borderSeconds);

/** Returns the first step of a search, before any step was measured. */
export const climbStepFor = (rate: number, terms: SearchTerms): StepRequest =>
  climbStep(rate, [], terms);
export const borderStepFor = (rate: number, terms: SearchTerms): StepRequest =>
  borderStep(rate, [], terms);

/** Returns the duration of a step's load in seconds, including the warm-up. */
const lengthOf = ({ seconds, warmUp }: CapacityStep): number => seconds + (warmUp ?? seconds);

/** The weight of a step that is kept, but not surely. A broken step has the weight 1. */
const unsureWeight = 0.5;

/**
 * Returns whether a step probably broke by chance, as a few of many quick steps do. A step probably broke by chance if
 * the arrivals of kept steps at its rate or above outweigh the arrivals of broken steps at its rate or below. So one
 * lucky step does not refute many broken steps.
 */
const isRefuted = (broken: CapacityStep, steps: readonly CapacityStep[]): boolean => {
  // The random arrivals of a quick step have another rate than planned, so slightly lower rates are treated as the same
  // rate.
  const same = broken.rate * (1 - Math.max(0.02, 1 / Math.sqrt(broken.arrivals)));
  let [kept, missed] = [0, 0];
  for (const { verdict, sure, rate, arrivals } of steps) {
    if (verdict === 'kept' && rate >= same) {
      kept += arrivals * (sure ? 1 : unsureWeight);
    }
    if (verdict === 'broken' && rate <= broken.rate) missed += arrivals;
  }
  return kept > missed;
};

/**
 * Returns a repetition of the last step with more arrivals if chance may have broken that step: the step had few
 * arrivals, and less than half of them missed an objective. Otherwise returns `null`.
 */
const confirmation = (steps: readonly CapacityStep[], terms: SearchTerms): StepRequest | null => {
  const last = steps.at(-1);
  const isDoubtful =
    last?.verdict === 'broken' &&
    last.sure &&
    last.arrivals < confirmingSamples * 0.75 &&
    last.breaches.every(({ bound }) => bound !== 'concurrency') &&
    (last.misses?.some((miss) => miss !== null && miss.share > miss.allowed) ?? false) &&
    last.misses!.every((miss) => miss === null || miss.share < 0.5);
  return isDoubtful ? confirmingStep(last.rate, steps, terms) : null;
};

/**
 * Returns the next rate of the climb: twice the last rate, until a step surely breaks or the ceiling was tried. Returns
 * `null` when the climb has ended.
 */
const nextClimbRate = (
  steps: readonly CapacityStep[],
  terms: SearchTerms,
  most: number,
): number | null => {
  const tried = steps.filter(isEvidence);
  // A step that broke by chance does not end the climb.
  if (tried.some((step) => step.verdict === 'broken' && step.sure && !isRefuted(step, tried))) {
    return null;
  }
  const highest = Math.max(0, ...tried.map(({ rate }) => rate));
  if (highest >= most * 0.98) return null;
  return highest === 0 ? Math.min(terms.start, most) : Math.min(most, highest * rateFactor);
};

/** Returns whether a step is uncertain only because of the growth of its requests in flight. */
const isUncertain = (step: CapacityStep): boolean =>
  step.verdict === 'undecided'
    ? isEvidence(step) && !isWithinError(step)
    : step.verdict === 'kept' && step.growth.high >= growthCertainlyBelow;

/**
 * Returns a repetition of the last step at twice its length. Returns `null` if the growth of the step's requests in
 * flight is certain, if the step has too few arrivals to prove a growth, or if the step was repeated too often.
 */
const repeated = (steps: readonly CapacityStep[]): StepRequest | null => {
  const last = steps.at(-1);
  if (last === undefined || last.arrivals < provingArrivals * 0.9 || !isUncertain(last))
    return null;
  const length = lengthOf(last);
  const seconds = evenSeconds(2 * length);
  const first = steps.length - 1 - maxRepeats;
  const isSame = (step: CapacityStep | undefined): boolean =>
    step !== undefined && Math.abs(Math.log(step.rate / last.rate)) < 0.002;
  if (seconds <= length || (first >= 0 && steps.slice(first).every(isSame))) return null;
  return stepOf(last.rate, steps, seconds);
};

/**
 * How far the next rate is from the believed rate, in units of the precision. At a precision of 5 %, 1.6 means 8 %
 * above.
 */
const offsets = {
  // Just above the border, the throughput is the capacity itself. Just below the border, a step shows that the rate can
  // be kept.
  beyond: 1.6,
  below: -0.6,
  // The share of misses grows with the rate, and is estimated best from steps on both sides of the border. Jams are
  // shorter below the border, so the steps reach farther below it than above it.
  byTurns: [-1, 0.5, 0],
} as const;

/**
 * Returns two rates. `broken` is the lowest rate that broke, or the rate that saturated steps completed, whichever is
 * lower. `kept` is the highest kept rate below `broken`. Returns `null` if either is missing.
 */
const triedBounds = (steps: readonly CapacityStep[]) => {
  const broken = Math.min(
    mostSeen(steps.filter(isEvidence))?.value ?? Infinity,
    ...steps.flatMap((step) =>
      step.verdict === 'broken' &&
      (step.sure || step.arrivals >= farSamples / 2) &&
      !isRefuted(step, steps)
        ? [step.rate]
        : [],
    ),
  );
  const kept = Math.max(
    0,
    ...steps.flatMap(({ verdict, rate }) => (verdict === 'kept' && rate < broken ? [rate] : [])),
  );
  return broken < Infinity && kept > 0 ? { kept, broken } : null;
};

/**
 * Returns the next rate while the interval is wide. Quick steps show little about shares, so the distribution alone
 * would lead far below the rates that were kept. The tried rates and the throughput of saturated steps show more.
 */
const approach = (
  { value, low, high }: EstimatedRange,
  steps: readonly CapacityStep[],
  { forLatency, precision }: SearchTerms,
): { readonly rate: number; readonly isFar: boolean } => {
  const beyond = forLatency ? 1 : 1 + offsets.beyond * precision;
  const measured = steps.filter(({ arrivals }) => arrivals >= farSamples / 2);
  const isOpen = measured.length < maxApproach || high > hopelessFactor * low;
  const tried = isOpen ? triedBounds(steps) : null;
  if (tried === null) return { rate: value * beyond, isFar: false };
  const { kept, broken } = tried;
  const isFar = forLatency && broken > kept * farFactor;
  const isBetween = value >= kept * 0.95 && value <= broken;
  if (isBetween && !isFar) return { rate: value * beyond, isFar };
  if (forLatency) return { rate: Math.sqrt(kept * broken), isFar };
  const isFull = measured.some(({ rate }) => rate >= broken && rate <= broken * 1.2);
  return { rate: isFull ? broken * (1 + offsets.below * precision) : broken * beyond, isFar };
};

/** Returns the next step near the border, or on the way to the border; `null` if the answer is precise enough. */
const nextRefinedStep = (
  steps: readonly CapacityStep[],
  terms: SearchTerms,
  most: number,
): StepRequest | null => {
  const belief = believedRate(steps, terms, terms.forLatency);
  const { value, low, high } = belief;
  const { precision, forLatency } = terms;
  const stepBy = (offset: number): StepRequest =>
    borderStep(Math.min(most, value * (1 + offset * precision)), steps, terms);
  const near = (verdict: string, from: number, to: number): boolean =>
    steps.some(
      (step) =>
        step.verdict === verdict &&
        step.rate >= value * from &&
        step.rate <= value * to &&
        !isUncertain(step),
    );
  const kept = near('kept', 1 - 1.2 * precision, 1 + precision);
  const broken = near('broken', 1 - precision, 1 + (forLatency ? 2 : 4) * precision);
  if (high / low > 1 + 3 * precision) {
    const { rate, isFar } = approach(belief, steps, terms);
    return (isFar ? farStep : borderStep)(Math.min(most, rate), steps, terms);
  }
  if (high / low <= 1 + precision) {
    // A narrow interval alone does not end the search. A step just below the believed rate must be kept, and a step
    // just above the believed rate must break.
    if (!kept) return stepBy(offsets.below);
    return broken ? null : stepBy(1.2);
  }
  const turn = forLatency
    ? offsets.byTurns[steps.length % offsets.byTurns.length]!
    : kept || steps.at(-1)!.rate < value
      ? offsets.beyond
      : offsets.below;
  return stepBy(turn);
};

/** Returns the next step of the search; `null` if the search is done. */
export const nextStep = (
  steps: readonly CapacityStep[],
  terms: SearchTerms,
): StepRequest | null => {
  const most = Math.min(terms.top, ceilingOf(terms, steps)?.rate ?? Infinity);
  const confirming = confirmation(steps, terms);
  if (confirming !== null) return confirming;
  const higher = nextClimbRate(steps, terms, most);
  if (higher !== null) return climbStep(higher, steps, terms);
  const again = repeated(steps);
  if (again !== null) return again;
  if (decisiveSteps(steps).every(({ verdict }) => verdict === 'kept')) return null;
  return nextRefinedStep(steps, terms, most);
};
