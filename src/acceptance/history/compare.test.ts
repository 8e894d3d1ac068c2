import { describe, expect, it } from 'vitest';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { sampleSide } from '../../judge/series/sample-sides.fixture.ts';
import { planHash } from '../../model/plan/plan-hash.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { milliseconds } from '../../model/quantity.ts';
import { comparisonSchema } from '../../verbs/compare/model/comparison.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { tempFile, tempFolder, cleanUpAfterEach } from '../harness/weir-process.fixture.ts';
import { shortScenario } from './short-run.fixture.ts';

cleanUpAfterEach();

describe('runs of one plan against two addresses', () => {
  /** A result against a gateway at this address, in a file. */
  const resultAt = async (url: string, changes: Partial<Plan> = {}): Promise<string> => {
    const target = { kind: 'url', url } as const;
    const plan = samplePlan({ target, warmUp: milliseconds(0), ...changes });
    const facts = { plan, planHash: planHash(plan), baseUrl: url };
    const [{ result }] = sampleSide('a', 1, {}, facts).repetitions;
    return tempFile('result.json', JSON.stringify(result));
  };

  it('are compared without --allow-different, and the target is named as the difference', async () => {
    const files = [await resultAt('https://old/v1'), await resultAt('https://new/v1')];
    const compared = await weir(['compare', ...files, '--out', await tempFolder(), '--json']);
    expect(compared.code, compared.stderr).toBe(0);
    expect(comparisonSchema.parse(JSON.parse(compared.stdout)).overridden).toEqual([
      `the target differs: https://old/v1 in ${files[0]}, https://new/v1 in ${files[1]}`,
    ]);
    const other = await resultAt('https://new/v1', { seed: 9 });
    const refused = await weir(['compare', files[0]!, other, '--out', await tempFolder()]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('the seed differs: 42 in ');
  });
});

describe('invalid combinations of options', () => {
  it.each([
    [['--repeat', 'often'], '--repeat: expected a whole number from 1 to 1000; got often'],
    [['--gate', 'completed'], '--gate: expected something to compare with'],
    [['--pause', '5s'], '--pause: expected several runs'],
    [['--repeat', '2', '--pause', 'long'], '--pause: expected a length of time'],
    [['--against', 'mock', '--baseline', 'x'], 'expected one base'],
    [
      ['--repeat', '2', '--observations', 'x', '--csv', 'y'],
      '--observations, --csv: expected one run',
    ],
    [['--baseline', 'nowhere'], 'nowhere does not exist'],
    [['--baseline', '.', '--gate', 'tftf.p50'], '--gate: expected completed'],
    [['--baseline', '.', '--gate', 'outputTokens.p50'], 'got outputTokens.p50'],
  ])('%j', async (words, message) => {
    const { code, stderr } = await weir(['run', await tempFile('s.yaml', shortScenario), ...words]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it.each([
    [['only'], 'expected two sides'],
    [['a', 'b', 'c'], '3 paths without --with'],
    [['scenarios', 'scenarios'], 'scenarios contains no result.json'],
  ])('compare %j', async (words, message) => {
    const { code, stderr } = await weir(['compare', ...words]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
