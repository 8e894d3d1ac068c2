import { describe, expect, it } from 'vitest';
import type { LimiterClass } from '../../../model/limits/limit-log.ts';
import type { LimiterFit, LimiterIdentification } from '../../../model/limits/limiter-fit.ts';
import { milliseconds } from '../../../model/quantity.ts';
import { canBeOther, checkFit, isAccusing, isLower, isOtherLimiter } from './other-limit.ts';

const rule = { limit: 60, window: milliseconds(60_000) };

type Range = readonly [least: number, most: number];

const fit = (
  limiter: LimiterClass,
  [least, most]: Range,
  [shortest, longest]: Range = [60_000, 60_000],
  wrong = 0,
): LimiterFit => ({
  limiter,
  limit: { value: (least + most) / 2, least, most },
  window: { value: (shortest + longest) / 2, least: shortest, most: longest },
  parameters: {},
  wrong,
});

const exactly = (value: number): Range => [value, value];

describe('a fitted limiter is certainly another', () => {
  const isOther = (...given: Parameters<typeof fit>): boolean =>
    isOtherLimiter(fit(...given), rule);

  it('in the declared window, which may differ by a second, if its limit is', () => {
    expect(isOther('sliding-log', exactly(61))).toBe(true);
    expect(isOther('sliding-log', [60, 61])).toBe(false);
    expect(isOther('sliding-log', exactly(61), exactly(61_000))).toBe(true);
    expect(isOther('sliding-log', exactly(61), exactly(59_000))).toBe(true);
    expect(isOther('sliding-log', exactly(60), exactly(61_000))).toBe(false);
    // A few requests before the log look like a limit that is lower by as many: up to two, or a twentieth.
    expect(isOther('sliding-log', exactly(58))).toBe(false);
    expect(isOther('sliding-log', exactly(57))).toBe(true);
    const few = { limit: 20, window: rule.window };
    expect(isOtherLimiter(fit('sliding-log', exactly(19)), few)).toBe(false);
    expect(isOtherLimiter(fit('sliding-log', exactly(18)), few)).toBe(true);
    const fewer = { limit: 10, window: rule.window };
    expect(isOtherLimiter(fit('sliding-log', exactly(9)), fewer)).toBe(false);
    expect(isOtherLimiter(fit('sliding-log', exactly(8)), fewer)).toBe(true);
  });

  it('but a weighted counter of one more decides alike', () => {
    expect(isOther('sliding-counter', exactly(61))).toBe(false);
    expect(isOther('sliding-counter', exactly(62))).toBe(true);
  });

  it('in another window, if it admits more in a window or has another rate', () => {
    expect(isOther('sliding-log', exactly(61), exactly(62_000))).toBe(true);
    expect(isOther('sliding-log', exactly(60), exactly(62_000))).toBe(true);
    expect(isOther('sliding-log', exactly(30), exactly(30_000))).toBe(false);
    expect(isOther('sliding-log', exactly(30), exactly(29_000))).toBe(true);
    expect(isOther('sliding-log', [29, 30], [29_000, 30_000])).toBe(false);
  });

  it('as a bucket or a queue only by its rate', () => {
    for (const limiter of [
      'token-bucket',
      'burst-bucket',
      'stepped-bucket',
      'leaky-queue',
    ] as const) {
      expect(isOther(limiter, exactly(30), exactly(30_000)), limiter).toBe(false);
      expect(isOther(limiter, exactly(61)), limiter).toBe(false);
      expect(isOther(limiter, exactly(62)), limiter).toBe(true);
      expect(isOther(limiter, exactly(59), exactly(59_980)), limiter).toBe(false);
      expect(isOther(limiter, exactly(59)), limiter).toBe(true);
    }
  });
});

describe('a fitted limiter', () => {
  it('is lower if its rate can be', () => {
    expect(isLower(fit('sliding-log', exactly(59)), rule)).toBe(true);
    expect(isLower(fit('sliding-log', exactly(60)), rule)).toBe(false);
    expect(isLower(fit('sliding-log', exactly(60), [60_000, 60_001]), rule)).toBe(true);
    expect(isLower(fit('sliding-log', exactly(61), exactly(61_000)), rule)).toBe(false);
  });

  it('is evidence against a gateway as a small bucket only if its lower rate is bounded narrowly', () => {
    expect(isAccusing(fit('burst-bucket', exactly(50)), rule)).toBe(true);
    expect(isAccusing(fit('burst-bucket', exactly(50), [57_143, 60_000]), rule)).toBe(true);
    expect(isAccusing(fit('burst-bucket', exactly(50), [57_142, 60_000]), rule)).toBe(false);
    expect(isAccusing(fit('burst-bucket', exactly(70)), rule)).toBe(false);
    expect(isAccusing(fit('token-bucket', exactly(70)), rule)).toBe(true);
    expect(isAccusing(fit('sliding-log', exactly(60)), rule)).toBe(false);
  });

  it('is none as a slow bucket that drops fractions of a request each second', () => {
    const slow = { limit: 30, window: rule.window };
    expect(isAccusing(fit('token-bucket', exactly(22)), slow)).toBe(false);
    expect(isAccusing(fit('token-bucket', exactly(21)), slow)).toBe(true);
    expect(isAccusing(fit('leaky-queue', exactly(22)), slow)).toBe(true);
    expect(isAccusing(fit('sliding-log', exactly(22)), slow)).toBe(true);
    expect(isAccusing(fit('token-bucket', exactly(32)), slow)).toBe(true);
    // At a rate of one each second there is no fraction.
    expect(isAccusing(fit('token-bucket', exactly(50)), rule)).toBe(true);
  });

  it('may differ from the rule unless its range has the rule in it, or lies within it', () => {
    const can = (...given: Parameters<typeof fit>): boolean => canBeOther(fit(...given), rule);
    expect(can('sliding-log', exactly(60))).toBe(false);
    expect(can('sliding-log', exactly(60), [60_500, 63_000])).toBe(true);
    expect(can('sliding-log', exactly(60), [58_000, 62_000])).toBe(false);
    expect(can('sliding-log', [58, 64], exactly(60_000))).toBe(false);
    expect(can('sliding-log', [61, 64], exactly(60_000))).toBe(true);
    expect(can('sliding-log', [58, 64], exactly(60_500))).toBe(true);
    expect(can('sliding-log', [58, 60], [59_000, 61_000])).toBe(false);
    expect(can('sliding-log', [57, 59], [59_000, 61_000])).toBe(true);
    expect(can('sliding-log', [58, 59], [58_900, 61_000])).toBe(true);
    expect(can('sliding-log', [58, 59], [59_000, 61_100])).toBe(true);
    expect(can('token-bucket', exactly(60))).toBe(false);
    expect(can('token-bucket', exactly(59), exactly(59_500))).toBe(false);
    expect(can('token-bucket', [58, 60])).toBe(true);
    expect(can('token-bucket', [60, 62])).toBe(true);
  });
});

describe('the claim that the fitted limiter is of the rule', () => {
  const found = (
    best: LimiterFit | null,
    changes: Partial<LimiterIdentification> = {},
  ): LimiterIdentification => ({
    best,
    ties: [],
    runnerUp: null,
    decisions: 240,
    ranking: best === null ? [] : [best],
    likelier: [],
    ...changes,
  });
  const judged = (
    identification: LimiterIdentification,
    refusals = 10,
    terms: Partial<Parameters<typeof checkFit>[3]> = {},
  ): string => {
    const all = { otherCause: null, reported: null, ...terms };
    const { finding, observed } = checkFit(identification, rule, refusals, all);
    return `${finding}: ${observed}`;
  };
  const own = fit('sliding-log', exactly(60));
  const other = fit('sliding-log', exactly(50));
  const others = '; others explain them, too, or it does not explain all';

  it('names the rule', () => {
    const { claim, violates, section } = checkFit(found(own), rule, 10, {
      otherCause: null,
      reported: null,
    });
    expect([claim, violates, section]).toEqual([
      'What explains the decisions is a limiter of 60 requests in 60 s.',
      true,
      '8',
    ]);
  });

  it('is proved by the only one that explains all, with enough refusals', () => {
    expect(judged(found(own))).toBe('proved: sliding-log: 60 requests in 60 s');
    expect(judged(found(own), 9)).toBe(`undecided: sliding-log: 60 requests in 60 s${others}`);
    expect(judged(found(fit('leaky-queue', exactly(60))), 0)).toMatch(/^proved/);
    expect(judged(found(fit('in-flight', exactly(60))))).toMatch(/^undecided/);
    expect(judged(found(null))).toBe('undecided: no class explains the decisions');
  });

  it('is undecided if others explain the decisions', () => {
    const tie = fit('fixed-from-first', exactly(60));
    expect(judged(found(own, { ties: [tie], ranking: [own, tie] }))).toMatch(/^undecided/);
    expect(judged(found(own, { ranking: [own, tie] }))).toMatch(/^undecided/);
    const worse = { ...tie, wrong: 1 };
    expect(judged(found(own, { ranking: [own, worse] }))).toMatch(/^proved/);
  });

  it('is undecided if the best of the ranking contradicts a decision', () => {
    const wrong = fit('sliding-log', exactly(60), exactly(60_000), 1);
    expect(judged(found(wrong))).toMatch(/^undecided: sliding-log: 60 requests in 60 s; others/);
    expect(judged(found(wrong, { ranking: [] }))).toBe(
      'proved: sliding-log: 60 requests in 60 s, which contradicts 1 of 240 decisions',
    );
  });

  it('is refuted by another limit, also by several', () => {
    expect(judged(found(other))).toBe('refuted: sliding-log: 50 requests in 60 s');
    const tie = fit('fixed-from-first', exactly(51));
    expect(judged(found(other, { ties: [tie], ranking: [other, tie] }))).toMatch(/^refuted/);
    expect(judged(found(other, { ties: [own], ranking: [other, own] }))).toMatch(/^undecided/);
  });

  it('is excused by another cause if the limit is lower', () => {
    expect(judged(found(other), 10, { otherCause: 'x' })).toBe(
      'undecided: sliding-log: 50 requests in 60 s; but x',
    );
    const higher = fit('sliding-log', exactly(70));
    expect(judged(found(higher), 10, { otherCause: 'x' })).toMatch(/^refuted/);
    expect(judged(found(own), 10, { otherCause: 'x' })).toMatch(/^proved/);
  });

  it('is refuted by a limit that is a little lower if all headers name it', () => {
    const close = fit('sliding-log', exactly(59));
    const by = (reported: number | null, each = close) => judged(found(each), 10, { reported });
    expect(by(null)).toMatch(/^proved/);
    expect(by(59)).toMatch(/^refuted/);
    expect(by(60)).toMatch(/^proved/);
    expect(by(58)).toMatch(/^proved/);
    expect(by(59, fit('sliding-log', [58, 60]))).toMatch(/^proved/);
    expect(by(59, fit('sliding-log', exactly(59), exactly(62_000)))).toMatch(/^refuted/);
    expect(by(59, fit('token-bucket', exactly(59), [57_000, 58_999]))).toMatch(/^proved/);
  });
});
