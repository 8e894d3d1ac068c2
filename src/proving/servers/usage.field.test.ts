// @long 60 s
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { markdownTable, writeTable } from '../harness/markdown-table.ts';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { runCheck } from '../harness/run-check.ts';
import { freePort, provingKeys } from '../harness/server-process.ts';
import { checkedServers } from './checked-servers.ts';

// The first run installs the servers.
vi.setConfig({ testTimeout: 900_000 });

const audited = async (server: (typeof checkedServers)[number]) => {
  await using own = await mkdtempDisposable(join(tmpdir(), 'weir-proving-'));
  const options = { port: await freePort(), folder: own.path, log: join(own.path, 'log') };
  const started = await server.start(options);
  try {
    const words = ['--only', 'usage', ...(server.words ?? []), ...(started.words ?? [])];
    const run = { profile: server.profile, key: provingKeys[0], words };
    const { report } = await runCheck(started.url, join(own.path, 'check'), run);
    return { version: started.version, rows: report.rows };
  } finally {
    await started.stop();
  }
};

/** Servers that estimate a token for four characters, and where their sources say so. */
const estimating: Readonly<Record<string, string>> = {
  llmock: 'llmock/simulation.py, line 70: len(flatten_text(value)) // 4',
  aimock: 'dist/helpers.js, line 416: Math.ceil(text.length / 4)',
  fakellm: 'fakellm/_util.py, line 58: len(text) // 4, as tiktoken is not installed',
};

const table: string[][] = [];
afterAll(() =>
  writeTable('usage', markdownTable(['server', 'version', 'check', 'result', 'seen'], table)),
);

describe('weir check --only usage', () => {
  it.for(checkedServers)('reports only what the source of $name says', async (server, context) => {
    const { version, rows } = await orSkip(context, () => audited(server));
    for (const { id, outcome, observed } of rows)
      table.push([server.name, version, id, outcome, observed]);
    const found = rows.filter(({ outcome }) => outcome === 'violation' || outcome === 'deviation');
    const estimate =
      'usage.growth: reported 126 prompt tokens more for 101 times “time” more: +101 or +202 are possible';
    expect(found.map(({ id, observed }) => `${id}: ${observed}`)).toEqual(
      server.name in estimating ? [estimate] : [],
    );
  });
});
