import { expect, it } from 'vitest';
import type { ProbeReply } from '../../model/limits/limit-log.ts';
import { restartsEarly } from './early-restarts.ts';

const limit = 20;

/** Answers at these instants, each with what is left of the limit. */
const answersAt = (rests: readonly (readonly [answered: number, remaining: number])[]) => ({
  replies: rests.map(
    ([answered, remaining]) =>
      ({
        key: 'first',
        answered,
        told: [{ unit: 'requests', limit, remaining }],
      }) as unknown as ProbeReply,
  ),
});

const window = 10_000;

it.each([
  [
    'a window after whole seconds',
    [
      [0, 19],
      [9100, 19],
      [18_500, 19],
    ],
    false,
  ],
  [
    'rests that only fall',
    [
      [0, 19],
      [50, 18],
      [90, 17],
    ],
    false,
  ],
  [
    'one that was given out again within a second',
    [
      [0, 19],
      [9300, 19],
      [9900, 0],
      [10_300, 19],
    ],
    true,
  ],
  [
    'the same, answered in another order',
    [
      [10_300, 19],
      [9300, 19],
      [0, 19],
    ],
    true,
  ],
] as const)('a gateway’s headers show whether a window began too early: %s', (_, rests, is) => {
  expect(restartsEarly(answersAt(rests), { window, early: 1500 })).toBe(is);
});
