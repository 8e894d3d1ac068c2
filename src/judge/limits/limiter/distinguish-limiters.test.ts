// @gate 1 s
import { describe, expect, it } from 'vitest';
import type { LimiterDecision } from '../../../model/limits/limit-log.ts';
import { instant, milliseconds } from '../../../model/quantity.ts';
import { distinguishLimiters, identifyLimiter } from './identify-limiter.ts';

const limit = 6;
const minute = 60;
const terms = {
  declared: { limit, window: milliseconds(minute * 1000) },
  clock: null,
  besides: [[]],
};

/** Decides whether a request at a second is admitted, after those at earlier seconds that were. */
type Rule = (at: number, admitted: readonly number[]) => boolean;

const within = (admitted: readonly number[], from: number, to: number): number =>
  admitted.filter((each) => each >= from && each < to).length;

/** Where windows and steps begin, and how many steps a window has; the size of a small bucket. */
const [phase, steps, bucketSize] = [17, 2, 3];

/** A bucket of a size, refilled with the limit in each minute by a clock that may stand still between steps. */
const bucketRule =
  (size: number, clock: (at: number) => number): Rule =>
  (at, admitted) => {
    let [tokens, last] = [size, 0];
    for (const each of [...admitted, at]) {
      tokens = Math.min(size, tokens + ((clock(each) - clock(last)) * limit) / minute) - 1;
      last = each;
    }
    return tokens >= 0;
  };

const rules = {
  'sliding-log': (at, admitted) => within(admitted, at - minute + 1e-9, at + 1) < limit,
  'sliding-counter': (at, admitted) => {
    const begin = Math.floor(at / minute) * minute;
    const [now, before] = [
      within(admitted, begin, at + 1),
      within(admitted, begin - minute, begin),
    ];
    return now + before * (1 - (at - begin) / minute) < limit;
  },
  'token-bucket': bucketRule(limit, (at) => at),
  'fixed-from-first': (at, admitted) => {
    let [begin, count] = [Number.NEGATIVE_INFINITY, 0];
    for (const each of admitted) {
      if (each >= begin + minute) [begin, count] = [each, 0];
      count += 1;
    }
    return at >= begin + minute || count < limit;
  },
  'fixed-any-phase': (at, admitted) => {
    const begin = Math.floor((at - phase) / minute) * minute + phase;
    return within(admitted, begin, at + 1) < limit;
  },
  'burst-bucket': bucketRule(bucketSize, (at) => at),
  'stepped-bucket': bucketRule(
    limit,
    (at) => (Math.floor(((at - phase) * steps) / minute) * minute) / steps,
  ),
} as const satisfies Record<string, Rule>;

/** Bursts and pauses that no rule's window divides, each request answered after 20 ms. */
const seconds = Array.from({ length: 12 }, (_, burst) =>
  Array.from({ length: 9 }, (__, i) => burst * 47.3 + i * (burst % 3 === 0 ? 0.5 : 4.1)),
).flat();

const logOf = (rule: Rule): readonly LimiterDecision[] => {
  const taken: number[] = [];
  return seconds.map((at) => {
    const admitted = rule(at, taken);
    if (admitted) taken.push(at);
    const [sent, answered] = [instant(at * 1000), instant(at * 1000 + 20)];
    return { sent, answered, ended: answered, admitted };
  });
};

describe('a log of one limiter', () => {
  it.each([
    ['sliding-log', []],
    ['sliding-counter', []],
    // Such a log does not show whether a bucket refills in small steps.
    ['token-bucket', ['stepped-bucket']],
    ['fixed-from-first', []],
    ['fixed-any-phase', []],
    ['burst-bucket', []],
    ['stepped-bucket', []],
  ] as const)('is explained by its own class: %s', (name, alike) => {
    const { best, ties } = identifyLimiter(logOf(rules[name]), terms);
    expect([best?.limiter, ties.map(({ limiter }) => limiter)]).toEqual([name, alike]);
    expect(best!.wrong).toBe(0);
  });

  it('differs from another class in the decisions that only one of them makes', () => {
    const log = logOf(rules['sliding-log']);
    const { ranking } = identifyLimiter(log, terms);
    const bucket = ranking.find(({ limiter }) => limiter === 'token-bucket');
    const found = distinguishLimiters(log, terms, ['sliding-log', 'token-bucket']);
    expect(found).toHaveLength(bucket!.wrong);
    expect(found.length).toBeGreaterThan(0);
    for (const { index, observed, predicted } of found) {
      expect(observed).toBe(predicted[0]);
      expect(predicted[1]).not.toBe(observed);
      expect(log[index]!.admitted).toBe(observed === 'admitted');
    }
    expect(distinguishLimiters(log, terms, [null, 'token-bucket'])).toEqual(found);
    expect(distinguishLimiters(log, terms, ['token-bucket', 'token-bucket'])).toEqual([]);
  });
});
