import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { weir } from '../harness/weir-command.fixture.ts';
import {
  type StartedProgram,
  startWeir,
  tempFolder,
  cleanUpAfterEach,
} from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const load = 'run --target mock --kind chat-stream --model a/b --rate 20/s --duration 60s'.split(
  ' ',
);

const startWithMetrics = async (
  words: readonly string[],
): Promise<StartedProgram & { address: string }> => {
  const started = startWeir([...load, ...words, '--out', await tempFolder()]);
  let printed = '';
  started.child.stderr?.on('data', (data: string) => {
    printed += data;
  });
  await started.waitForOutput('Ctrl-C ends it early');
  return { ...started, address: /Live metrics: (\S+)/.exec(printed)?.[1] ?? '' };
};

describe('live metrics', () => {
  it.each(['1', '2'])(
    'are served as OpenMetrics, to this machine only, with every series of the dashboard: %s workers',
    async (workers) => {
      const { address, child, ended } = await startWithMetrics([
        '--metrics',
        '0',
        '--workers',
        workers,
      ]);
      expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
      const text = await vi.waitFor(
        async () => {
          const response = await fetch(address);
          expect(response.headers.get('content-type')).toContain('application/openmetrics-text');
          const body = await response.text();
          expect(body).toMatch(/weir_arrivals_total\{[^}]*outcome="completed"[^}]*\} \d/);
          return body;
        },
        { timeout: 20_000 },
      );
      expect(text.trimEnd()).toMatch(/# EOF$/);
      expect(text).toMatch(
        /^weir_run_info\{scenario="[^"]+",run_id="weir-[^"]+",version="[^"]+"\} 1$/m,
      );
      expect(text).not.toContain('sk-weir-test');
      const dashboard = new URL('../../report/grafana/weir.json', import.meta.url);
      const drawn = (await readFile(dashboard, 'utf8')).match(/\bweir_\w+/g) ?? [];
      const served = new Set(text.match(/\bweir_\w+/g));
      // A series that only other traffic has is declared too.
      const bare = (name: string): string => name.replace(/_(bucket|total)$/, '');
      const names = [...new Set(drawn)];
      expect(names.length).toBeGreaterThan(8);
      expect(names.filter((name) => !served.has(name) && !served.has(bare(name)))).toEqual([]);
      expect((await fetch(address.replace('/metrics', '/'))).status).toBe(404);
      child.kill('SIGINT');
      await ended;
      await expect(fetch(address)).rejects.toThrow('fetch failed');
    },
  );

  it('refuse a port in use before the load', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const out = join(await tempFolder(), 'out');
    const { code, stderr } = await weir([...load, '--metrics', String(port), '--out', out]);
    server.close();
    expect(code).toBe(2);
    expect(stderr).toContain(`--metrics: 127.0.0.1:${port} cannot be used to listen: EADDRINUSE`);
    await expect(readFile(out)).rejects.toThrow('ENOENT');
  });
});
