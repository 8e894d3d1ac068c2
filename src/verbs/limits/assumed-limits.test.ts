import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { targetPlanFor } from '../../run/target/target-plan.ts';
import { assumedLimitsOf, rejectOtherHeaders } from './assumed-limits.ts';
import type { DeclaredQuota } from './experiment/probe-requests.ts';

/** Returns the assumed limits of a scenario whose file is gone after the first reading, as a pipe is. */
const assumedOf = async (more: string) => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-assumed-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const scenario = join(folder, 'run.yaml');
  const [traffic, load] = ['{ kind: models }', '{ kind: constant, rate: 1/s, duration: 1s }'];
  await writeFile(scenario, `traffic: [${traffic}]\nload: ${load}\n${more}\n`);
  const request = { scenario, target: 'mock', set: [], key: undefined, secondKey: undefined };
  const read = await targetPlanFor(request, {});
  await rm(scenario);
  return assumedLimitsOf(request, read, {});
};

describe('the assumed limits', () => {
  it('are those that a scenario leaves out, without a second reading of its file', async () => {
    expect(await assumedOf('limits: { requestsPerMinute: 90 }')).toEqual({
      requests: null,
      tokens: 2_000_000,
    });
    expect(await assumedOf('limits: none')).toEqual({ requests: null, tokens: null });
  });

  it('are both if an objective needs a limit and none is declared', async () => {
    const objectives = 'objectives: ["e2e.p95{quota=excluded} < 5s"]';
    expect(await assumedOf(objectives)).toEqual({ requests: 60, tokens: 2_000_000 });
  });
});

describe('headers', () => {
  const none = { requests: null, tokens: null, longer: [], families: [], assumed: [] };
  const reject =
    (given: Partial<DeclaredQuota>, window = 60_000, examined: 'requests' | 'tokens' = 'tokens') =>
    () =>
      rejectOtherHeaders(
        { requests: 60, tokens: 2000 },
        { ...none, ...given },
        { examined, window },
      );

  it.each([
    [60, 60_000],
    // These name no window, or that of ten seconds.
    [60, 10_000],
    [360, 10_000],
    [257, 14_000],
  ])('with %d requests name the 60 of a window of %d ms', (requests, window) => {
    expect(reject({ requests, tokens: 2000 }, window)).not.toThrow();
  });

  it('that are missing, or name requests at the same time, contradict nothing', () => {
    expect(reject({})).not.toThrow();
    expect(reject({ longer: ['10 parallel requests'] })).not.toThrow();
    const terms = { examined: 'tokens', window: 1 } as const;
    expect(() => rejectOtherHeaders({ requests: 60, tokens: 1 }, undefined, terms)).not.toThrow();
    const isDeclared = { requests: null, tokens: null };
    expect(() => rejectOtherHeaders(isDeclared, { ...none, tokens: 9 }, terms)).not.toThrow();
  });

  it('with another limit of either unit are rejected, and the window belongs to the limit', () => {
    expect(reject({ requests: 90 })).toThrow(
      'no limit of requests was declared, and the headers of this gateway name 90 requests a minute, not the 60 requests a minute that would be assumed: declare the limit to examine: --set limits.requestsPerMinute=90',
    );
    expect(reject({ requests: 20, tokens: 3000 })).toThrow(
      'name 20 requests a minute and 3,000 tokens a minute, not the 60 requests and 2,000 tokens a minute that would be assumed',
    );
    expect(reject({ requests: 120 }, 10_000)).toThrow(
      'not the 60 requests in 10 s that would be assumed: declare the limit to examine: --set limits.requestsPerMinute=120 --window 60s',
    );
  });

  it('with a limit of a longer time, or of a part of the tokens, are rejected', () => {
    expect(reject({ longer: ['14,400 requests a day'] })).toThrow(
      'name 14,400 requests a day, not the 60 requests a minute that would be assumed: declare the limit to examine: --set limits.requestsPerMinute=14400 --window …',
    );
    expect(reject({ longer: ['80,000 input tokens a minute'] })).toThrow(
      'name 80,000 input tokens a minute, not the 2,000 tokens a minute that would be assumed: declare the limit to examine: --set limits.tokensPerMinute=80000 --unit input-tokens',
    );
    expect(reject({ longer: ['80,000 input tokens a minute'] }, 60_000, 'requests')).toThrow(
      /: --set limits\.tokensPerMinute=none$/,
    );
    expect(reject({ requests: 0 })).toThrow(/: --set limits\.requestsPerMinute=…$/);
  });
});
