import { describe, expect, it } from 'vitest';
import type { Result } from '../model/result.ts';
import { emptyOutcomes } from '../model/summary.ts';
import { runVerdict } from './run-verdict.ts';
import { sampleResult } from './sample-result.ts';
import { degradedTrust, invalidTrust, validTrust } from './sample-trust.ts';

const result = sampleResult();
const failed: Result = {
  ...result,
  groups: result.groups.map((group) => ({
    ...group,
    outcomes: { ...emptyOutcomes(), refused: 5 },
  })),
};
const halved: Result = {
  ...result,
  slices: result.slices.map((slice) => ({ ...slice, count: 2 })),
};

describe('the verdict of a run', () => {
  it('is what the trust in its generator is', () => {
    const titles = [validTrust, degradedTrust, invalidTrust].map(
      (trust) => runVerdict(result, trust).title,
    );
    expect(titles).toEqual(['Valid', 'Degraded', 'Invalid']);
  });

  it('is never valid when nothing succeeded, however healthy the generator', () => {
    const { level, title, sentences } = runVerdict(failed, validTrust);
    expect([level, title]).toEqual(['invalid', 'Nothing succeeded']);
    expect(sentences[0]).toContain('Not one request succeeded');
  });

  it('is incomplete before anything else when a slice is missing', () => {
    expect(runVerdict(halved, validTrust)).toMatchObject({ level: 'invalid', title: 'Incomplete' });
  });

  it.each([
    [2, 'The run is incomplete: slice 1/2 is missing.'],
    [4, 'The run is incomplete: slices 1/4, 2/4 and 3/4 are missing.'],
    [40, 'The run is incomplete: 39 of its 40 slices are missing.'],
  ])('names what is missing of %i slices, as long as it is a few', (count, sentence) => {
    const slices = result.slices.map((slice) => ({ ...slice, count }));
    expect(runVerdict({ ...result, slices }, validTrust).sentences[0]).toBe(sentence);
  });

  it('says why a run is partial', () => {
    const { level, title, sentences } = runVerdict(
      { ...result, partial: 'interrupted' },
      validTrust,
    );
    expect([level, title]).toEqual(['valid', 'Valid, partial']);
    expect(sentences[0]).toBe('The run stopped before its plan did: interrupted.');
  });
});
