// @long 190 s
import { describe, expect, it, vi } from 'vitest';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { runTokenCase } from './run-token-case.ts';
import { isHeld } from './run-token-cases.ts';
import { longTokenCases } from './token-cases.ts';

// The first run installs the limiters.
vi.setConfig({ testTimeout: 900_000 });

const terms = { tokens: 20_000, requests: 600, load: 4, seconds: 150 };

describe.concurrent('weir run for 2.5 minutes at four times the limit of tokens', () => {
  it.for(longTokenCases.map((tried) => ({ ...tried, title: tried.fault ?? 'no fault' })))(
    'says of $name, $title, what its own log says',
    async (tried, context) => {
      const row = await orSkip(context, () => runTokenCase(tried, terms));
      const { truth, limits, explained, verdict } = row;
      expect(isHeld(limits.requests, truth.mostRequests)).toBe(true);
      expect(isHeld(limits.tokens, truth.mostTokens)).toBe(true);
      // None of these admits more than a limiter of the limit may.
      expect(row.violated).toEqual([]);
      expect(truth.refused).toBeGreaterThan(100);
      const isNamed = tried.fault !== 'wrong name';
      const right = isNamed ? truth.refused - truth.early : 0;
      expect(explained).toBeGreaterThanOrEqual(0.95 * right);
      if (tried.fault === undefined) return;
      expect(explained).toBeLessThan(0.7 * truth.refused);
      expect(row.refuted).toContain(
        isNamed ? 'tokens-refused-only-when-full' : 'refusal-names-limit',
      );
      expect(verdict).not.toMatch(/kept/i);
    },
  );
});
