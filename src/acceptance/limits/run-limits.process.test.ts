import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitOf, resultIn, skipIfInvalid } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { tempFile, tempFolder, cleanUpAfterEach } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

describe('weir run with limits to judge', () => {
  it('exits with 14 if more was admitted than any limiter allows, and every report says so', async (context) => {
    const out = await tempFolder();
    const scenario = await tempFile(
      's.yaml',
      `
name: leak
traffic: [{ kind: chat, model: weir/small, prompt: Say yes., maxTokens: 2 }]
load: { kind: constant, rate: 60/s, duration: 3s }
limits: { class: any }
mock: { ttft: 2ms, gap: 0s, limits: { requestsPerMinute: none } }
`,
    );
    const junit = join(out, 'weir.xml');
    const { code, stdout } = await weir([
      'run',
      scenario,
      '--out',
      out,
      '--junit',
      junit,
      '--details',
    ]);
    expect(stdout).toContain('Limits violated (any limiter permitted): default: requests-kept.');
    expect(stdout).toContain(
      'violated: requests-kept: 180 within 59 s, where at most 120 are admitted',
    );
    const result = await resultIn(out);
    expect(result.limits).toMatchObject({ judged: true, violated: true });
    expect(await readFile(join(out, 'report.html'), 'utf8')).toContain('</span> violated</span>');
    expect(await readFile(junit, 'utf8')).toMatch(/<failure[^>]*type="violated"/);
    expect(code).toBe(exitOf(result, 14));
    skipIfInvalid(context, result);
  });
});
