import type { LimiterDecision, LimitRule } from '../../../../model/limits/limit-log.ts';
import type { BurstFact } from '../../../../model/limits/limit-facts.ts';
import type { RequestSpan } from './even-pace.ts';
import { longestWindow, shortestWindow } from '../../../../judge/limits/facts/rule-bounds.ts';

const longestBurst = 0.1;
/** A window that a timer starts may be late by up to this share of its length. */
const windowDrift = 0.004;
/**
 * The maximum drift of a refill's steps, as a share of a step. The drift is small, since steps are computed from the
 * time.
 */
const stepDrift = 0.001;

interface Burst {
  readonly admitted: readonly LimiterDecision[];
  readonly begin: number;
  /** Whether a whole window without requests came before the burst. */
  readonly isAfterIdle: boolean;
  readonly blockedFor: number;
}

/**
 * Returns how long, in ms, the key was certainly blocked after a burst: the time from the last admission of the burst
 * to the last refused request before the next admission.
 */
const blockedTimeOf = (
  decisions: readonly LimiterDecision[],
  admitted: readonly LimiterDecision[],
): number => {
  const end = admitted.at(-1)?.answered ?? 0;
  const later = decisions.filter(
    (decision) => decision.admitted && decision.answered > end && !admitted.includes(decision),
  );
  const next = Math.min(Infinity, ...later.map(({ sent }) => sent));
  const refused = decisions.filter(
    (decision) => !decision.admitted && decision.sent > end && decision.answered < next,
  );
  return Math.max(0, ...refused.map(({ sent }) => sent - end));
};

/**
 * Returns the burst at the start of the log and the burst after each idle window. A burst lasts at most a tenth of a
 * window, so a window that begins with the burst's first request cannot end within the burst.
 */
const burstsIn = (
  decisions: readonly LimiterDecision[],
  requests: readonly RequestSpan[],
  { window }: LimitRule,
): readonly Burst[] => {
  let lastEnd = Number.NEGATIVE_INFINITY;
  const begins: number[] = [];
  for (const { from, until } of requests.toSorted((a, b) => a.from - b.from)) {
    if (from - lastEnd > longestWindow(window)) begins.push(from);
    lastEnd = Math.max(lastEnd, until);
  }
  return begins.map((begin, place) => {
    const end = begin + longestBurst * window;
    const admitted = decisions
      .filter((each) => each.admitted && each.sent >= begin && each.answered <= end)
      .toSorted((a, b) => a.answered - b.answered);
    const blockedFor = blockedTimeOf(decisions, admitted);
    return { begin, admitted, isAfterIdle: place > 0, blockedFor };
  });
};

/** Returns whether a grid of windows that are `period` ms long can have a boundary in both spans. */
const straddlesBoth = (
  [from, until]: readonly [number, number],
  [laterFrom, laterUntil]: readonly [number, number],
  period: number,
  drift: number,
): boolean => {
  const [least, most] = [laterFrom - until, laterUntil - from];
  const cycles = Math.max(1, Math.floor(most / (period * (1 - drift))));
  for (let count = cycles; count >= 1; count -= 1) {
    if (count * period * (1 + drift) < least) return false;
    if (count * period * (1 - drift) <= most) return true;
  }
  return false;
};

/**
 * Returns how many requests a stepped refill can add to each of two bursts; infinity if both bursts can contain the end
 * of a window. `spans` are the times of the bursts, in ms. A step takes at least `blockedFor` ms, the time for which
 * the key was blocked. Example: at 60 requests in 60 s, a refill of 15 s that can be in both bursts adds 15 to each
 * burst.
 */
const stepUnits = (
  spans: readonly [readonly [number, number], readonly [number, number]],
  { limit, window }: LimitRule,
  blockedFor: number,
): number => {
  const [first, second] = spans;
  if (straddlesBoth(first, second, window, windowDrift)) return Infinity;
  for (let steps = 2; steps <= limit; steps += 1) {
    const step = window / steps;
    if (blockedFor <= step * (1 + stepDrift) && straddlesBoth(first, second, step, stepDrift))
      return limit / steps;
  }
  return 0;
};

/**
 * Returns the maximum number of admissions in a burst that contains no boundary and no step: the limit, plus the refill
 * during `span`, plus one request, since some limiters compare only after they count. Example: at 60 requests in 60 s,
 * about 60 + 1 + 1 in the first second.
 */
const allowedIn = (span: number, { limit, window }: LimitRule): number =>
  limit + (limit * span) / shortestWindow(window) + 1;

const prefixesOf = (
  { begin, isAfterIdle, admitted }: Burst,
  rule: LimitRule,
): readonly BurstFact[] =>
  admitted.map(({ answered }, i) => {
    const span = answered - begin;
    return { begin, span, isAfterIdle, admitted: i + 1, allowed: allowedIn(span, rule) };
  });

const worstOf = (prefixes: readonly BurstFact[]): BurstFact | undefined => {
  const excess = ({ admitted, allowed }: BurstFact): number => admitted - allowed;
  return prefixes.toSorted((a, b) => excess(b) - excess(a))[0];
};

const maxPrefixes = 16;

/**
 * Returns prefixes of a burst (its first n admissions) that contain more admissions than allowed: a sample of up to 16
 * lengths, and the prefix with the largest excess. A long prefix has a larger excess, but a short prefix contains fewer
 * boundaries that can explain an excess.
 */
const exceedingOf = (prefixes: readonly BurstFact[]): readonly BurstFact[] => {
  const exceeding = prefixes.filter(({ admitted, allowed }) => admitted > allowed);
  const every = Math.max(1, Math.ceil(exceeding.length / maxPrefixes));
  const worst = worstOf(prefixes)?.admitted;
  return exceeding.filter(
    ({ admitted }, place) => admitted === worst || (exceeding.length - 1 - place) % every === 0,
  );
};

/**
 * Finds the bursts of a log, and decides whether two bursts prove that the limit is exceeded. The end of a window, or a
 * step of a refill, explains one burst above the limit. Two such bursts are explained only if the ends of equally long
 * windows, or equally long steps, can lie in both bursts. Example: two bursts that are 100 s apart cannot both contain
 * the end of a window of 60 s.
 */
export const burstEnvelope = (
  decisions: readonly LimiterDecision[],
  requests: readonly RequestSpan[],
  rule: LimitRule,
): { readonly bursts: readonly BurstFact[]; readonly isExceeded: boolean } => {
  const found = burstsIn(decisions, requests, rule);
  const blockedFor = Math.max(0, ...found.map((burst) => burst.blockedFor));
  const spanOf = ({ begin, span }: BurstFact): readonly [number, number] => [begin, begin + span];
  const isProof = (first: BurstFact, second: BurstFact): boolean => {
    const extra = stepUnits([spanOf(first), spanOf(second)], rule, blockedFor);
    return [first, second].every(({ admitted, allowed }) => admitted > allowed + extra);
  };
  const prefixes = found.map((burst) => prefixesOf(burst, rule));
  const idle = prefixes.filter(([first]) => first?.isAfterIdle).map(exceedingOf);
  const pairs = idle.flatMap((later, i) => idle.slice(0, i).map((earlier) => ({ earlier, later })));
  const isExceeded = pairs.some(({ earlier, later }) =>
    earlier.some((first) => later.some((second) => isProof(first, second))),
  );
  const bursts = prefixes.flatMap((each) => worstOf(each) ?? []);
  return { bursts, isExceeded };
};
