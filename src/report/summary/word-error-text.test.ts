import { describe, expect, it } from 'vitest';
import { measures } from '../../model/measures/measures.ts';
import { wordErrorSentence } from './rates.ts';
import { sampleReportPlan } from '../fixtures/sample-plan.fixture.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { sampleObservations } from '../fixtures/sample-observations.fixture.ts';

const result = sampleRunResult();

describe('the mean word error rate', () => {
  it('is the mean of the answers’ own rates, and says so', () => {
    const rates = sampleObservations()
      .filter(({ due }) => due >= sampleReportPlan.warmUp)
      .flatMap((each) => [...measures.wordErrorRate.of(each)]);
    const mean = rates.reduce((a, b) => a + b) / rates.length;
    expect(wordErrorSentence(result)).toContain(
      `${mean.toFixed(2)} % on average over ${rates.length}`,
    );
    expect(wordErrorSentence(result)).toMatchInlineSnapshot(
      `"Word error rate: 4.32 % on average over 12 answers to clips with a known text (12 others have none). It is the mean of the rates of single answers, so a short clip counts as much as a long one."`,
    );
  });

  it('is given without a remark if every text is known', () => {
    const groups = result.groups
      .filter(({ labels }) => labels.traffic === 'transcription')
      .map((group) => ({
        ...group,
        outcomes: {
          ...group.outcomes,
          completed: group.distributions.wordErrorRate?.count ?? 0,
        },
      }));
    expect(wordErrorSentence({ ...result, groups })).toMatch(/with a known text\. It is/);
  });

  it('is absent where no text is known', () => {
    const groups = result.groups.filter(({ labels }) => labels.traffic !== 'transcription');
    expect(wordErrorSentence({ ...result, groups })).toBeNull();
  });
});
