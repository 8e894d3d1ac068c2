// @long 120 s
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { cleanUpAfterEach, tempFolder } from '../../acceptance/harness/weir-process.fixture.ts';
import { startNginx } from '../harness/debian-proxies.ts';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { runCheck } from '../harness/run-check.ts';
import { milliseconds } from '../../model/quantity.ts';
import { freePort, provingKeys } from '../harness/server-process.ts';
import { startBeforeGateway } from '../harness/upstream.ts';
import { startLiteLlm } from '../limiters/litellm/start-litellm.ts';
import { startLlama } from './model-servers.ts';

cleanUpAfterEach();
vi.setConfig({ testTimeout: 600_000 });

const optionsIn = async () => {
  const folder = await tempFolder();
  return { port: await freePort(), folder, log: join(folder, 'log') };
};

it.for(['off', 'on'])(
  'weir check --only disconnects sees that llama.cpp stops, and that nginx frees its place, with buffering %s',
  async (buffering, context) => {
    await orSkip(context, async () => {
      const llama = await startLlama(await optionsIn(), [], undefined, true);
      try {
        // nginx admits two requests of a key at the same time.
        const nginx = await startNginx(await optionsIn(), {
          gateway: new URL(llama.url).host,
          http: 'limit_conn_zone $http_authorization zone=key:1m; limit_conn_status 429;',
          server: `proxy_buffering ${buffering}; limit_conn key 2; location / { proxy_pass http://gateway; }`,
        });
        try {
          const metrics = new URL('/metrics', llama.url).href;
          const words = ['--only', 'disconnects', '--set', `server.metrics=${metrics}`];
          const run = { profile: 'llama.cpp', key: provingKeys[0], words } as const;
          const { report } = await runCheck(nginx.url, await tempFolder(), run);
          const { output } = await llama.countTokens!();
          const seen = Object.fromEntries(report.rows.map((row) => [row.id, row]));
          const said = JSON.stringify(report.rows.map(({ id, observed }) => [id, observed]));
          expect(seen['disconnect.generation']!.outcome, said).toBe('pass');
          expect(seen['disconnect.slot']!.outcome, said).toBe('pass');
          expect(seen['disconnect.charge']!.outcome, said).toBe('unchecked');
          // Four streams of 400 tokens were asked for, of which the client left three.
          expect(output, said).toBeLessThan(4 * 400 * 0.9);
        } finally {
          await nginx.stop();
        }
      } finally {
        await llama.stop();
      }
    });
  },
);

it('weir check --only disconnects sees that LiteLLM passes a hang-up on to the model behind it', async (context) => {
  await orSkip(context, async () => {
    const options = await optionsIn();
    const times = { ttft: milliseconds(100), gap: milliseconds(15) };
    const proxy = await startBeforeGateway(async (upstream) => {
      const limits = { requestsPerWindow: 1000, tokensPerWindow: 1_000_000, window: 60_000 };
      const running = await startLiteLlm({ ...options, upstream, ...limits });
      return { ...running, metrics: `http://${upstream}/metrics` };
    }, times);
    try {
      const words = ['--only', 'disconnects', '--set', `server.metrics=${proxy.metrics}`];
      const run = { profile: 'litellm', key: provingKeys[0], words } as const;
      const { report } = await runCheck(proxy.url, await tempFolder(), run);
      const said = JSON.stringify(report.rows.map((row) => [row.id, row.outcome, row.observed]));
      const seen = Object.fromEntries(report.rows.map((row) => [row.id, row]));
      expect(seen['disconnect.generation']!.outcome, said).toBe('pass');
      // Its limiter charges what was generated, by the remaining tokens of its headers.
      expect(seen['disconnect.charge']!.outcome, said).toBe('pass');
    } finally {
      await proxy.stop();
    }
  });
});
