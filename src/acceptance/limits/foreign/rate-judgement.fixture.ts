import type { LimitJudgement } from '../../../model/limits/limit-report.ts';
import type { ForeignLimiter, LimiterFamily } from './foreign-limiter.fixture.ts';

/** The names that are true of a family. A family without one is "none of ours". */
const trueNames: Readonly<Record<LimiterFamily, readonly string[]>> = {
  'fixed-from-first': ['fixed-from-first'],
  'fixed-aligned': ['fixed-aligned'],
  'fixed-free': ['fixed-free'],
  'sliding-log': ['sliding-log'],
  'sliding-counter': ['sliding-counter'],
  'counter-counting-refusals': [],
  'token-bucket': ['token-bucket'],
  'burst-bucket': ['burst-bucket'],
  'stepped-bucket': ['stepped-bucket'],
  queue: ['leaky-queue'],
  'burst-then-delay': [],
  'two-tiers': [],
  penalty: [],
  'restart-by-refusals': [],
  other: [],
};

/** `right`: a true name. `none`: none was named. `tie`: a wrong name that another explains about as well. `wrong`: a wrong name with a margin. */
export type NameRating = 'right' | 'none' | 'tie' | 'wrong';

/** How many decisions more the runner-up has to miss, so that a name has a margin. */
const margin = 3;

export const rateName = (
  judgement: LimitJudgement,
  { family }: ForeignLimiter,
): { readonly named: string | null; readonly rating: NameRating } => {
  const { best, runnerUp } = judgement.declared;
  if (best === null) return { named: null, rating: 'none' };
  const named = best.limiter;
  if (trueNames[family].includes(named)) return { named, rating: 'right' };
  const isClose = runnerUp !== null && runnerUp.wrong - best.wrong < margin;
  return { named, rating: isClose ? 'tie' : 'wrong' };
};

export const verdictOf = (judgement: LimitJudgement): 'kept' | 'violated' | 'undecided' => {
  const kept = judgement.checks.find(({ id }) => id === 'limit-kept');
  if (judgement.violated) return 'violated';
  return kept?.finding === 'undecided' ? 'undecided' : 'kept';
};
