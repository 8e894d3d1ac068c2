// @long 230 s
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, type TestContext, vi } from 'vitest';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { examineTokenCase, type TokenExaminationRow } from './examine-token-case.ts';
import { isHeld } from './run-token-cases.ts';
import { teamCases, type TokenCase, unitCases } from './token-cases.ts';

// The first run installs the limiters.
vi.setConfig({ testTimeout: 900_000 });

const limits = { tokens: 20_000, requests: 60, window: 15_000, isPromised: true };
const team = ['--second-key', 'SECOND_KEY', '--same-team'];

const examined = (
  tried: TokenCase,
  args: readonly string[],
  context: TestContext,
): Promise<TokenExaminationRow> =>
  orSkip(context, async () => {
    await using own = await mkdtempDisposable(join(tmpdir(), 'weir-proving-'));
    return await examineTokenCase(tried, { ...limits, args, folder: own.path });
  });

/** What is held of the tokens that the limit counts, by the gateway's own log. */
const areTokensHeld = ({ held, truth }: TokenExaminationRow): boolean =>
  isHeld(held.tokens, truth.mostTokens);

describe.concurrent('weir limits --tokens, against other limits of gateways that others wrote', () => {
  it.for([
    ...unitCases.map(({ unit, kept }) => ({ ...kept, args: ['--unit', unit] })),
    ...teamCases.kept.map((kept) => ({ ...kept, args: team })),
  ])('accuses $name of nothing', async ({ args, ...tried }, context) => {
    const row = await examined(tried, args, context);
    expect(row.violated).toEqual([]);
    expect(row.truth.refused).toBeGreaterThan(3);
    expect(isHeld(row.held.requests, row.truth.mostRequests)).toBe(true);
    expect(areTokensHeld(row)).toBe(true);
  });

  it.for([
    ...unitCases.map(({ unit, broken }) => ({ ...broken, args: ['--unit', unit] })),
    { ...teamCases.broken, args: team },
  ])('says that $name breaks its limit: $fault', async ({ args, ...tried }, context) => {
    const row = await examined(tried, args, context);
    expect(row.violated.join('\n')).toMatch(/^token-burst: /m);
    expect(areTokensHeld(row)).toBe(true);
  });
});
