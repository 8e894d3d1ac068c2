import type { CapacityStep, CapacityTerms, EstimatedRange } from '../model/capacity.ts';
import { believedRate, isEvidence, isWithinError } from './believed-rate.ts';
import { growthCertainlyBelow, provingArrivals } from './growth.ts';
import { ceilingOf, decisiveSteps } from './judge-capacity.ts';
import { mostSeen } from './seen-throughput.ts';

export interface StepRequest {
  readonly rate: number;
  /** Duration in whole seconds. */
  readonly seconds: number;
  /** The first seconds, in which the flow becomes steady and nothing is measured. */
  readonly warmUp: number;
}

export interface SearchTerms extends CapacityTerms {
  /** Whether there are objectives of latency in addition to a steady flow. */
  readonly forLatency: boolean;
  /** Arrivals that the objectives need in the measured half of a step. */
  readonly samples: number;
}

/**
 * The relative width of an interval that ends a search. The share of late answers depends on jams: at 5 % it would take
 * two to three times the default budget.
 */
export const defaultPrecision = { flow: 0.05, latency: 0.1 } as const;

const rateFactor = 2;
/** Minimum arrivals in the measured half of a step of the climb, which may be quick. */
const climbSamples = 15;
/** A few of a quick step that miss an objective by chance would end the climb, so that a step of so many confirms it. */
const confirmingSamples = 60;
/** While a rate that is kept and one that breaks are so far apart, steps measure only so many requests and last so many seconds. */
const farFactor = 1.3;
const farSamples = 600;
const farSeconds = 40;
/** After so many measured steps, belief knows more than the highest that was kept and the lowest that broke, which may err. */
const maxApproach = 6;
/** Belief over a wider range than this knows less, too: its middle can be far below all that was kept. */
const hopelessFactor = 2;
/** Near the border, a step measures at least so many requests and lasts at least so many seconds. */
const borderSamples = 2000;
const borderSeconds = 30;
/** Duration of a step in latencies, so that its flow becomes steady. */
const latenciesPerStep = 10;
const minStepSeconds = 6;
/** The flow becomes steady in the first half of a step, or in so many seconds where that is less. */
const settlingSeconds = 15;
const maxStepSeconds = 600;
/** A step whose growth is not certain is taken again at twice the length, at most so many times in a row. */
const maxRepeats = 3;

/** The median latency in seconds at the busiest `kept` step. */
const answerSecondsOf = (steps: readonly CapacityStep[]): number => {
  const kept = steps.filter(({ verdict, latency }) => verdict === 'kept' && latency !== null);
  const busiest = kept.toSorted((a, b) => b.rate - a.rate)[0];
  return (busiest?.latency?.p50 ?? 0) / 1000;
};

const evenSeconds = (seconds: number): number =>
  2 * Math.ceil(Math.min(maxStepSeconds, seconds) / 2);

/** The seconds of load before the measured ones of a step: half of it, or what the flow needs to become steady. */
const settlingOf = (steps: readonly CapacityStep[]): number =>
  Math.max(settlingSeconds, (latenciesPerStep / 2) * answerSecondsOf(steps));

/** A step of so many seconds, of which the flow needs some to become steady. */
const stepOf = (rate: number, steps: readonly CapacityStep[], seconds: number): StepRequest => {
  const whole = evenSeconds(Math.max(seconds, latenciesPerStep * answerSecondsOf(steps)));
  return { rate, seconds: whole, warmUp: Math.ceil(Math.min(whole / 2, settlingOf(steps))) };
};

/** A step with so many arrivals after its flow has become steady. */
const secondsFor = (samples: number, rate: number, steps: readonly CapacityStep[]): number =>
  samples / rate + Math.min(samples / rate, settlingOf(steps));

/** After a step that had too few samples for an objective, the next one has twice as many. */
const wantedSamples = (steps: readonly CapacityStep[], { samples }: SearchTerms): number => {
  const last = steps.at(-1);
  return last?.verdict === 'undecided' && !isEvidence(last) ? 2 * samples : samples;
};

/** Makes steps that measure at least so many arrivals and last at least so many seconds. */
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

/** The steps of a search that knows nothing yet of the answers. */
export const climbStepFor = (rate: number, terms: SearchTerms): StepRequest =>
  climbStep(rate, [], terms);
export const borderStepFor = (rate: number, terms: SearchTerms): StepRequest =>
  borderStep(rate, [], terms);

/** How many seconds of load a step was. */
const lengthOf = ({ seconds, warmUp }: CapacityStep): number => seconds + (warmUp ?? seconds);

/** A step that is kept, but not surely, says half as much as one that breaks. */
const unsureWeight = 0.5;

/**
 * A step that broke by chance, as a few of many quick ones do: more arrivals were kept at its rate or higher ones than
 * broke at its rate or lower ones. One lucky step does not refute many that broke.
 */
const isRefuted = (broken: CapacityStep, steps: readonly CapacityStep[]): boolean => {
  // Random arrivals of a quick step are of another rate than planned.
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

/** The last step again with more arrivals, if few of them broke it and it did not grow; otherwise `null`. */
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

/** The climb: twice the rate at each step until one surely breaks or the ceiling was tried; `null` when it has ended. */
const nextClimbRate = (
  steps: readonly CapacityStep[],
  terms: SearchTerms,
  most: number,
): number | null => {
  const tried = steps.filter(isEvidence);
  // A few slow answers among few do not end the climb.
  if (tried.some((step) => step.verdict === 'broken' && step.sure && !isRefuted(step, tried))) {
    return null;
  }
  const highest = Math.max(0, ...tried.map(({ rate }) => rate));
  if (highest >= most * 0.98) return null;
  return highest === 0 ? Math.min(terms.start, most) : Math.min(most, highest * rateFactor);
};

/** Whether a step may be right though nothing is certain of its growth. */
const isUncertain = (step: CapacityStep): boolean =>
  step.verdict === 'undecided'
    ? isEvidence(step) && !isWithinError(step)
    : step.verdict === 'kept' && step.growth.high >= growthCertainlyBelow;

/** The last step at twice the length, if its growth is uncertain and it was not repeated too often; otherwise `null`. */
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

/** How far from the believed rate the steps near the border are, in parts of the precision. */
const offsets = {
  // The throughput just beyond the border is the rate itself, and a step just below shows that it can be kept.
  beyond: 1.6,
  below: -0.6,
  // A share that grows with the rate is seen best on both sides, and more often below, where jams are short.
  byTurns: [-1, 0.5, 0],
} as const;

/**
 * The highest rate that may be kept below the lowest that broke, or below what full steps completed if that is less;
 * `null` without both.
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
 * The next step while the interval is wide. Quick steps tell so little of shares that belief alone would begin far below
 * the rates that were kept; what full steps completed tells more.
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

/** The next step near the border, or on the way to it; `null` when the answer is precise enough. */
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
    // Belief is not enough: a step just below must be kept, and one just above must break.
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

/** The next step of the search; `null` when it is done. */
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
