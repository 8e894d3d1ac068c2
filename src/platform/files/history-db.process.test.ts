import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readHistory } from './history-db.ts';
import { sampleHistoryRun } from './sample-history-run.fixture.ts';

it('several processes can add runs to a history at once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-history-'));
  try {
    const path = join(folder, 'reports', 'history.db');
    const script = `
      import { openHistory } from ${JSON.stringify(new URL('history-db.ts', import.meta.url).href)};
      const [path, run] = process.argv.slice(1);
      for (let i = 0; i < 5; i += 1) {
        const history = await openHistory(path);
        history.add({ ...JSON.parse(run), file: \`/\${process.pid}/\${i}\` });
        history.close();
      }`;
    const run = JSON.stringify(sampleHistoryRun(folder));
    const ends = Array.from({ length: 4 }, async () => {
      const words = ['--input-type=module', '-e', script, path, run];
      const child = spawn(process.execPath, words, { stdio: 'inherit' });
      const [code] = (await once(child, 'close')) as [number];
      return code;
    });
    expect(await Promise.all(ends)).toStrictEqual([0, 0, 0, 0]);
    expect(await readHistory(path)).toHaveLength(20);
  } finally {
    await rm(folder, { recursive: true });
  }
}, 60_000);
