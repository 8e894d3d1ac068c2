import type { OutcomeCounts, TimelineSecond } from './counts.ts';
import { outcomeKinds } from '../observation/outcome.ts';

export const emptyOutcomeCounts = (): OutcomeCounts => ({
  completed: 0,
  limited: 0,
  refused: 0,
  malformed: 0,
  broken: 0,
  dropped: 0,
});

export const sumOutcomes = (
  parts: Iterable<{ readonly outcomes: OutcomeCounts }>,
): OutcomeCounts => {
  const sum = emptyOutcomeCounts();
  for (const { outcomes } of parts) {
    for (const kind of outcomeKinds) sum[kind] += outcomes[kind];
  }
  return sum;
};

/** Counts all arrivals, the denominator of every rate. */
export const countArrivals = (outcomes: OutcomeCounts): number =>
  outcomeKinds.reduce((sum, kind) => sum + outcomes[kind], 0);

/** Returns a second in which nothing happened, without its latencies. */
export const emptySecond = (second: number): Omit<TimelineSecond, 'latency'> => ({
  second,
  due: 0,
  begun: 0,
  sent: 0,
  ended: 0,
  outcomes: emptyOutcomeCounts(),
  completed: {},
  tokenEvents: 0,
  inputTokens: 0,
  outputTokens: 0,
  audioReceived: 0,
  audioSent: 0,
  characters: 0,
});
