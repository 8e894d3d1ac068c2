import type { Plan } from '../../model/plan/plan.ts';
import { instant } from '../../model/quantity.ts';
import { answeredChat } from '../../record/sample-observations.fixture.ts';
import { planUntilDecided } from './decided-plan.fixture.ts';
import { Decider } from './decision.ts';

/** Returns times of answers from 100 to 199 ms, without a pattern. */
export const timeOf = (index: number): number => 100 + ((index * 37) % 100);

/** Shows a decider 20 arrivals a second. Returns when it was decided, in s; `null` if it was not within ten minutes. */
export const decidedAfter = (
  bound: number,
  took = timeOf,
  changed: Partial<Plan> = {},
): number | null => {
  const decider = new Decider({ ...planUntilDecided(600_000, bound), ...changed });
  const ends = Array.from({ length: 12_000 }, (_, i) => answeredChat(i * 50, took(i))).toSorted(
    (a, b) => a.ended - b.ended,
  );
  let seen = 0;
  for (let second = 1; second <= 600; second += 1) {
    const now = instant(second * 1000);
    for (; seen < ends.length && ends[seen]!.ended <= now; seen += 1) decider.record(ends[seen]!);
    if (decider.isDecided(now, second * 20)) return second;
  }
  return null;
};
