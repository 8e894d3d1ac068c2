import { describe, expect, it } from 'vitest';
import type { LimitFacts, SustainedFact } from '../../../model/limits/limit-facts.ts';
import type { LimitCheck, ProbeReply } from '../../../model/limits/limit-log.ts';
import { instant, milliseconds } from '../../../model/quantity.ts';
import { checkDecisions } from './check-limit.ts';
import { sampleReply } from './sample-reply.fixture.ts';

const rule = { limit: 20, window: milliseconds(10_000) };

const calm: LimitFacts = {
  mostAdmitted: { least: 20, most: 20 },
  overAdmitted: 'refuted',
  envelope: { finding: 'proved', worst: null },
  burst: { bursts: [], isExceeded: false },
  even: { paced: 10, refusals: [], seenLimit: null },
  idle: { times: 1, refusals: [] },
  sustained: null,
  refusedWithRoom: 'refuted',
  refusalsWithRoom: [],
  lockedOut: 'refuted',
};

const reply = (sent: number, admitted: boolean): ProbeReply =>
  sampleReply(sent, { phase: 'provocation', admitted, status: admitted ? 200 : 429 });

/** Says what is found by a check of these facts and decisions. */
const judged = (
  id: string,
  facts: Partial<LimitFacts>,
  decisions: readonly ProbeReply[] = [reply(0, true), reply(100, false)],
  otherCause: string | null = null,
): LimitCheck =>
  checkDecisions({
    rule,
    decisions,
    paced: decisions,
    facts: { ...calm, ...facts },
    otherCause,
  }).find((check) => check.id === id)!;

const said = (...given: Parameters<typeof judged>): string => {
  const { finding, observed } = judged(...given);
  return `${finding}: ${observed}`;
};

it('each claim names the limit and its window', () => {
  const facts = { ...calm };
  const checks = checkDecisions({ rule, decisions: [], paced: [], facts, otherCause: null });
  expect(checks.map(({ id, claim, section, violates }) => [id, claim, section, violates]))
    .toMatchInlineSnapshot(`
      [
        [
          "over-admission",
          "In no span were more admitted than a limiter of 20 requests in 10 s can admit.",
          "8",
          true,
        ],
        [
          "burst",
          "An idle key is admitted at most 20 requests at once, and what is refilled meanwhile.",
          "8",
          true,
        ],
        [
          "even-pace",
          "A client that keeps an even pace below 20 requests in 10 s is never refused.",
          "8",
          true,
        ],
        [
          "idle-admitted",
          "After two windows without a request a key is admitted.",
          "8",
          true,
        ],
        [
          "sustained-rate",
          "Under a load that always asks for more, 20 requests are admitted in each 10 s.",
          "8",
          false,
        ],
        [
          "most-admitted",
          "At most 20 requests were admitted within any 10 s.",
          "8",
          false,
        ],
        [
          "refused-only-when-full",
          "No request was refused while fewer than 20 had been admitted in the two windows before it.",
          "8",
          false,
        ],
        [
          "no-lockout",
          "No request was refused after a whole window in which nothing was admitted.",
          "8",
          false,
        ],
        [
          "recovery",
          "An exhausted key is admitted again within 10 s.",
          "8",
          false,
        ],
      ]
    `);
});

describe('the most that was admitted', () => {
  it('is one number, or between two', () => {
    expect(said('most-admitted', {})).toBe('proved: the maximum was 20');
    expect(
      said('most-admitted', { overAdmitted: 'proved', mostAdmitted: { least: 21, most: 23 } }),
    ).toBe('refuted: the maximum was between 21 and 23');
    expect(said('most-admitted', { overAdmitted: 'undecided' })).toBe(
      'undecided: the maximum was 20',
    );
  });

  it('is shown by the worst span, and by nothing without a decision', () => {
    const worst = { span: 25_060, admitted: 70, allowed: 60 };
    expect(said('over-admission', { envelope: { finding: 'refuted', worst } })).toBe(
      'refuted: 70 were admitted within 25.1 s, where any limiter admits at most 60',
    );
    expect(said('over-admission', {})).toBe('proved: at most 20 within 10 s');
    expect(said('over-admission', {}, [])).toBe('undecided: at most 20 within 10 s');
  });
});

describe('a burst of an idle key', () => {
  const burst = (admitted: number, isAfterIdle = true) => ({
    begin: 0,
    span: 240,
    isAfterIdle,
    admitted,
    allowed: 21.9,
  });
  const of = (admitted: readonly number[], isExceeded = false) =>
    said('burst', { burst: { bursts: admitted.map((each) => burst(each)), isExceeded } });

  it('holds if none is above what is allowed', () => {
    expect(of([20, 21])).toBe(
      'proved: admitted: 20 within 0.2 s (at most 21 are allowed), 21 within 0.2 s (at most 21 are allowed)',
    );
  });

  it('is undecided if one is that the end of a window can explain, and refuted if nothing does', () => {
    const lone = '; a window’s boundary within a burst can explain it';
    expect(of([22])).toBe(`undecided: admitted: 22 within 0.2 s (at most 21 are allowed)${lone}`);
    expect(of([22, 23], true)).toBe(
      'refuted: admitted: 22 within 0.2 s (at most 21 are allowed), 23 within 0.2 s (at most 21 are allowed)',
    );
    expect(of([20], true)).not.toContain(lone);
  });

  it('is not one that came after less than an idle window', () => {
    const bursts = [burst(30, false)];
    expect(said('burst', { burst: { bursts, isExceeded: false } })).toBe(
      'undecided: no burst came after an idle window',
    );
  });
});

describe('an even pace', () => {
  const even = (paced: number, refusals: readonly number[] = [], seenLimit: number | null = null) =>
    said('even-pace', { even: { paced, refusals, seenLimit } });

  it('is enough from three tenths of the limit on, and from two requests', () => {
    expect(even(6)).toBe('proved: 0 of 6 evenly sent requests were refused');
    expect(even(5)).toMatch(/^undecided/);
    const few = { rule: { ...rule, limit: 3 }, decisions: [], paced: [], otherCause: null };
    const findings = [1, 2].map(
      (paced) =>
        checkDecisions({ ...few, facts: { ...calm, even: { ...calm.even, paced } } }).find(
          ({ id }) => id === 'even-pace',
        )!.finding,
    );
    expect(findings).toEqual(['undecided', 'proved']);
  });

  it('says which limit it would have shown, unless something was refused', () => {
    expect(even(10, [], 18)).toBe(
      'proved: 0 of 10 evenly sent requests were refused; they would have shown a limit below 18',
    );
    expect(even(10, [1], 18)).toBe('refuted: 1 of 10 evenly sent requests were refused');
    expect(even(1, [0])).toMatch(/^refuted/);
  });

  it('shows the refused requests, and is excused by another cause', () => {
    const facts = { even: { paced: 10, refusals: [1], seenLimit: null } };
    expect(judged('even-pace', facts).evidence).toEqual(['r-100: chat at 0.100 s, status 429']);
    expect(said('even-pace', facts, undefined, 'someone else uses the key')).toBe(
      'undecided: 1 of 10 evenly sent requests were refused; but someone else uses the key',
    );
    expect(said('even-pace', {}, undefined, 'someone else uses the key')).toBe(
      'proved: 0 of 10 evenly sent requests were refused',
    );
  });
});

describe('a sustained load', () => {
  const load = (changes: Partial<SustainedFact>): SustainedFact => ({
    windows: 3.04,
    offered: 90,
    admitted: 61,
    spaced: 60,
    rate: { least: 15.1, most: 29.9 },
    isLow: false,
    isShort: false,
    ...changes,
  });
  const of = (changes: Partial<SustainedFact>, cause: string | null = null): string =>
    said('sustained-rate', { sustained: load(changes) }, undefined, cause);

  it('was not tried', () => {
    expect(said('sustained-rate', {})).toBe('undecided: not tried');
  });

  it('has a rate between whole numbers', () => {
    expect(of({})).toBe('proved: 61 were admitted in 3.0 windows: a limit of 16 to 29');
    expect(of({ rate: { least: 15.1, most: null } })).toBe(
      'undecided: 61 were admitted in 3.0 windows: a limit of 16 to more, since the load can have been lower',
    );
  });

  it('has a rate between two whole numbers, which is reported in tenths', () => {
    expect(of({ rate: { least: 1.29, most: 1.9 } })).toBe(
      'proved: 61 were admitted in 3.0 windows: a limit of 1.3 to 1.9',
    );
    expect(of({ rate: { least: 1.29, most: 2 } })).toMatch(/a limit of 2 to 2$/);
  });

  it('is low or short', () => {
    expect(of({ isLow: true })).toBe(
      'undecided: 61 were admitted in 3.0 windows: a limit of 16 to 29, less than declared unless refusals count',
    );
    expect(of({ isShort: true })).toMatch(/^refuted/);
    expect(of({ isShort: true }, 'x')).toMatch(/^undecided: .*; but x$/);
  });
});

describe('refusals', () => {
  const admittedOnly = [reply(0, true)];
  const atOnce = (admitted: number) => ({
    burst: {
      bursts: [{ begin: 0, span: 1, isAfterIdle: false, admitted, allowed: 21 }],
      isExceeded: false,
    },
  });

  it('with room are reported with the most requests at once, if there was a burst', () => {
    const found = { refusalsWithRoom: [1], refusedWithRoom: 'proved' } as const;
    expect(said('refused-only-when-full', found)).toBe(
      'refuted: 1 were certainly refused although fewer had been admitted',
    );
    expect(said('refused-only-when-full', { ...found, ...atOnce(5) })).toBe(
      'refuted: 1 were certainly refused although fewer had been admitted: at most 5 at once',
    );
    expect(judged('refused-only-when-full', found).evidence).toEqual([
      'r-100: chat at 0.100 s, status 429',
    ]);
  });

  it('may be unclear, or none', () => {
    const none = 'none was certainly refused with room left';
    expect(said('refused-only-when-full', {})).toBe(`proved: ${none}`);
    expect(said('refused-only-when-full', { refusedWithRoom: 'undecided' })).toBe(
      `undecided: ${none}; some are unclear`,
    );
    expect(said('refused-only-when-full', {}, admittedOnly)).toBe('undecided: nothing was refused');
    expect(said('no-lockout', {}, admittedOnly)).toBe('undecided: nothing was refused');
  });

  it('may lock the key out', () => {
    expect(said('no-lockout', { lockedOut: 'proved' })).toBe(
      'refuted: the key was blocked for longer than a window',
    );
    expect(said('no-lockout', {})).toBe(
      'proved: no request was refused after a window in which nothing was admitted',
    );
    expect(said('no-lockout', { lockedOut: 'undecided' })).toBe(
      'undecided: no request was certainly refused after a window in which nothing was admitted',
    );
  });

  it('of an idle key are against any limiter', () => {
    expect(said('idle-admitted', { idle: { times: 0, refusals: [] } })).toBe(
      'undecided: the key was never idle for two windows',
    );
    expect(said('idle-admitted', {})).toMatch(/^proved: 0 requests/);
    expect(said('idle-admitted', { idle: { times: 1, refusals: [1] } })).toMatch(
      /^refuted: 1 requests/,
    );
  });
});

describe('the recovery of a key', () => {
  const of = (...decisions: readonly ProbeReply[]): string => said('recovery', {}, decisions);

  it('is in time up to a tenth after the longest window', () => {
    // Answers take 30 ms. The longest window is 11 s.
    expect(of(reply(0, true), reply(1000, false), reply(13_070, true))).toBe(
      'proved: admitted again at most 12.1 s after the first refusal',
    );
    expect(of(reply(0, true), reply(1000, false), reply(13_071, true))).toMatch(/^undecided/);
  });

  it('counts from the first refusal of the burst', () => {
    const counting = { ...reply(500, false), phase: 'counting' as const };
    expect(of(counting, reply(1000, false), reply(2000, false), reply(9970, true))).toBe(
      'proved: admitted again at most 9.0 s after the first refusal',
    );
  });

  it('is missing if the key was refused for longer than a window', () => {
    const never = 'it was not admitted again during the examination';
    expect(of(reply(0, false), reply(11_031, false))).toBe(`refuted: ${never}`);
    expect(of(reply(0, false), reply(11_030, false))).toBe(`undecided: ${never}`);
    expect(of(reply(0, true))).toBe('undecided: the key was never exhausted');
  });

  it('is not shown by what was admitted before', () => {
    expect(of(reply(0, true), { ...reply(100, false), answered: instant(101) })).toMatch(
      /^undecided: it was not admitted again/,
    );
  });
});
