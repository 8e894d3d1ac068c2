// @long 2 s
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limiterClassNames, type LimiterDecision } from '../../../../model/limits/limit-log.ts';
import { instant, milliseconds } from '../../../../model/quantity.ts';
import { limitFacts } from './limit-facts.ts';
import { evenRate, windowTolerance } from '../../../../judge/limits/facts/rule-bounds.ts';
import {
  type LimiterShape,
  seenDecisions,
  trueLimiters,
} from '../../../../judge/limits/facts/true-limiters.fixture.ts';

const factsOf = (
  decisions: readonly LimiterDecision[],
  rule: { readonly limit: number; readonly window: number },
  more: {
    readonly isIdleBefore?: boolean;
    readonly isFreshBefore?: boolean;
    readonly sustained?: readonly LimiterDecision[];
  } = {},
) =>
  limitFacts(
    {
      decisions,
      paced: decisions,
      sustained: more.sustained ?? decisions,
      history: {
        requests: decisions.map(({ sent, answered }) => ({ from: sent, until: answered })),
        isIdleBefore: more.isIdleBefore ?? true,
        isFreshBefore: more.isFreshBefore ?? false,
      },
      permitted: limiterClassNames,
    },
    { limit: rule.limit, window: milliseconds(rule.window) },
  );

const window = 10_000;

/**
 * Generates loads like those of an examination, and mixtures. Pauses between groups and spacings within them are parts
 * of the window or of the even spacing.
 */
const groups = fc.array(
  fc.record({
    pause: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 2.6, noNaN: true })),
    count: fc.integer({ min: 1, max: 40 }),
    spacing: fc.oneof(
      fc.constantFrom(0, 0.001, 0.5, 0.7, 1, 1.2),
      fc.double({ min: 0, max: 2, noNaN: true }),
    ),
  }),
  { minLength: 1, maxLength: 8 },
);
const delays = fc.constantFrom(1, 20, 80, 300);
const unit = fc.double({ min: 0, max: 1, noNaN: true });

const shapes: fc.Arbitrary<LimiterShape> = fc.record({
  limit: fc.integer({ min: 1, max: 24 }),
  window: fc.constant(window),
  tolerance: fc.constantFrom(0, windowTolerance(window)),
  draws: fc.tuple(unit, unit, unit),
});

const requestsOf = (
  list: readonly { pause: number; count: number; spacing: number }[],
  limit: number,
  delay: number,
  seed: number,
) => {
  let now = 0;
  let state = seed;
  const next = (): number => {
    state = (state * 48_271 + 11) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  return list.flatMap(({ pause, count, spacing }) => {
    now += pause * window;
    return Array.from({ length: count }, () => {
      now += spacing / evenRate({ limit, window: milliseconds(window) });
      return { sent: now, there: next() * delay, back: next() * delay };
    });
  });
};

describe('facts never accuse a limiter that keeps its rule', () => {
  it.each(Object.keys(trueLimiters))('%s', (name) => {
    fc.assert(
      fc.property(shapes, groups, delays, fc.nat(1e6), (shape, list, delay, seed) => {
        const limiter = trueLimiters[name]!(shape);
        const decisions = seenDecisions(limiter, requestsOf(list, shape.limit, delay, seed));
        const facts = factsOf(decisions, shape);
        expect(facts.envelope.worst).toBeNull();
        expect(facts.burst.isExceeded).toBe(false);
        expect(facts.even.refusals).toStrictEqual([]);
        expect(facts.sustained?.isShort ?? false).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  it.each(Object.keys(trueLimiters))('%s, if its earlier use is unknown', (name) => {
    fc.assert(
      fc.property(shapes, groups, delays, fc.nat(1e6), (shape, list, delay, seed) => {
        const limiter = trueLimiters[name]!(shape);
        const decisions = seenDecisions(limiter, requestsOf(list, shape.limit, delay, seed));
        const unseen = (decisions[Math.floor(decisions.length / 4)]?.answered ?? 0) + 1;
        const seen = decisions.filter(({ sent }) => sent > unseen);
        // Requests that overlap the beginning are neither before nor in the log.
        if (decisions.some(({ sent, answered }) => sent <= unseen && answered > unseen)) return;
        const facts = factsOf(seen, shape, { isIdleBefore: false });
        expect(facts.envelope.worst).toBeNull();
        expect(facts.burst.isExceeded).toBe(false);
        expect(facts.even.refusals).toStrictEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it.each(Object.keys(trueLimiters))('%s, if it admitted two requests before the log', (name) => {
    const loads = fc.record({
      places: fc.double({ min: 0, max: 5, noNaN: true }),
      hurry: fc.constantFrom(1, 1.001, 1.01, 1.1),
    });
    fc.assert(
      fc.property(shapes, loads, delays, fc.nat(1e6), (shape, { places, hurry }, delay, seed) => {
        const hasted = { pause: 0, count: 2, spacing: 0 };
        const first = { pause: 0.05, count: 1, spacing: 0 };
        const second = { pause: 0, count: 1, spacing: places };
        const list = [hasted, first, second, { pause: 0, count: 60, spacing: hurry }];
        const limiter = trueLimiters[name]!(shape);
        const decisions = seenDecisions(limiter, requestsOf(list, shape.limit, delay, seed));
        const seen = { isIdleBefore: false, isFreshBefore: true };
        expect(factsOf(decisions.slice(2), shape, seen).even.refusals).toStrictEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('a load above the limit never proves a rate below the limit', () => {
  it.each(Object.keys(trueLimiters))('%s', (name) => {
    const loads = fc.record({
      windows: fc.double({ min: 2, max: 14, noNaN: true }),
      // Requests for each unit of the limit, evenly or in clusters.
      multiple: fc.constantFrom(1, 1.4, 2, 4),
      cluster: fc.integer({ min: 1, max: 3 }),
      before: fc.integer({ min: 0, max: 40 }),
    });
    fc.assert(
      fc.property(shapes, loads, delays, fc.nat(1e6), (drawn, load, delay, seed) => {
        const shape = { ...drawn, limit: 1 + ((drawn.limit - 1) % 6) };
        const { windows, multiple, cluster, before } = load;
        const groupsOf = (count: number, size: number, pause: number) =>
          Array.from({ length: count }, () => ({ pause, count: size, spacing: 0 }));
        const pause = cluster / (multiple * shape.limit);
        const list = [
          ...groupsOf(1, before, 0),
          ...groupsOf(Math.ceil(windows / pause), cluster, pause),
        ];
        const limiter = trueLimiters[name]!(shape);
        const decisions = seenDecisions(limiter, requestsOf(list, shape.limit, delay, seed));
        const { sustained } = factsOf(decisions.slice(before), shape);
        expect(sustained?.isShort ?? false).toBe(false);
        const isSteady = multiple > 1 && cluster === 1;
        if (isSteady && !name.includes('counts refusals'))
          expect(sustained?.isLow ?? false).toBe(false);
      }),
      { numRuns: 60 },
    );
  });
});

/** Returns serial requests with a fixed round trip. */
const serial = (
  moments: readonly number[],
  admits: (place: number) => boolean,
  roundTrip = 10,
): readonly LimiterDecision[] =>
  moments.map((sent, place) => {
    const answered = instant(sent + roundTrip);
    return { sent: instant(sent), answered, ended: answered, admitted: admits(place) };
  });

const rule = { limit: 20, window };
const evenSpacing = 1 / evenRate({ limit: 20, window: milliseconds(window) }) + 11;
const evenMoments = Array.from({ length: 30 }, (_, i) => i * evenSpacing);

describe('facts prove', () => {
  it('a refusal at an even pace', () => {
    const refusedOnce = serial(evenMoments, (place) => place !== 17);
    expect(factsOf(refusedOnce, rule).even).toMatchObject({ paced: 30, refusals: [17] });
    expect(factsOf(refusedOnce, rule, { isIdleBefore: false }).even.refusals).toStrictEqual([]);
    const refusedLater = serial(evenMoments, (place) => place !== 10 && place !== 29);
    const laterThanMemory = factsOf(
      refusedLater,
      { limit: 12, window: 5000 },
      { isIdleBefore: false },
    );
    expect(laterThanMemory.even.refusals).toStrictEqual([29]);
    const hasty = evenMoments.map((moment, place) => (place > 10 ? moment - 150 : moment));
    expect(
      factsOf(
        serial(hasty, (place) => place !== 17),
        rule,
      ).even.refusals,
    ).toStrictEqual([]);
  });

  it('more requests in a long span than any limiter admits, even if only one more', () => {
    const steady = (count: number) =>
      serial(
        Array.from({ length: count }, (_, i) => (i * 26_000) / 80),
        () => true,
        1,
      );
    // 81 requests within three windows minus a second. Four limits are 80.
    expect(factsOf(steady(81), rule).envelope.worst).toMatchObject({ admitted: 81, allowed: 80 });
    expect(factsOf(steady(80), rule).envelope.worst).toBeNull();
  });

  it('two bursts above the limit, unless a grid can have a boundary in each', () => {
    const burst = (begin: number, count: number) =>
      serial(
        Array.from({ length: count }, (_, i) => begin + i),
        () => true,
        10,
      );
    const early = serial([0], () => true);
    const bursts = (distance: number, count: number) =>
      factsOf([...early, ...burst(30_000, count), ...burst(30_000 + distance, count)], rule);
    expect(bursts(23_820, 28).burst.isExceeded).toBe(true);
    expect(bursts(23_820, 21).burst.isExceeded).toBe(false);
    expect(bursts(20_000, 28).burst.isExceeded).toBe(false);
    expect(bursts(25_000, 28).burst.isExceeded).toBe(false);
  });

  it('a rate far below the limit under a load above it, unless refusals may count', () => {
    const moments = Array.from({ length: 100 }, (_, i) => i * 340);
    const half = serial(moments, (place) => place % 5 === 0, 1);
    expect(factsOf(half, rule).sustained).toMatchObject({ isShort: true });
    const kept = serial(moments, (place) => place % 3 !== 0, 1);
    expect(factsOf(kept, rule).sustained).toMatchObject({ isShort: false });
    const locked = serial(moments, (place) => place < 20, 1);
    expect(factsOf(locked, rule).sustained).toMatchObject({ isShort: false });
  });
});
