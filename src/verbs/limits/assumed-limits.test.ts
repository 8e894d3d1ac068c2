import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { targetPlanFor } from '../../run/target/target-plan.ts';
import { assumedLimitsOf, rejectOtherHeaders } from './assumed-limits.ts';

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
  const reject = (requests: number, window: number) => () =>
    rejectOtherHeaders(
      { requests: 60, tokens: null },
      { requests, tokens: null, longer: [], families: [], assumed: [] },
      { examined: 'requests', window },
    );

  it.each([
    [60, 60_000],
    // These name no window, or that of ten seconds.
    [60, 10_000],
    [360, 10_000],
    [257, 14_000],
  ])('with %d requests name the 60 of a window of %d ms', (requests, window) => {
    expect(reject(requests, window)).not.toThrow();
  });

  it('with another limit are rejected, and the window belongs to the limit to declare', () => {
    expect(reject(90, 60_000)).toThrow(
      'not the 60 requests that would be assumed: declare the limit to examine, such as --set limits.requestsPerMinute=90',
    );
    expect(reject(120, 10_000)).toThrow(
      'name 120 requests a minute, not the 60 requests in 10 s that would be assumed: declare the limit and its window to examine, such as --set limits.requestsPerMinute=120 --window 60s',
    );
  });
});
