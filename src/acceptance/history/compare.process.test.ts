import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { sampleSide } from '../../judge/series/sample-sides.fixture.ts';
import { planHash } from '../../model/plan/plan-hash.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { milliseconds } from '../../model/quantity.ts';
import { comparisonSchema } from '../../verbs/compare/model/comparison.ts';
import { openMock } from '../harness/open-mock.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import {
  tempFile,
  tempFolder,
  cleanUpAfterEach,
  weirProcess,
} from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

/** Leaves half a second for the last answer, so that it falls into the measured seconds on a busy machine too. */
const scenario = `
name: short
traffic: [{ kind: models }]
load: { kind: constant, rate: 2/s, duration: 1s }
limits: { requestsPerMinute: none, tokensPerMinute: none }
mock: { limits: { requestsPerMinute: none } }
`;

describe('weir run --repeat', () => {
  it('writes each run into its own folder, and compare accepts the folders one by one or together', async () => {
    const out = await tempFolder();
    const run = ['run', await tempFile('s.yaml', scenario), '--repeat', '2', '--out', out];
    const { stderr } = await weirProcess(run);
    expect((await readdir(out)).toSorted()).toStrictEqual(['1', '2']);
    expect(await readdir(join(out, '2'))).toStrictEqual(['report.html', 'result.json']);
    expect(stderr).toContain('Run 2 of 2, 2:');
    // Runs on a busy machine may be excluded; `--allow-different` compares them too.
    const compare = (words: readonly string[]) =>
      weir(['compare', ...words, '--allow-different', '--out', join(out, 'compared')], {
        GITHUB_STEP_SUMMARY: join(out, 'page.md'),
      });
    const two = await compare([
      join(out, '1'),
      join(out, '2', 'result.json'),
      '--gate',
      'completed',
    ]);
    expect(two.code, two.stderr).toBe(0);
    expect(await readFile(join(out, 'page.md'), 'utf8')).toMatch(
      /^## ⚠️ Weir: Comparison of .*\n\n\*\*Inconclusive/,
    );
    // How many are needed depends on the change, which a busy machine makes.
    expect(two.stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /Inconclusive\. This is an indication: one run against one, which cannot show how much runs differ\. At least (5|7) per side are needed\./,
    );
    const strict = [join(out, '1'), '--with', join(out, '2'), '--strict', '--json'];
    const { code, stdout } = await compare(strict);
    expect(code).toBe(13);
    expect(comparisonSchema.parse(JSON.parse(stdout)).base.runs).toHaveLength(1);
    expect((await readdir(join(out, 'compared'))).toSorted()).toStrictEqual([
      'comparison.html',
      'comparison.json',
      'comparison.junit.xml',
      'comparison.md',
    ]);
    const seeded = await weir([...run.slice(0, 2), '--baseline', out, '--set', 'seed=9']);
    expect(seeded.code).toBe(2);
    expect(seeded.stderr).toContain('the plan differs (its hash)');
    expect(seeded.stderr).not.toContain('Run 1');
  });
});

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

  it('are a base for each other; with another seed they are not', async () => {
    const [first, second] = [await openMock(), await openMock()];
    const environment = { WEIR_API_KEY: 'sk-weir-test' };
    const path = await tempFile('s.yaml', scenario);
    const out = await tempFolder();
    await weir(['run', path, '--target', first.url, '--out', out], environment);
    const against = ['run', path, '--target', second.url, '--baseline', out];
    const same = await weir([...against, '--out', await tempFolder()], environment);
    expect(same.stderr).not.toContain('the plan differs');
    const other = await weir([...against, '--set', 'seed=9'], environment);
    expect(other.stderr).toContain('the plan differs (its hash)');
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
    const { code, stderr } = await weir(['run', await tempFile('s.yaml', scenario), ...words]);
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
