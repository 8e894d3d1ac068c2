import type { CapacityStep, CapacityTerms } from '../model/capacity.ts';
import { believedRate, isEvidence } from './believed-rate.ts';
import { growthCertainlyBelow } from './growth.ts';
import { ceilingOf, decisiveSteps } from './judge-capacity.ts';

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

const rateFactor = 2;
/** Minimum arrivals in the measured half of a step of the climb, which may be quick. */
const climbSamples = 15;
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
const borderStep = stepsOf(borderSamples, borderSeconds);

/** The steps of a search that knows nothing yet of the answers. */
export const climbStepFor = (rate: number, terms: SearchTerms): StepRequest =>
  climbStep(rate, [], terms);
export const borderStepFor = (rate: number, terms: SearchTerms): StepRequest =>
  borderStep(rate, [], terms);

/** How many seconds of load a step was. */
const lengthOf = ({ seconds, warmUp }: CapacityStep): number => seconds + (warmUp ?? seconds);

/** The climb: twice the rate at each step until one surely breaks or the ceiling was tried; `null` when it has ended. */
const nextClimbRate = (
  steps: readonly CapacityStep[],
  terms: SearchTerms,
  most: number,
): number | null => {
  const tried = steps.filter(isEvidence);
  // A few slow answers among few do not end the climb.
  if (tried.some(({ verdict, sure }) => verdict === 'broken' && sure)) return null;
  const highest = Math.max(0, ...tried.map(({ rate }) => rate));
  if (highest >= most * 0.98) return null;
  return highest === 0 ? Math.min(terms.start, most) : Math.min(most, highest * rateFactor);
};

/** Whether a step may be right though nothing is certain of its growth. */
const isUncertain = ({ verdict, growth, breaches }: CapacityStep): boolean =>
  verdict === 'undecided'
    ? breaches.length > 0
    : verdict === 'kept' && growth.high >= growthCertainlyBelow;

/** The last step at twice the length, if its growth is uncertain and it was not repeated too often; otherwise `null`. */
const repeated = (steps: readonly CapacityStep[]): StepRequest | null => {
  const last = steps.at(-1);
  if (last === undefined || !isUncertain(last)) return null;
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

/** The rate to try next; `null` when the answer is precise enough. */
const nextRefinedRate = (steps: readonly CapacityStep[], terms: SearchTerms): number | null => {
  const { value, low, high } = believedRate(steps, terms, terms.forLatency);
  const { precision, forLatency } = terms;
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
    return forLatency ? value : value * (1 + offsets.beyond * precision);
  }
  if (high / low <= 1 + precision) {
    // Belief is not enough: a step just below must be kept, and one just above must break.
    if (!kept) return value * (1 + offsets.below * precision);
    return broken ? null : value * (1 + 1.2 * precision);
  }
  const turn = forLatency
    ? offsets.byTurns[steps.length % offsets.byTurns.length]!
    : kept || steps.at(-1)!.rate < value
      ? offsets.beyond
      : offsets.below;
  return value * (1 + turn * precision);
};

/** The next step of the search; `null` when it is done. */
export const nextStep = (
  steps: readonly CapacityStep[],
  terms: SearchTerms,
): StepRequest | null => {
  const most = Math.min(terms.top, ceilingOf(terms, steps)?.rate ?? Infinity);
  const higher = nextClimbRate(steps, terms, most);
  if (higher !== null) return climbStep(higher, steps, terms);
  const again = repeated(steps);
  if (again !== null) return again;
  if (decisiveSteps(steps).every(({ verdict }) => verdict === 'kept')) return null;
  const rate = nextRefinedRate(steps, terms);
  return rate === null ? null : borderStep(Math.min(rate, most), steps, terms);
};
