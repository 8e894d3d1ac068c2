import type { LimiterDecision, LimitRule } from '../../../../model/limits/limit-log.ts';
import type { BurstFact } from '../../../../model/limits/limit-facts.ts';
import type { RequestSpan } from './request-spans.ts';
import { longestWindow, shortestWindow } from '../../../../judge/limits/facts/rule-bounds.ts';

/** The longest span of a burst, in windows. */
const longestBurst = 0.1;

/** By which share free-running windows can drift from their length: timers that are late. Steps of a refill are shorter, and computed. */
const windowDrift = 0.004;
const stepDrift = 0.001;

/** A burst from an idle key, and the shortest time in which the key was refused everything after it. */
interface Burst {
  readonly admitted: readonly LimiterDecision[];
  readonly begin: number;
  /** Whether a whole window without any request came before. */
  readonly isAfterIdle: boolean;
  readonly blockedFor: number;
}

/** One prefix of a burst, by its last answer. */
interface Prefix {
  readonly end: number;
  readonly count: number;
}

/** How long after the burst's last admission the key certainly still refused, with nothing admitted in between. */
const blockedTimeOf = (
  decisions: readonly LimiterDecision[],
  admitted: readonly LimiterDecision[],
): number => {
  const end = admitted.reduce((most, { answered }) => Math.max(most, answered), 0);
  const next = decisions
    .filter((decision) => decision.admitted && !admitted.includes(decision))
    .reduce(
      (least, { answered, sent }) => (answered > end ? Math.min(least, sent) : least),
      Infinity,
    );
  const refused = decisions.filter(
    (decision) => !decision.admitted && decision.sent > end && decision.answered < next,
  );
  return refused.reduce((most, { sent }) => Math.max(most, sent - end), 0);
};

/** The bursts that begin a log, or come after a whole window without any request, so that no window of the key’s own ends within them. */
const burstsIn = (
  decisions: readonly LimiterDecision[],
  requests: readonly RequestSpan[],
  { window }: LimitRule,
): readonly Burst[] => {
  const ordered = requests.toSorted((a, b) => a.from - b.from);
  let lastEnd: number | null = null;
  const begins: number[] = [];
  for (const { from, until } of ordered) {
    if (lastEnd === null || from - lastEnd > longestWindow(window)) begins.push(from);
    lastEnd = Math.max(lastEnd ?? until, until);
  }
  return begins.map((begin, place) => {
    const admitted = decisions
      .filter(
        (each) =>
          each.admitted && each.sent >= begin && each.answered <= begin + longestBurst * window,
      )
      .toSorted((a, b) => a.answered - b.answered);
    return {
      begin,
      admitted,
      isAfterIdle: place > 0,
      blockedFor: blockedTimeOf(decisions, admitted),
    };
  });
};

/** Whether a grid of windows of some length can have a boundary within both spans. */
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
 * The units that a refill in steps can add to both bursts; infinite if a boundary of whole windows can
 * be in both. A key that stayed refused for longer than a step has no such steps.
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

/** What a burst of a span can have been admitted, without steps: one limit, its refill, and one for limiters that compare after they count. */
const allowedIn = (span: number, { limit, window }: LimitRule): number =>
  limit + (limit * span) / shortestWindow(window) + 1;

const prefixesOf = ({ admitted }: Burst): readonly Prefix[] =>
  admitted.map(({ answered }, i) => ({ end: answered, count: i + 1 }));

/** The prefix of a burst that is furthest above what is allowed. */
const worstPrefix = (burst: Burst, rule: LimitRule): Prefix | null => {
  const excess = ({ end, count }: Prefix): number => count - allowedIn(end - burst.begin, rule);
  return prefixesOf(burst).reduce<Prefix | null>(
    (worst, each) => (worst === null || excess(each) > excess(worst) ? each : worst),
    null,
  );
};

const factOf = (
  { begin, isAfterIdle }: Burst,
  { end, count }: Prefix,
  rule: LimitRule,
): BurstFact => {
  const span = end - begin;
  return { begin, span, isAfterIdle, admitted: count, allowed: allowedIn(span, rule) };
};

/** How many prefixes of a burst are compared with those of another one. */
const mostPrefixes = 16;

/** Prefixes that were admitted more than is allowed, the shortest first: a shorter one has fewer boundaries within it, a longer one more excess. */
const exceedingPrefixes = (burst: Burst, rule: LimitRule): readonly BurstFact[] => {
  const exceeding = prefixesOf(burst)
    .map((prefix) => factOf(burst, prefix, rule))
    .filter(({ admitted, allowed }) => admitted > allowed);
  const every = Math.max(1, Math.ceil(exceeding.length / mostPrefixes));
  const worst = worstPrefix(burst, rule)?.count;
  return exceeding.filter(
    ({ admitted }, place) => admitted === worst || (exceeding.length - 1 - place) % every === 0,
  );
};

/**
 * The bursts of a log, and whether two of them prove that more than the limit is admitted at once: a
 * boundary of windows or a step of a refill explains one, but no grid of boundaries explains both.
 */
export const burstEnvelope = (
  decisions: readonly LimiterDecision[],
  requests: readonly RequestSpan[],
  rule: LimitRule,
): { readonly bursts: readonly BurstFact[]; readonly isExceeded: boolean } => {
  const found = burstsIn(decisions, requests, rule);
  const blockedFor = Math.max(0, ...found.map((burst) => burst.blockedFor));
  const spanOf = ({ begin, span }: BurstFact): readonly [number, number] => [begin, begin + span];
  const isBoth = (first: BurstFact, second: BurstFact): boolean => {
    const extra = stepUnits([spanOf(first), spanOf(second)], rule, blockedFor);
    return [first, second].every(({ admitted, allowed }) => admitted > allowed + extra);
  };
  const idle = found
    .filter(({ isAfterIdle }) => isAfterIdle)
    .map((burst) => exceedingPrefixes(burst, rule));
  const pairs = idle.flatMap((later, i) => idle.slice(0, i).map((earlier) => ({ earlier, later })));
  const isExceeded = pairs.some(({ earlier, later }) =>
    earlier.some((first) => later.some((second) => isBoth(first, second))),
  );
  const bursts = found.flatMap((burst) => {
    const prefix = worstPrefix(burst, rule);
    return prefix === null ? [] : [factOf(burst, prefix, rule)];
  });
  return { bursts, isExceeded };
};
