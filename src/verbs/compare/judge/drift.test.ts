import { describe, expect, it } from 'vitest';
import { sharesOfVerdicts } from './repeated-sides.fixture.ts';

// `false-alarms.test.ts` tries a thousand pairs of each.
const pairs = 100;

describe('five runs against five of an unchanged gateway that gets 3 % slower from run to run', () => {
  it.each([0.02, 0.05])(
    'are no regression where the base came first, at a noise of %s',
    (noise) => {
      const { regression } = sharesOfVerdicts(pairs, { noise, drift: 0.03, isAlternating: false });
      expect(regression).toBeLessThanOrEqual(0.02);
    },
  );

  it.each([0.02, 0.05])('are no regression in turns, at a noise of %s', (noise) => {
    const { regression } = sharesOfVerdicts(pairs, { noise, drift: 0.03 });
    expect(regression).toBeLessThanOrEqual(0.01);
  });
});

describe('five runs against five', () => {
  it('are the same for an unchanged gateway, in most comparisons', () => {
    expect(sharesOfVerdicts(pairs, {}).same).toBeGreaterThanOrEqual(0.5);
    expect(sharesOfVerdicts(pairs, { noise: 0.02 }).same).toBeGreaterThanOrEqual(0.99);
  });

  it('are a regression in most comparisons in turns with 20 % more', () => {
    expect(sharesOfVerdicts(pairs, { factor: 1.2 }).regression).toBeGreaterThanOrEqual(0.8);
  });
});
