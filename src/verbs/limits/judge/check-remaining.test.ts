import { expect, it } from 'vitest';
import type { LimitFinding, LimitLog, ProbeReply } from '../../../model/limits/limit-log.ts';
import { instant, milliseconds } from '../../../model/quantity.ts';
import { checkHiddenSpender } from './check-remaining.ts';
import { sampleReply } from './sample-reply.fixture.ts';

const window = milliseconds(60_000);

const released = (sent: number, remaining: number, place: number): ProbeReply =>
  sampleReply(sent, {
    requestId: `r-${place}`,
    phase: 'concurrency',
    told: [
      {
        profile: 'litellm',
        descriptor: 'api_key',
        unit: 'requests',
        limit: 60,
        remaining,
        resetIn: null,
      },
    ],
  });

/** Small chats that were sent one by one at an even pace, each of which lowers remaining by one. */
const oneByOne = (count: number): readonly ProbeReply[] =>
  Array.from({ length: count }, (_, i) => ({
    ...released(100_000 + i * 1200, 59 - i, 200 + i),
    phase: 'even' as const,
  }));

/**
 * Returns the finding on requests that were released together and reported the values of `together`, and on some later
 * ones.
 */
const spenderOf = (
  together: readonly number[],
  following: readonly number[] = [],
  alone: readonly ProbeReply[] = oneByOne(52),
): LimitFinding => {
  const log: LimitLog = {
    declared: { requests: { limit: 60, window }, tokens: null, permitted: [] },
    replies: [
      ...together.map((remaining, i) => ({
        ...released(1000, remaining, i),
        answered: instant(1030 + i),
        ended: instant(1030 + i),
      })),
      ...following.map((remaining, i) => released(3000 + i * 1200, remaining, 100 + i)),
      ...alone,
    ],
    unanswered: [],
    cut: null,
  };
  return checkHiddenSpender(log).finding;
};

it('a gap in the values of a burst shows that someone else uses the key', () => {
  expect(spenderOf([9, 8, 7, 6])).toBe('proved');
  expect(spenderOf([9, 8, 6, 5])).toBe('refuted');
  expect(spenderOf([59, 58, 57, 53, 52])).toBe('refuted');
});

it('a window that ends after a burst, or within it, does not show that someone else uses the key', () => {
  expect(spenderOf([3, 2, 1, 0], [59, 58])).toBe('proved');
  expect(spenderOf([1, 0, 59, 58])).toBe('proved');
  expect(spenderOf([1, 0, 4, 3])).toBe('proved');
});

it('chats one by one for less than a window do not show that nobody else uses the key', () => {
  expect(spenderOf([9, 8, 7, 6], [], oneByOne(50))).toBe('undecided');
  expect(spenderOf([9, 8, 7, 6], [], [])).toBe('undecided');
});
