// @gate 1 s
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { constantLoad } from '../../engine/fake-run.fixture.ts';
import { capacityReportSchema } from '../../verbs/capacity/model/capacity.ts';
import { batchingPresets } from '../../model/gateway/mock-latency.ts';
import { milliseconds } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import { startAnswering } from '../../run/answering-server.fixture.ts';
import { simulatedPlan, runOnSimulatedServer } from './simulated-capacity.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { tempFile, tempFolder, cleanUpAfterEach } from '../harness/weir-process.fixture.ts';
import { saturationRate } from '../../mock/serving/saturation-rate.fixture.ts';

cleanUpAfterEach();

const server = {
  batching: batchingPresets.medium,
  workload: { promptTokens: 200, outputTokens: 50 },
  seed: 2,
};

/** The stored result of stairs of these rates. */
const storedStairs = async (rates: readonly number[]): Promise<string> => {
  const plan = simulatedPlan(server);
  const [{ traffic }] = plan.stages as [(typeof plan.stages)[number]];
  const stages = rates.map((rate) => ({
    name: `${rate}/s`,
    load: constantLoad(rate, 24_000),
    traffic,
  }));
  const stored = await runOnSimulatedServer({ ...plan, stages, warmUp: milliseconds(0) }, server);
  return tempFile('result.json', JSON.stringify({ ...stored, planHash: 'a' }));
};

describe('weir capacity', () => {
  it('uses the steps of a stored result, on the terminal, as JSON and as a page', async () => {
    const file = await storedStairs([3, 6, 9, 12, 12.7, 16]);
    const out = await tempFolder();
    const { code, stdout, stderr } = await weir([
      'capacity',
      '--from',
      file,
      '--think',
      '30s',
      '--out',
      out,
      '--json',
    ]);
    expect(code, stderr).toBe(0);
    const { answer, fit, steps, terms } = capacityReportSchema.parse(JSON.parse(stdout));
    expect(steps).toHaveLength(6);
    expect(terms.thinkTime).toBe(30_000);
    const saturation = saturationRate(server.batching, server.workload);
    expect(answer!.rate.value / saturation).toBeGreaterThan(0.95);
    expect(answer!.rate.value / saturation).toBeLessThan(1.05);
    expect(answer!.binding).toBe('concurrency');
    // A step of this server takes 18 ms and 0.2 ms for each in flight: shared in half where both are equal.
    expect(fit?.knee?.rate).toBeLessThan(saturation);
    expect(await readFile(join(out, 'capacity.html'), 'utf8')).toContain('Latency against');
  });

  it('counts no limit of a stored plan that the gateway was seen to exceed', async () => {
    const file = await storedStairs([3, 6, 9]);
    const stored = JSON.parse(await readFile(file, 'utf8')) as Result;
    const limits = { requestsPerMinute: 60, tokensPerMinute: null, limiter: null };
    const limited = { ...stored, plan: { ...stored.plan, limits } };
    const path = await tempFile('limited.json', JSON.stringify(limited));
    const out = await tempFolder();
    const { stdout } = await weir(['capacity', '--from', path, '--out', out, '--json']);
    const { answer, notes, terms } = capacityReportSchema.parse(JSON.parse(stdout));
    expect(terms.requestsPerMinute).toBeNull();
    expect(answer!.rate.value).toBeGreaterThan(6);
    expect(notes).toEqual([
      'The gateway kept 9.00/s, more than the limit of 60 requests a minute for each key in the stored plan, so this limit does not count.',
    ]);
  });

  it('refuses a time in which no search fits, before it asks or sends', async () => {
    const words = ['--target', 'http://127.0.0.1:1/v1', '--model', 'm', '--time', '5s', '--yes'];
    const { code, stderr } = await weir(['capacity', ...words], { WEIR_API_KEY: 'sk-weir-test' });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/--time: no search .* fits in 5 s/)]);
  });

  it('sends no load with a key that the target refuses, and says which option leaves it unasked', async () => {
    const refusing = await startAnswering(() => [401, '{"error": {"message": "no such key"}}']);
    onTestFinished(() => refusing.close());
    const words = [
      '--target',
      `${refusing.origin}/v1`,
      '--model',
      'm',
      '--out',
      await tempFolder(),
    ];
    const { code, stderr } = await weir(['capacity', ...words, '--yes'], { WEIR_API_KEY: 'sk-a' });
    expect(code).toBe(2);
    expect(stderr).toMatch(/answered 401 to a list of models .* add --no-preflight$/m);
  });

  it('reports a wrong option', async () => {
    const { code, stderr } = await weir([
      'capacity',
      '--target',
      'mock',
      '--model',
      'm',
      '--start',
      '9/s',
      '--set',
      'limits.requestsPerMinute=60',
      '--yes',
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain('--start: expected a rate of at most 1/s');
  });
});
