import { gaveUpNames, gaveUpReasons } from '../../model/observation/attempt.ts';
import { type MeasureName, measures } from '../../model/measures/measures.ts';
import { quantile } from '../../model/measures/quantile.ts';
import type { Result } from '../../model/result/result.ts';
import { countArrivals, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { distributionOf } from '../../model/result/summary.ts';
import { countText, figureText, plural, shareText } from '../text/number-text.ts';
import { present } from '../text/present.ts';
import { sumOf } from './groups.ts';

const everyGroup = (): boolean => true;

/** The median and the tail of a wait of completed requests; `null` if none waited. */
const waitText = (result: Result, measure: MeasureName): string | null => {
  const waits = distributionOf(result, measure, everyGroup);
  const [p50, p99] = [quantile(waits, 0.5), quantile(waits, 0.99)];
  if (p50 === null || p99 === null) return null;
  return `${measures[measure].label}, over ${plural(waits.count, 'completed request')}: p50 ${figureText(p50.value)} ms, p99 ${figureText(p99.value)} ms, maximum ${figureText(waits.max ?? 0)} ms.`;
};

const gaveUpText = ({ groups }: Result): string | null => {
  const counts = gaveUpNames
    .map((name) => ({ name, count: sumOf(groups, ({ gaveUp }) => gaveUp[name] ?? 0) }))
    .filter(({ count }) => count > 0)
    .map(({ name, count }) => `${countText(count)} because ${gaveUpReasons[name]}`);
  return counts.length === 0 ? null : `Given up: ${counts.join(', ')}.`;
};

const retryText = (result: Result): string => {
  const arrivals = countArrivals(sumOutcomes(result.groups));
  const attempts = sumOf(result.groups, (group) => group.attempts);
  const retried = sumOf(result.groups, (group) => group.retried);
  const succeededRetries = distributionOf(result, 'retryWait', everyGroup).count;
  return `${plural(attempts, 'attempt')} for ${plural(arrivals, 'arrival')}; ${countText(retried)} of them (${shareText(retried, arrivals)}) were retried, ${countText(succeededRetries)} successfully.`;
};

/** The effects of retries and the pace over the whole run, which outcomes do not show; none if the plan has neither. */
export const retrySentences = (result: Result): readonly string[] => {
  const { retry, pace } = result.plan;
  return present([
    retry !== null && retryText(result),
    retry !== null && gaveUpText(result),
    retry !== null && waitText(result, 'retryWait'),
    pace !== null && waitText(result, 'paceWait'),
  ]);
};
