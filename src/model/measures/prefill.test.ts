import { describe, expect, it } from 'vitest';
import { drawFrom } from '../workload/draw.ts';
import { addPrefill, inferHits, noPrefills } from './prefill.ts';

interface Stream {
  readonly input: number;
  readonly repeated: number;
}

/** The sums of 40 seconds of ten streams each, whose time is 30 ms and 0.1 ms for each token that is new to the cache. */
const secondsOf = (
  hits: number,
  stream: (uniform: () => number) => Stream,
  { perToken = 0.1, noise = 10, seconds = 40, seed = 1 } = {},
) => {
  const draw = drawFrom(seed);
  return Array.from({ length: seconds }, () => {
    const sums = { ...noPrefills };
    for (let i = 0; i < 10; i += 1) {
      const each = stream(() => draw.uniform());
      const isHit = draw.uniform() < hits;
      const computed = each.input - (isHit ? each.repeated : 0);
      addPrefill(sums, { ...each, time: 30 + perToken * computed + noise * draw.uniform() });
    }
    return sums;
  });
};

/** A prompt of which 800 tokens are repeated in three of four cases. */
const prefixed = (uniform: () => number): Stream => ({
  input: 900 + Math.floor(uniform() * 1100),
  repeated: uniform() < 0.75 ? 800 : 0,
});

describe('hits inferred from the time to the first token', () => {
  it.each([0, 0.3, 0.8, 1])('are those of a server whose cache has a share of %d', (hits) => {
    const found = inferHits(secondsOf(hits, prefixed));
    if (typeof found === 'string') throw new Error(found);
    expect(found.low).toBeLessThanOrEqual(hits + 1e-9);
    expect(found.high).toBeGreaterThanOrEqual(hits - 1e-9);
    expect(found.high - found.low).toBeLessThan(0.3);
    expect(found.answers).toBe(400);
    expect(found.repeatedShare).toBeGreaterThan(0.35);
  });

  it('have an interval that holds the truth in at least 90 of 100 runs', () => {
    const inferred = Array.from({ length: 100 }, (_, seed) =>
      inferHits(secondsOf(0.6, prefixed, { noise: 80, seed })),
    ).filter((found) => typeof found !== 'string');
    const held = inferred.filter(({ low, high }) => low <= 0.6 && 0.6 <= high);
    expect(inferred.length).toBeGreaterThanOrEqual(90);
    expect(held.length).toBeGreaterThanOrEqual(90);
  });

  it.each([
    ['a run that is too short', secondsOf(1, prefixed, { seconds: 9 }), 'short'],
    [
      'one number of repeated tokens in all prompts',
      secondsOf(1, (uniform) => ({ ...prefixed(uniform), repeated: 800 })),
      'alike',
    ],
    [
      'repeated tokens that are a fixed share of each prompt',
      secondsOf(1, (uniform) => {
        const { input } = prefixed(uniform);
        return { input, repeated: input / 2 };
      }),
      'alike',
    ],
    ['times that do not depend on the prompt', secondsOf(1, prefixed, { perToken: 0 }), 'no-slope'],
    ['times that vary too much', secondsOf(1, prefixed, { noise: 250 }), 'vague'],
  ])('are not inferred of %s', (_, seconds, reason) => {
    expect(inferHits(seconds)).toBe(reason);
  });
});
