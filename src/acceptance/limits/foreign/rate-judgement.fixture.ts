import type { LimitJudgement } from '../../../verbs/limits/model/limit-report.ts';
import type { ForeignLimiter, LimiterFamily } from './foreign-limiter.fixture.ts';

/** The names that are true of a family. A family without one is "none of ours". */
const trueNames: Readonly<Record<LimiterFamily, readonly string[]>> = {
  'fixed-from-first': ['fixed-from-first'],
  // Without a `Date` header, regular times cannot be matched with those of the clock.
  'fixed-aligned': ['fixed-aligned', 'fixed-any-phase'],
  'fixed-free': ['fixed-any-phase'],
  'sliding-log': ['sliding-log'],
  'sliding-counter': ['sliding-counter'],
  // What counts refusals admits so seldom that a log and counters are one class.
  'counter-counting-refusals': ['sliding-log-counting-refusals'],
  'token-bucket': ['token-bucket'],
  'burst-bucket': ['burst-bucket'],
  'stepped-bucket': ['stepped-bucket'],
  queue: ['leaky-queue', 'delaying-bucket'],
  'burst-then-delay': ['delaying-bucket', 'leaky-queue'],
  'two-tiers': ['two-tier'],
  penalty: ['penalty-box'],
  'restart-by-refusals': ['fixed-restarted'],
  other: [],
};

/**
 * `right`: a true name. `none`: none was named. Without a margin, since another class is said to explain as well: `tie` if a
 * true one is among them, `unclear` if not. `wrong`: any other name.
 */
export type NameRating = 'right' | 'none' | 'tie' | 'unclear' | 'wrong';

export const rateName = (
  { identification: { best, ties } }: LimitJudgement,
  { family, alsoNamed = [] }: ForeignLimiter,
): { readonly named: string | null; readonly rating: NameRating } => {
  if (best === null) return { named: null, rating: 'none' };
  const named = best.limiter;
  const names: readonly string[] = [...trueNames[family], ...alsoNamed];
  if (names.includes(named)) return { named, rating: 'right' };
  const isTie = ties.some(({ limiter }) => names.includes(limiter));
  return { named, rating: isTie ? 'tie' : ties.length > 0 ? 'unclear' : 'wrong' };
};
