import { describe, expect, it } from 'vitest';
import { ReuseRule } from './reuse-rule.ts';

/** Ends of connections, each after so many answers and so many ms after the last of them. */
const ended = (
  rule: ReuseRule,
  ...ends: (readonly [answers: number, age: number])[]
): ReuseRule => {
  for (const [answers, age] of ends) rule.onEnded(answers, age);
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
    if (allowed !== null) expect(rule.allowsReuse(allowed)).toBe(true);
    if (refused !== null) expect(rule.allowsReuse(refused)).toBe(false);
    expect(rule.notes).toEqual([]);
  });

  it('is learnt from three connections in a row that end just after the same number of answers', () => {
    const rule = ended(new ReuseRule({}), after(2), after(2));
    expect(rule.allowsReuse(2)).toBe(true);
    ended(rule, after(2));
    expect([1, 2, 3].map((answers) => rule.allowsReuse(answers))).toEqual([true, false, false]);
    expect(rule.notes).toEqual([expect.stringContaining('closes its connections after 2 answers')]);
  });

  it.each([
    ['different numbers of answers', [after(1), after(2), after(1), after(3), after(1)]],
    ['idle connections', [after(1, 101), after(1, 5000), after(1, 101), after(1, 500)]],
    ['connections that were never used', [after(0), after(0), after(0), after(0)]],
  ])('is not learnt from the ends of %s', (_, ends) => {
    expect(ended(new ReuseRule({}), ...ends).allowsReuse(1)).toBe(true);
  });

  it('is not learnt while others live longer', () => {
    const rule = new ReuseRule({});
    for (let n = 0; n < 9; n += 1) {
      ended(rule, after(1));
      rule.onReused(1);
    }
    expect(rule.allowsReuse(1)).toBe(true);
    for (let n = 0; n < 3; n += 1) {
      // A connection with fewer answers is no evidence against it.
      ended(rule, after(4));
      rule.onReused(1);
    }
    expect(rule.allowsReuse(4)).toBe(false);
  });

  it('is unlearnt when the server keeps a connection after all, and the report says so', () => {
    const rule = ended(new ReuseRule({}), after(1), after(1), after(1));
    expect(rule.isOnlyLearnt(1)).toBe(true);
    rule.onKept();
    expect(rule.allowsReuse(1)).toBe(true);
    expect(rule.notes).toEqual([
      expect.stringContaining('after each answer'),
      expect.stringContaining('kept a connection after each answer'),
    ]);
  });

  it('is never learnt to be more than the scenario allows', () => {
    const rule = ended(new ReuseRule({ reuse: false }), after(1), after(1), after(1));
    expect(rule.isOnlyLearnt(1)).toBe(false);
  });
});

describe('a server', () => {
  it('is trusted to keep connections after three answers on used ones, until one ends just after an answer', () => {
    const rule = new ReuseRule({});
    const trusted: boolean[] = [];
    for (let answers = 1; answers <= 3; answers += 1) {
      trusted.push(rule.isTrusted);
      rule.onReused(answers);
    }
    expect([...trusted, rule.isTrusted]).toEqual([false, false, false, true]);
    ended(rule, after(4, 5000));
    expect(rule.isTrusted).toBe(true);
    ended(rule, after(4));
    expect(rule.isTrusted).toBe(false);
  });
});
