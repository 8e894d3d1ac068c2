import type { Fitted, LimiterFit } from '../../../model/limits/limiter-fit.ts';
import { countText, timeText } from '../../../report/text/number-text.ts';

const isDisjoint = (a: Fitted, b: Fitted): boolean => a.least > b.most || a.most < b.least;

/** A cap on requests in flight has a limit of another kind. */
const isOfOtherLimit = (a: LimiterFit, b: LimiterFit): boolean =>
  [a, b].every(({ limiter }) => limiter !== 'in-flight') &&
  (isDisjoint(a.limit, b.limit) || isDisjoint(a.window, b.window));

const withLimit = ({ limiter, limit, window }: LimiterFit): string =>
  `${limiter} of ${countText(limit.value)} in ${timeText(window.value)}`;

/** What two limiters are called beside each other: by their classes, and by their limits, too, if these differ. */
export const limiterNames = (
  named: LimiterFit,
  rival: LimiterFit,
): { readonly named: string; readonly rival: string } =>
  isOfOtherLimit(named, rival)
    ? { named: withLimit(named), rival: withLimit(rival) }
    : { named: named.limiter, rival: rival.limiter };
