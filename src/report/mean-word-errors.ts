import type { Labels, Result } from '../model/result.ts';
import { outcomesOf } from '../model/outcomes.ts';
import { distribution, groupsWhere, measured } from '../model/summary.ts';
import { countText, figureText, plural } from './number-text.ts';

const ofTranscriptions = (labels: Labels): boolean =>
  measured(labels) && labels.traffic === 'transcription';

/**
 * The run's word error rate in a sentence that says which one it is: results keep each answer's own
 * rate, so it is their mean, not all wrong words over all words. `null` without a known true text.
 */
export const meanWordErrors = (result: Result): string | null => {
  const { count, mean } = distribution(result, 'wordErrorRate', ofTranscriptions);
  if (mean === null) return null;
  const unknown = outcomesOf(groupsWhere(result, ofTranscriptions)).completed - count;
  const others = unknown === 0 ? '' : ` (${countText(unknown)} further ones have none)`;
  return `Word error rate: ${figureText(mean)} % on average over ${plural(count, 'answer')} to clips with a known text${others}. It is the mean of each answer’s own rate: a short clip counts as much as a long one.`;
};
