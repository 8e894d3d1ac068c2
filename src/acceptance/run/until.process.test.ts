import { describe, expect, it } from 'vitest';
import { resultIn } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFile, tempFolder } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

/** Answers take some 20 ms, so the bound is kept for sure, also where the machine is busy. */
const scenario = `traffic: [{ kind: models }]
load: { kind: poisson, rate: 20/s }
until: decided
atMost: 10m
limits: none
mock: { limits: { requestsPerMinute: none, tokensPerMinute: none } }
objectives: [errorRate < 50%, e2e.mean < 10s]
`;

describe('a run with until: decided', () => {
  it('ends when its objectives are sure, also with workers', async () => {
    const out = await tempFolder();
    const path = await tempFile('until.yaml', scenario);
    const { stderr } = await weir(['run', path, '--out', out, '--workers', '2']);
    const result = await resultIn(out);
    expect(stderr).toContain('ending: every objective is sure');
    expect(result.scheduled).toBeGreaterThanOrEqual(30_000);
    expect(result.scheduled).toBeLessThan(300_000);
    expect(result).toMatchObject({ partial: null, verdicts: [{ sure: true }, { sure: true }] });
    expect(result.notes[0]).toMatch(
      /^The run ended after .*, since every objective was sure by its samples\. A change after that was not seen\.$/,
    );
  });

  it.each([
    [['run'], ['--slice', '0/2', '--run-id', 'r'], 'no machine of several'],
    [['run'], ['--repeat', '3'], 'repeated runs are compared over the same time'],
    [['sweep'], ['--vary', 'load.rate=1/s,2/s'], 'the points of a sweep'],
    [['capacity'], [], 'weir capacity chooses the length'],
    [['emit', 'k8s'], ['--slices', '2'], 'no machine of several'],
  ])('is refused by weir %j %j', async (verb, options, reason) => {
    const path = await tempFile('until.yaml', scenario);
    const out = verb[0] === 'emit' ? [] : ['--out', await tempFolder()];
    const { code, stderr } = await weir([...verb, path, ...options, ...out]);
    expect(stderr).toContain(`until: decided: ${reason}`);
    expect(code).toBe(2);
  });
});
