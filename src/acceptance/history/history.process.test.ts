import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { noiseSchema } from '../../verbs/compare/model/noise.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { tempFile, tempFolder, cleanUpAfterEach } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const scenario = `
name: short
traffic: [{ kind: models }]
load: { kind: constant, rate: 40/s, duration: 1s }
limits: { requestsPerMinute: none, tokensPerMinute: none }
mock: { limits: { requestsPerMinute: none } }
`;

describe('weir run --repeat N --self', () => {
  it('measures the noise of its runs, and writes one summary to the job’s page', async () => {
    const folder = await tempFolder();
    const page = join(folder, 'page.md');
    const file = await tempFile('s.yaml', scenario);
    const words = ['--repeat', '4', '--self', '--allow-different', '--no-history'];
    const { code, stderr } = await weir(
      ['run', file, '--quiet', '--out', join(folder, 'noise'), ...words],
      { GITHUB_STEP_SUMMARY: page },
    );
    expect(code, stderr).toBe(0);
    const noise = noiseSchema.parse(
      JSON.parse(await readFile(join(folder, 'noise', 'noise.json'), 'utf8')),
    );
    expect(noise.runs).toHaveLength(4);
    expect(noise.metrics.map(({ id }) => id)).toContain('models endToEnd.p50');
    const text = await readFile(page, 'utf8');
    expect(text.match(/^## /gm)).toHaveLength(1);
    expect(text).toMatch(/^## Weir: Noise of short/);
    const again = await weir([
      'compare',
      '--self',
      join(folder, 'noise'),
      '--allow-different',
      '--json',
      '--out',
      join(folder, 'again'),
    ]);
    expect(noiseSchema.parse(JSON.parse(again.stdout)).metrics).toStrictEqual(noise.metrics);
    expect((await weir(['run', file, '--self'])).stderr).toContain(
      '--self: expected at least 4 runs',
    );
    expect(
      (await weir(['run', file, '--repeat', '4', '--self', '--baseline', 'y'])).stderr,
    ).toContain('expected nothing else to compare with');
  });
});
