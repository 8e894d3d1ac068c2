import type { Result } from '../../model/result/result.ts';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { distributionOf, groupsMatching } from '../../model/result/summary.ts';
import { countText, figureText, plural } from '../text/number-text.ts';
import { measuredOf } from './groups.ts';

/**
 * The run's word error rate in a sentence that says how it is computed: results keep the rate of each
 * answer, so it is their mean, not all wrong words over all words. `null` without a known true text.
 */
export const wordErrorSentence = (result: Result): string | null => {
  const where = measuredOf('transcription');
  const { count, mean } = distributionOf(result, 'wordErrorRate', where);
  if (mean === null) return null;
  const unknown = sumOutcomes(groupsMatching(result, where)).completed - count;
  const others = unknown === 0 ? '' : ` (${countText(unknown)} others have none)`;
  return `Word error rate: ${figureText(mean)} % on average over ${plural(count, 'answer')} to clips with a known text${others}. It is the mean of the rates of single answers, so a short clip counts as much as a long one.`;
};
