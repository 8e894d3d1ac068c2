import { describe, expect, it } from 'vitest';
import type { UsageAudit } from '../../model/measures/usage-audit.ts';
import type { Result } from '../../model/result/result.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { usageSection, usageSentence } from './usage-audit.ts';

const resultWith = (usageAudit?: UsageAudit): Result => {
  const sample = sampleRunResult();
  const group = sample.groups.find(
    ({ labels }) => !labels.warmUp && labels.traffic === 'chat-stream',
  )!;
  return { ...sample, groups: [{ ...group, usageAudit }] };
};

const textsOf = (usageAudit: UsageAudit): readonly string[] =>
  (usageSection(resultWith(usageAudit))?.blocks ?? []).flatMap((block) =>
    'text' in block && typeof block.text === 'string' ? [block.text] : [],
  );

const agreeing = { answers: 1200, differing: 0, reported: 0, bound: 0 };

describe('the section on the usage of a run', () => {
  it('is absent where nothing was compared', () => {
    expect(usageSection(resultWith())).toBeNull();
    expect(usageSentence(resultWith())).toBeNull();
  });

  it('says of how many answers the usage agrees with what was received', () => {
    const audit = { text: agreeing, events: { ...agreeing, answers: 1190 } };
    expect(textsOf(audit)[0]).toBe(
      'The usage of 1,200 answers agrees with what was received within its bounds.',
    );
    expect(usageSentence(resultWith(audit))).toBeNull();
  });

  it('says what differs, with the bound and what else explains it', () => {
    const audit = {
      text: { answers: 1200, differing: 3, reported: 1500, bound: 420 },
      reasoning: { answers: 9, differing: 9, reported: 1500, bound: 420 },
    };
    expect(textsOf(audit).slice(0, 2)).toEqual([
      '3 of 1,200 streams report more output tokens than their text can have: 1,500 in all, at most 420. Reasoning that is neither shown nor declared does that, a tool that the server ran and does not show, or a count that is too high.',
      '9 answers declare reasoning that did not come as text.',
    ]);
    expect(usageSentence(resultWith(audit))).toBe(
      '3 of 1,200 streams report more output tokens than their text can have',
    );
  });
});
