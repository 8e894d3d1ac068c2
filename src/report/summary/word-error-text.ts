import type { Labels } from '../../model/measures/counts.ts';
import type { Result } from '../../model/result/result.ts';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { distributionOf, groupsMatching, outsideWarmUp } from '../../model/result/summary.ts';
import { countText, figureText, plural } from '../text/number-text.ts';

const ofTranscriptions = (labels: Labels): boolean =>
  outsideWarmUp(labels) && labels.traffic === 'transcription';

/**
 * The run's word error rate in a sentence that says how it is computed: results keep the rate of each
 * answer, so it is their mean, not all wrong words over all words. `null` without a known true text.
 */
export const wordErrorSentence = (result: Result): string | null => {
  const { count, mean } = distributionOf(result, 'wordErrorRate', ofTranscriptions);
  if (mean === null) return null;
  const unknown = sumOutcomes(groupsMatching(result, ofTranscriptions)).completed - count;
  const others = unknown === 0 ? '' : ` (${countText(unknown)} others have none)`;
  return `Word error rate: ${figureText(mean)} % on average over ${plural(count, 'answer')} to clips with a known text${others}. It is the mean of the rates of single answers, so a short clip counts as much as a long one.`;
};
