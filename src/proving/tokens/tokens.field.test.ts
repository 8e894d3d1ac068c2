// @long 25 s
import { describe, expect, it, type TestContext, vi } from 'vitest';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { runTokenCase, type TokenRow } from './run-token-case.ts';
import { quickTokenCases, quickTokenFaults, type TokenCase } from './token-cases.ts';

// The first run installs the limiters.
vi.setConfig({ testTimeout: 900_000 });

const terms = { tokens: 4000, requests: 600, load: 30, seconds: 16 };

const ran = (tried: TokenCase, context: TestContext): Promise<TokenRow> =>
  orSkip(context, () => runTokenCase(tried, terms));

const expectTruth = ({ truth, limits }: TokenRow): void => {
  const pairs = [
    [limits.requests, truth.mostRequests],
    [limits.tokens, truth.mostTokens],
  ] as const;
  for (const [{ least, most }, truly] of pairs) {
    expect(least).toBeLessThanOrEqual(truly);
    expect(most ?? Infinity).toBeGreaterThanOrEqual(truly);
  }
};

describe.concurrent('weir run above a limit of tokens, against limiters that others wrote', () => {
  it.for(quickTokenCases)(
    'accuses $name of nothing, explains what its log calls right, and holds what it admitted and charged',
    async (tried, context) => {
      const row = await ran(tried, context);
      expectTruth(row);
      expect(row.violated).toEqual([]);
      expect(row.truth.refused).toBeGreaterThan(10);
      expect(row.explained).toBeGreaterThanOrEqual(0.95 * (row.truth.refused - row.truth.early));
    },
  );

  it.for(quickTokenFaults)('says that $name breaks its limit: $fault', async (tried, context) => {
    const row = await ran(tried, context);
    expectTruth(row);
    expect(row.violated.join('\n')).toMatch(/^tokens-kept: /);
  });
});
