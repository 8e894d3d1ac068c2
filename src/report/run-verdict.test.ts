import { describe, expect, it } from 'vitest';
import { runVerdict } from './run-verdict.ts';
import { sampleResult } from './sample-result.ts';

const invalid = { level: 'invalid', evidence: [] } as const;

describe('the verdict of a run whose generator could not keep up', () => {
  it('says that gaps are withheld, where there are any', () => {
    const result = sampleResult();
    expect(runVerdict(result, invalid).sentences.join(' ')).toContain('Chunk gaps are withheld.');
    const groups = result.groups.filter(({ labels }) => labels.traffic === 'models');
    const listed = runVerdict({ ...result, groups }, invalid);
    expect(listed.title).toBe('Invalid');
    expect(listed.sentences.join(' ')).not.toContain('gaps');
  });
});
