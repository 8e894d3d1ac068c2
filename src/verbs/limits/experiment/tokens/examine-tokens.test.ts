import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isViolation } from '../../../../model/limits/limit-log.ts';
import {
  compliantLimiters,
  examineVirtually,
  faultyLimiters,
  threats,
} from './virtual-limiters.fixture.ts';

const violationsOf = ({ findings }: Awaited<ReturnType<typeof examineVirtually>>) =>
  findings.checks.filter(isViolation).map(({ id, observed }) => `${id}: ${observed}`);

const seeds = fc.nat(1e9);

describe('an examination of tokens', () => {
  it('never accuses a limiter that keeps its limit, and calls many of them kept', async () => {
    let kept = 0;
    await fc.assert(
      fc.asyncProperty(
        seeds,
        fc.constantFrom(...Object.keys(compliantLimiters)),
        fc.boolean(),
        async (seed, name, hasHeaders) => {
          const options = { hasHeaders, isPromised: !hasHeaders };
          const found = await examineVirtually(compliantLimiters[name]!, seed, options);
          if (found.findings.verdict === 'kept') kept += 1;
          expect({ name, violations: violationsOf(found) }).toStrictEqual({ name, violations: [] });
        },
      ),
      { numRuns: 40 },
    );
    expect(kept).toBeGreaterThan(5);
  }, 60_000);

  it('never accuses a gateway outside its tolerances where headers show that, nor without headers', async () => {
    await fc.assert(
      fc.asyncProperty(
        seeds,
        fc.constantFrom(...Object.keys(threats)),
        fc.boolean(),
        async (seed, name, hasHeaders) => {
          const found = await examineVirtually(threats[name]!, seed, { hasHeaders });
          expect({ name, violations: violationsOf(found) }).toStrictEqual({ name, violations: [] });
        },
      ),
      { numRuns: 40 },
    );
  }, 60_000);

  const shownBy: Readonly<Record<string, string>> = {
    'never enforced': 'token-burst',
    'limit x 2': 'token-burst',
    'two replicas in turn': 'token-burst',
    'three replicas by connection': 'token-burst',
    'streams are free': 'token-burst',
    'only completions are charged': 'token-burst',
    'charged 10 s late': 'token-settling',
    'refuses 30 % early': 'token-early',
    'prompts counted twice': 'token-early',
    'window twice as long': 'token-early',
    'locked for 3 windows': 'token-recovery',
    'never reset while requests pass': 'token-recovery',
    'names requests': 'token-names',
    'rest never falls': 'token-remaining',
  };

  it.each(Object.entries(shownBy))('shows a fault: %s by %s', async (name, id) => {
    for (const seed of [11, 12, 13]) {
      const { findings } = await examineVirtually(faultyLimiters[name]!, seed, {
        hasSmallBucket: false,
      });
      const refuted = findings.checks.filter(({ finding }) => finding === 'refuted');
      expect({ seed, shown: refuted.map((check) => check.id) }).toStrictEqual({
        seed,
        shown: expect.arrayContaining([id]) as string[],
      });
    }
  });

  it('sends what its budget says, within a tenth in the mean of compliant limiters', async () => {
    const names = Object.keys(compliantLimiters).filter((name) => name.endsWith('at the end'));
    const shares = { requests: 0, tokens: 0, time: 0 };
    for (const [i, name] of names.entries()) {
      const { log, budget, time } = await examineVirtually(compliantLimiters[name]!, 77 + i, {
        hasSmallBucket: false,
      });
      const tokens = log.replies.reduce(
        (sum, { usage }) => sum + (usage === null ? 0 : usage.input + usage.output),
        0,
      );
      expect(log.cut).toBeNull();
      expect(log.replies.length).toBeLessThanOrEqual(budget.requests.most);
      shares.requests += log.replies.length / budget.requests.usual / names.length;
      shares.tokens += tokens / budget.tokens.usual / names.length;
      shares.time += time / budget.time / names.length;
    }
    for (const [of, share] of Object.entries(shares)) {
      expect(Math.abs(share - 1), of).toBeLessThan(0.1);
    }
  });

  it('decides nothing without headers if the operator promises nothing', async () => {
    const { findings } = await examineVirtually(faultyLimiters['limit x 2']!, 5, {
      hasHeaders: false,
      hasSmallBucket: false,
    });
    expect(findings.verdict).toBe('undecided');
    expect(findings.reasons.join(' ')).toContain('--yes-tokens');
  });
});
