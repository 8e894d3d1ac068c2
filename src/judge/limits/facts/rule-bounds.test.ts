import { describe, expect, it } from 'vitest';
import { instant, milliseconds } from '../../../model/quantity.ts';
import { serverOffset, windowOfClock } from '../limiter/server-window.ts';
import { checkClaim } from './check-claim.ts';
import { countBefore, countUpTo, cumulativeSums } from './count-instants.ts';
import {
  evenRate,
  findingOf,
  limiterMemory,
  longestWindow,
  shortestSpan,
  shortestWindow,
  windowTolerance,
} from './rule-bounds.ts';
import { extraLimits, upperEnvelope } from './upper-envelope.ts';
import { retryAfterAccuracyOf } from './wait-accuracy.ts';

describe('a window of a limit', () => {
  it('may be a second longer or shorter, or a tenth of a short one', () => {
    expect([60_000, 10_000, 5000, 100].map(windowTolerance)).toEqual([1000, 1000, 500, 10]);
    expect([60_000, 5000].map(shortestWindow)).toEqual([59_000, 4500]);
    expect([60_000, 5000].map(longestWindow)).toEqual([61_000, 5500]);
    // Several adjacent windows lose one second together.
    expect([1, 3].map((count) => shortestSpan(60_000, count))).toEqual([59_000, 179_000]);
    expect(shortestSpan(2000, 3)).toBe(5500);
  });

  it('is remembered twice as long, and admits one request fewer at an even rate', () => {
    const rule = (limit: number) => ({ limit, window: milliseconds(60_000) });
    expect(limiterMemory(rule(5))).toBe(122_000);
    expect(evenRate(rule(60)) * 61_000).toBeCloseTo(59, 9);
    expect(evenRate(rule(1)) * 61_000).toBeCloseTo(0.5, 9);
    expect(evenRate(rule(2)) * 61_000).toBeCloseTo(1, 9);
  });
});

it('a finding that is refuted stays so, whatever else is shown', () => {
  expect([
    findingOf(true, false),
    findingOf(true, true),
    findingOf(false, true),
    findingOf(false, false),
  ]).toEqual(['proved', 'refuted', 'refuted', 'undecided']);
});

it('a claim has its first five counterexamples, and is undecided if nothing was seen', () => {
  const claim = { id: 'x', claim: 'All are even.', observed: 'some are odd' };
  const wrong = [1, 3, 5, 7, 9, 11];
  expect(checkClaim({ ...claim, wrong }, String)).toEqual({
    ...claim,
    section: null,
    violates: false,
    finding: 'refuted',
    evidence: ['1', '3', '5', '7', '9'],
  });
  expect(checkClaim({ ...claim, wrong: [] }, String).finding).toBe('proved');
  expect(checkClaim({ ...claim, wrong, isRefuted: false }, String).finding).toBe('proved');
  expect(checkClaim({ ...claim, wrong: [], unseen: 'none was there' }, String)).toMatchObject({
    finding: 'undecided',
    observed: 'none was there',
  });
});

it('instants and amounts are counted before a moment, or with it', () => {
  const times = Float64Array.from([1, 2, 2, 5]);
  expect([0, 1, 2, 3, 5, 6].map((moment) => countBefore(times, moment))).toEqual([
    0, 0, 1, 3, 3, 4,
  ]);
  expect([0, 1, 2, 3, 5, 6].map((moment) => countUpTo(times, moment))).toEqual([0, 1, 3, 3, 4, 4]);
  const sums = cumulativeSums([
    { at: 5, weight: 10 },
    { at: 1, weight: 1 },
    { at: 3, weight: 4 },
  ]);
  expect([1, 3, 9].map(sums.before)).toEqual([0, 1, 15]);
  expect([0, 1, 3, 5].map(sums.upTo)).toEqual([0, 1, 5, 15]);
});

it.each([
  [8999, 10_000, 20_000, 'deceptive'],
  [9000, 10_000, 20_000, 'exact'],
  [21_000, 10_000, 20_000, 'exact'],
  [21_001, 10_000, 20_000, 'conservative'],
  [99_000, 10_000, null, 'unknown'],
  [5000, 10_000, null, 'deceptive'],
])('a wait until %i of a key that is refused at %i and admitted at %j is %s', (...words) => {
  const [promised, stillRefused, admittedAgain, accuracy] = words;
  expect(retryAfterAccuracyOf(promised, { stillRefused, admittedAgain })).toBe(accuracy);
});

describe('the most that any limiter admits', () => {
  const at = (...instants: readonly number[]) =>
    instants.map((from) => ({ from, until: from, least: 1, most: 1 }));
  const many = (count: number, from: number, gap: number) =>
    at(...Array.from({ length: count }, (_, i) => from + i * gap));
  const rule = { limit: 2, window: milliseconds(10_000) };
  const of = (charges: ReturnType<typeof at>, permitted: Parameters<typeof extraLimits>[0] = []) =>
    upperEnvelope(charges, rule, permitted);

  it('is one limit more than there are windows, but for logs', () => {
    expect(extraLimits([])).toBe(1);
    expect(extraLimits(['in-flight'])).toBe(1);
    expect(extraLimits(['sliding-log', 'sliding-log-counting-refusals'])).toBe(0);
    expect(extraLimits(['sliding-log', 'in-flight'])).toBe(0);
    expect(extraLimits(['sliding-log', 'token-bucket'])).toBe(1);
    expect(of(many(4, 0, 10))).toEqual({ finding: 'proved', worst: null });
    expect(of(many(5, 0, 10))).toEqual({
      finding: 'refuted',
      worst: { span: 9000, admitted: 5, allowed: 4 },
    });
    expect(of(many(3, 0, 10), ['sliding-log'])).toMatchObject({
      finding: 'refuted',
      worst: { admitted: 3, allowed: 2 },
    });
  });

  it('is looked for in spans of several windows, of which the worst is shown', () => {
    // Seven within 19 s, where two windows and one more limit admit six; in one window there are four.
    const charges = at(0, 1, 2, 3, 18_000, 18_001, 18_002);
    expect(of(charges)).toEqual({
      finding: 'refuted',
      worst: { span: 19_000, admitted: 7, allowed: 6 },
    });
    expect(of(at(0, 1, 2, 3, 18_000, 18_001)).finding).toBe('proved');
    const both = [...many(6, 0, 1), ...at(18_000, 18_001)];
    expect(of(both).worst).toEqual({ span: 9000, admitted: 6, allowed: 4 });
    expect(of([])).toEqual({ finding: 'proved', worst: null });
  });

  it('is undecided where a charge may be within a span or not', () => {
    const unsure = { from: 0, until: 9500, least: 1, most: 1 };
    expect(of([...many(4, 0, 10), unsure]).finding).toBe('undecided');
    expect(of([...many(4, 0, 10), { ...unsure, least: 0, until: 5 }]).finding).toBe('undecided');
  });
});

describe('the clock of a server', () => {
  const reply = (sent: number, answered: number, date: number | null) => ({
    sent: instant(sent),
    answered: instant(answered),
    date,
  });

  it('is ahead by what all its dates permit', () => {
    // Written between 100 and 200, when the second that is named was running.
    expect(serverOffset([reply(100, 200, 50_000)])).toEqual({ least: 49_800, most: 50_900 });
    expect(serverOffset([reply(100, 200, 50_000), reply(900, 950, 51_000)])).toEqual({
      least: 50_050,
      most: 50_900,
    });
    expect(serverOffset([reply(0, 1, null), reply(100, 200, 50_000)])?.least).toBe(49_800);
  });

  it('may write its date once a second, so that it is up to two seconds old', () => {
    const late = [reply(0, 10, 50_000), reply(1900, 1910, 50_000)];
    expect(serverOffset(late)).toEqual({ least: 49_990, most: 50_100 });
  });

  it('is unknown without a date, or if a tenth of them contradict the others', () => {
    expect(serverOffset([])).toBeNull();
    expect(serverOffset([reply(0, 1, null)])).toBeNull();
    const dates = (wrong: number, right: number) => [
      ...Array.from({ length: right }, () => reply(100, 200, 50_000)),
      ...Array.from({ length: wrong }, (_, i) => reply(100, 200, 90_000 + i * 10_000)),
    ];
    expect(serverOffset(dates(1, 9))).toEqual({ least: 49_800, most: 50_900 });
    expect(serverOffset(dates(2, 9))).toBeNull();
  });

  it('says where a window of it begins', () => {
    expect(windowOfClock({ least: 10_000, most: 10_000 }, 60_000)).toEqual({
      earliest: 50_000,
      latest: 50_000,
    });
    expect(windowOfClock({ least: 9000, most: 10_000 }, 60_000)).toEqual({
      earliest: 50_000,
      latest: 51_000,
    });
    expect(windowOfClock({ least: 0, most: 500 }, 60_000)).toEqual({ earliest: -500, latest: 0 });
    expect(windowOfClock({ least: -70_000, most: -70_000 }, 60_000).latest).toBe(10_000);
  });
});
