import { expect, it } from 'vitest';
import { resultIn } from '../harness/run-files.fixture.ts';
import {
  cleanUpAfterEach,
  startGateway,
  startWeir,
  tempFile,
  tempFolder,
} from '../harness/weir-process.fixture.ts';
import { pauseRepeatedly } from './cpu-starvation.fixture.ts';

cleanUpAfterEach();

it('a run whose starts are late ends with 12, whatever its objectives, and says so first', async () => {
  const { url } = await startGateway();
  const out = await tempFolder();
  const file = await tempFile(
    's.yaml',
    `
name: late
traffic: [{ kind: chat, model: weir/small, maxTokens: 5 }]
load: { kind: constant, rate: 20/s, duration: 4s }
objectives: [errorRate < 1%]
`,
  );
  const generator = startWeir(['run', file, '--target', url, '--out', out], {
    WEIR_API_KEY: 'sk-weir-test',
  });
  await generator.waitForOutput('Ctrl-C ends it early');
  const end = pauseRepeatedly(generator, 600, 600);
  const { code, stdout } = await generator.ended;
  end();
  expect(code, stdout).toBe(12);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    '✗ Exit 12. 0 of 1 objective kept, 1 undecided. Load not as planned. Requests began too late, so the figures do not count.',
  );
  const { verdicts, summary } = await resultIn(out);
  expect(summary).toMatchObject({ trust: 'invalid', verdict: 'inconclusive' });
  expect(verdicts).toMatchObject([{ ruling: 'inconclusive', grounds: 'unfit' }]);
});
