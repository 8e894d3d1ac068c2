// @long 60 s
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { readFile } from 'node:fs/promises';
import {
  cleanUpAfterEach,
  tempFolder,
  weirProcess,
} from '../../acceptance/harness/weir-process.fixture.ts';
import type { CacheReport } from '../../verbs/cache/model/cache-report.ts';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { freePort, provingKeys } from '../harness/server-process.ts';
import { startLlama } from './model-servers.ts';

cleanUpAfterEach();
vi.setConfig({ testTimeout: 600_000 });

it('weir cache sees that a slot of llama.cpp keeps one prompt until the next one', async (context) => {
  await orSkip(context, async () => {
    const folder = await tempFolder();
    const options = { port: await freePort(), folder, log: join(folder, 'log') };
    // A server that is started with a chat template has one slot.
    const template = "{% for m in messages %}{{ m['content'] }}\n{% endfor %}";
    const llama = await startLlama(options, [], template);
    try {
      const out = join(folder, 'out');
      const words = ['cache', '--target', llama.url, '--longest', '4s', '--yes', '--out', out];
      const ended = await weirProcess(words, { WEIR_API_KEY: provingKeys[0] });
      const report = JSON.parse(await readFile(join(out, 'cache.json'), 'utf8')) as CacheReport;
      const said = `${ended.stderr}${JSON.stringify(report)}`;
      expect(report.seenBy, said).toBe('reported');
      expect(report.cachedTokens! / report.promptTokens!, said).toBeGreaterThan(0.98);
      expect(report.age.kept, said).toBeGreaterThanOrEqual(4000);
      expect(report.age.lost, said).toBe(null);
      // Its slot has the next prompt then.
      expect(report.others.kept, said).toBe(null);
      expect(report.others.lost, said).toBeGreaterThan(0);
    } finally {
      await llama.stop();
    }
  });
});
