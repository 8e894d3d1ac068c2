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

  it('is said to last at most so long before it is run', async () => {
    const path = await tempFile('until.yaml', scenario);
    const [validated, planned] = [await weir(['validate', path]), await weir(['plan', path])];
    expect(validated.stdout).toMatch(/is valid: plan “.*”, 1 stage, at most 10 min\n$/);
    expect(planned.stdout).toMatch(/all +at most 12,\d\d\d /);
    expect(planned.stdout).toContain('The load takes at most 10 min, the last answers');
    expect(validated.stdout + planned.stdout).not.toContain('cannot end early');
  });

  it('warns before the load that is shorter than the time to its first look', async () => {
    const path = await tempFile('short.yaml', scenario.replace('10m', '2s'));
    const warning =
      /The run cannot end early: it looks after 30 s for the first\s+time whether its objectives\s+are sure, and lasts at most 2 s\. Raise "atMost", or leave out "until"\./;
    expect((await weir(['validate', path])).stdout.replace(/\n/g, ' ')).toMatch(warning);
    expect((await weir(['plan', path])).stdout.replace(/\n */g, ' ')).toMatch(warning);
    expect((await weir(['run', path, '--out', await tempFolder()])).stderr).toMatch(warning);
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
