import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { comparisonSchema } from '../../verbs/compare/model/comparison.ts';
import { openMock } from '../harness/open-mock.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import {
  tempFile,
  tempFolder,
  cleanUpAfterEach,
  weirProcess,
} from '../harness/weir-process.fixture.ts';
import { shortScenario } from './short-run.fixture.ts';

cleanUpAfterEach();

describe('weir run --repeat', () => {
  it('writes each run into its own folder, and compare accepts the folders one by one or together', async () => {
    const out = await tempFolder();
    const run = ['run', await tempFile('s.yaml', shortScenario), '--repeat', '2', '--out', out];
    const { stderr } = await weirProcess(run);
    expect((await readdir(out)).toSorted()).toStrictEqual(['1', '2']);
    expect(await readdir(join(out, '2'))).toStrictEqual(['report.html', 'result.json']);
    expect(stderr).toContain('Run 2 of 2\n');
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
  it('are a base for each other; with another seed they are not', async () => {
    const [first, second] = [await openMock(), await openMock()];
    const environment = { WEIR_API_KEY: 'sk-weir-test' };
    const path = await tempFile('s.yaml', shortScenario);
    const out = await tempFolder();
    await weir(['run', path, '--target', first.url, '--out', out], environment);
    const against = ['run', path, '--target', second.url, '--baseline', out];
    const same = await weir([...against, '--out', await tempFolder()], environment);
    expect(same.stderr).not.toContain('the plan differs');
    const other = await weir([...against, '--set', 'seed=9'], environment);
    expect(other.stderr).toContain('the plan differs (its hash)');
  });
});
