import { describe, expect, it } from 'vitest';
import { isViolation, type LimitLog } from '../../../model/limits/limit-log.ts';
import { sampleLimitReport, sampleTokenReport } from '../report/sample-limit-report.fixture.ts';
import { sampleReply } from './sample-reply.fixture.ts';
import { tapReply, tokenLog } from './tokens/sample-token-log.fixture.ts';
import { findingsOfAssumed, judgementOfAssumed } from './undeclared.ts';

const broken = {
  id: 'x',
  claim: 'A claim.',
  section: '8',
  finding: 'refuted',
  violates: true,
  observed: 'broken',
  evidence: [],
} as const;

describe('a limit that was assumed', () => {
  const { findings } = sampleTokenReport();
  const violated = { ...findings, verdict: 'violated', checks: [broken] } as const;

  it.each(['kept', 'violated'] as const)(
    'of tokens is not called %s if answers name another',
    (verdict) => {
      const log = tokenLog([tapReply(0, 9000, { reported: { limit: 40_000, remaining: 9000 } })]);
      const found = findingsOfAssumed({ ...violated, verdict }, log);
      expect([found.verdict, found.reasons]).toEqual([
        'undecided',
        [
          'no limit of tokens was declared, and the headers of answers name 40,000, not the assumed 20,000: examine that one with --set limits.tokensPerMinute=40000',
        ],
      ]);
      expect(found.checks.filter(isViolation)).toEqual([]);
      expect(found.checks[0]).toMatchObject({ finding: 'refuted', observed: 'broken' });
    },
  );

  it('of tokens keeps its verdict if answers name it, or none', () => {
    const other = tapReply(5, 1, { reported: { limit: 40_000, remaining: 1 } });
    for (const replies of [[tapReply(0, 9000), other], [tapReply(0, null)]])
      expect(findingsOfAssumed(violated, tokenLog(replies))).toBe(violated);
  });

  it('of requests is undecided if answers name another, and only then', () => {
    const { judgement, log } = sampleLimitReport();
    const wrong = { ...judgement, verdict: 'violated', checks: [broken] } as const;
    const logOf = (...limits: readonly (number | null)[]): LimitLog => ({
      ...log,
      replies: limits.map((limit, i) =>
        sampleReply(i, {
          told: [
            {
              profile: 'openai',
              descriptor: '',
              unit: 'requests',
              limit,
              remaining: 1,
              resetIn: null,
            },
          ],
        }),
      ),
    });
    const assumed = log.declared.requests.limit;
    const found = judgementOfAssumed(wrong, logOf(500, null, 500));
    expect([found.verdict, found.requests, found.checks.filter(isViolation)]).toEqual([
      'undecided',
      'undecided',
      [],
    ]);
    expect(found.reasons.join()).toContain(
      `the headers of answers name 500, not the assumed ${assumed}: examine that one with --set limits.requestsPerMinute=500`,
    );
    expect(judgementOfAssumed(wrong, logOf(500, assumed))).toBe(wrong);
    expect(judgementOfAssumed(wrong, logOf(null))).toBe(wrong);
  });
});
