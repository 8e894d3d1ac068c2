import { describe, expect, it } from 'vitest';
import { type AnsweredConnection, ReuseRule } from './reuse-rule.ts';

const answered = (answers: number, isChunked = false): AnsweredConnection => ({
  answers,
  isChunked,
});

/** Ends of connections: after how many answers, and how many ms after the last of them. */
const ended = (
  rule: ReuseRule,
  ...ends: (readonly [answers: number, age: number])[]
): ReuseRule => {
  for (const [answers, age] of ends) rule.endsOf(answered(answers)).onEnded(answers, age);
  return rule;
};
const after = (answers: number, age = 1) => [answers, age] as const;

describe('how often a connection is used', () => {
  it.each([
    [{}, 1e9, null],
    [{ reuse: true, maxRequestsPerConnection: null }, 1e9, null],
    [{ reuse: true, maxRequestsPerConnection: 3 }, 2, 3],
    [{ reuse: false, maxRequestsPerConnection: null }, null, 1],
  ])('is as the scenario says: %j', (wire, allowed, refused) => {
    const rule = new ReuseRule(wire);
    if (allowed !== null) expect(rule.allowsReuse(answered(allowed))).toBe(true);
    if (refused !== null) expect(rule.allowsReuse(answered(refused))).toBe(false);
    expect(rule.notes).toEqual([]);
  });

  it('is concluded from three connections in a row that end just after the same number of answers', () => {
    const rule = ended(new ReuseRule({}), after(2), after(2));
    expect(rule.allowsReuse(answered(2))).toBe(true);
    ended(rule, after(2));
    expect([1, 2, 3].map((answers) => rule.allowsReuse(answered(answers)))).toEqual([
      true,
      false,
      false,
    ]);
    expect(rule.notes).toEqual([expect.stringContaining('closes its connections after 2 answers')]);
  });

  it.each([
    ['different numbers of answers', [after(1), after(2), after(1), after(3), after(1)]],
    ['idle connections', [after(1, 101), after(1, 5000), after(1, 101), after(1, 500)]],
    ['connections that were never used', [after(0), after(0), after(0), after(0)]],
  ])('is not concluded from the ends of %s', (_, ends) => {
    expect(ended(new ReuseRule({}), ...ends).allowsReuse(answered(1))).toBe(true);
  });

  it('is not concluded while other connections live longer', () => {
    const rule = new ReuseRule({});
    for (let n = 0; n < 9; n += 1) {
      ended(rule, after(1));
      rule.endsOf(answered(1)).onReused(1);
    }
    expect(rule.allowsReuse(answered(1))).toBe(true);
    for (let n = 0; n < 3; n += 1) {
      // A connection with fewer answers is no evidence against it.
      ended(rule, after(4));
      rule.endsOf(answered(1)).onReused(1);
    }
    expect(rule.allowsReuse(answered(4))).toBe(false);
  });

  it('is dropped when the server keeps a connection after all, and the report says so', () => {
    const rule = ended(new ReuseRule({}), after(1), after(1), after(1));
    expect(rule.isOnlyObserved(answered(1))).toBe(true);
    rule.endsOf(answered(1)).onKept();
    expect(rule.allowsReuse(answered(1))).toBe(true);
    expect(rule.notes).toEqual([
      expect.stringContaining('after each answer'),
      expect.stringContaining('kept a connection open after its first answer'),
    ]);
  });

  it('is concluded for chunked answers alone where others leave the connection open', () => {
    const rule = new ReuseRule({});
    for (let n = 0; n < 3; n += 1) {
      rule.endsOf(answered(1, true)).onEnded(1, 1);
      rule.endsOf(answered(1)).onReused(1);
    }
    expect(rule.allowsReuse(answered(1, true))).toBe(false);
    expect(rule.allowsReuse(answered(1))).toBe(true);
    expect(rule.endsOf(answered(1)).restAfter(1)).toBe(0);
    expect(rule.notes).toEqual([expect.stringContaining('after each chunked answer')]);
  });

  it('is said once where it holds for both', () => {
    const rule = ended(new ReuseRule({}), after(1), after(1), after(1));
    for (let n = 0; n < 3; n += 1) rule.endsOf(answered(1, true)).onEnded(1, 1);
    expect(rule.notes).toEqual([expect.stringContaining('after each answer without')]);
  });

  it('never exceeds what the scenario allows', () => {
    const rule = ended(new ReuseRule({ reuse: false }), after(1), after(1), after(1));
    expect(rule.isOnlyObserved(answered(1))).toBe(false);
  });
});

describe('a connection rests after its answer', () => {
  const reused = (rule: ReuseRule, times: number): ReuseRule => {
    for (let n = 0; n < times; n += 1) rule.endsOf(answered(1)).onReused(1);
    return rule;
  };

  it('until three answers have come on used ones, and again after one has ended just after an answer', () => {
    const rule = new ReuseRule({});
    const rests = [0, 1, 1, 1].map((times) => reused(rule, times).endsOf(answered(1)).restAfter(1));
    expect(rests.map((rest) => rest > 0)).toEqual([true, true, true, false]);
    ended(rule, after(4, 5000));
    expect(rule.endsOf(answered(1)).restAfter(1)).toBe(0);
    ended(rule, after(4));
    expect(rule.endsOf(answered(1)).restAfter(1)).toBeGreaterThan(0);
  });

  it('for less once one has outlived its rest, until one ends', () => {
    const rule = new ReuseRule({});
    const atFirst = rule.endsOf(answered(1)).restAfter(1);
    rule.endsOf(answered(1)).onRested();
    expect(rule.endsOf(answered(1)).restAfter(1)).toBeLessThan(atFirst);
    ended(rule, after(4));
    expect(rule.endsOf(answered(1)).restAfter(1)).toBe(atFirst);
  });

  it('for longer where the latest end came after as many answers, until one outlives that', () => {
    const rule = reused(ended(new ReuseRule({}), after(4)), 3);
    expect(rule.endsOf(answered(3)).restAfter(3)).toBe(0);
    expect(rule.endsOf(answered(4)).restAfter(4)).toBeGreaterThan(
      new ReuseRule({}).endsOf(answered(4)).restAfter(4),
    );
    rule.endsOf(answered(4)).onReused(4);
    expect(rule.endsOf(answered(4)).restAfter(4)).toBe(0);
  });
});
