// @long 2 s
import { describe, expect, it } from 'vitest';
import { regressionsOneAgainstOne } from './one-against-one.fixture.ts';

// `long-one-against-one.test.ts` tries a thousand pairs.
describe('one run against one', () => {
  it.each(['M/M/1 at 0.5', 'M/M/1 at 0.8'])(
    'of one unchanged %s is never a regression in thirty comparisons',
    (process) => {
      expect(regressionsOneAgainstOne(process, { pairs: 30 })).toBe(0);
    },
  );

  it('is a regression if the new one takes three times as long', () => {
    const slower = { pairs: 10, factor: 3 };
    expect(regressionsOneAgainstOne('independent requests', slower)).toBe(10);
    expect(regressionsOneAgainstOne('M/M/1 at 0.5', slower)).toBeGreaterThanOrEqual(9);
  });

  it('is none if the new one is faster', () => {
    const faster = { pairs: 10, factor: 0.2 };
    expect(regressionsOneAgainstOne('independent requests', faster)).toBe(0);
  });
});
