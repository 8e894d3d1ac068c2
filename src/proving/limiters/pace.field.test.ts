// @long 65 s
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { runScenario } from '../harness/run-scenario.ts';
import { freePort } from '../harness/server-process.ts';
import type { LimiterCase } from './limiter-case.ts';
import { pacedCases } from './limiter-cases.ts';

// The first run installs the limiters.
vi.setConfig({ testTimeout: 900_000 });

const [limit, window, duration] = [20, 10_000, 60_000];

/** What a client that always has work does under an even pace, and how often it is refused. */
const outcomesAgainst = async (limiter: LimiterCase) => {
  await using own = await mkdtempDisposable(join(tmpdir(), 'weir-proving-'));
  const log = join(own.path, 'requests.log');
  const options = { limit, window, port: await freePort(), folder: own.path, log };
  const gateway = await limiter.start(options, []);
  try {
    const { result } = await runScenario(
      {
        target: gateway.url,
        traffic: [{ kind: 'chat', model: 'proving/small', prompt: 'Hi.', maxTokens: 5 }],
        load: { kind: 'closed', users: 6, duration: `${duration}ms` },
        pace: { requests: '120/min', tokens: 'none', window: `${window}ms`, burst: 1 },
      },
      own.path,
    );
    return sumOutcomes(result.groups);
  } finally {
    await gateway.stop();
  }
};

describe.concurrent('an even pace, against limiters that others wrote', () => {
  it.for(pacedCases)(
    'does nine tenths of what $name admits, almost without refusals',
    async (limiter, context) => {
      const { completed, limited, ...others } = await orSkip(context, () =>
        outcomesAgainst(limiter),
      );
      expect(others).toEqual({ refused: 0, malformed: 0, broken: 0, dropped: 0, cancelled: 0 });
      expect(completed).toBeGreaterThanOrEqual((0.9 * limit * duration) / window);
      expect(limited / (completed + limited)).toBeLessThanOrEqual(0.02);
    },
  );
});
