import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitOf, resultIn } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import {
  cleanUpAfterEach,
  type StartedProgram,
  startWeir,
  tempFolder,
} from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const load = 'run --target mock --kind chat-stream --model a/b'.split(' ');

interface LiveWeir extends StartedProgram {
  readonly address: string;
  readonly out: string;
}

/** Starts a run with a live page; resolves when the load has begun. */
const startLive = async (words: readonly string[]): Promise<LiveWeir> => {
  const out = join(await tempFolder(), 'out');
  const started = startWeir([...load, '--out', out, ...words, '--live']);
  let printed = '';
  started.child.stderr?.on('data', (data: string) => {
    printed += data;
  });
  await started.waitForOutput('Ctrl-C ends it early');
  return { ...started, out, address: /Live page: (\S+)/.exec(printed)?.[1] ?? '' };
};

/** The updates of a live page, as its server sends them, to the end. */
async function* updatesOf(address: string): AsyncGenerator<readonly [name: string, data: string]> {
  const response = await fetch(`${address}events`);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  let rest = '';
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    const events = `${rest}${part}`.split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(event) ?? [];
      if (name !== undefined && data !== undefined) yield [name, JSON.parse(data) as string];
    }
  }
}

/** The whole number before "requests due". */
const dueIn = (page: string): number => Number(/([\d,]+) requests? due/.exec(page)?.[1] ?? 0);

describe('a live page', () => {
  it.each([
    ['kept', 'errorRate < 50%', 0],
    ['broken', 'ttft.p50 < 1ms', 10],
  ])(
    'changes neither files nor exit of a run whose objectives are %s',
    async (_, objective, exit) => {
      const folder = await tempFolder();
      // Long enough for the test to be there before the end, on a machine that is busy.
      const words = ['--rate', '4/s', '--duration', '12s', '--set', `objectives=["${objective}"]`];
      const live = await startLive(words);
      const names: string[] = [];
      let last = '';
      for await (const [name, data] of updatesOf(live.address)) {
        names.push(name);
        last = data;
      }
      const [withPage, without] = [
        await live.ended,
        await weir([...load, ...words, '--out', join(folder, 'without')]),
      ];
      const results = [await resultIn(live.out), await resultIn(join(folder, 'without'))] as const;
      expect(withPage.code, withPage.stderr).toBe(exitOf(results[0], exit));
      expect(without.code, without.stderr).toBe(exitOf(results[1], exit));
      const counts = results.map(({ planHash, groups }) => [
        planHash,
        groups.map(({ labels, sent, outcomes }) => [labels, sent, outcomes]),
      ]);
      expect(counts[0]).toEqual(counts[1]);
      expect(await readdir(live.out)).toEqual(await readdir(join(folder, 'without')));
      expect(names.at(-1)).toBe('finished');
      expect(last).toBe(await readFile(join(live.out, 'report.html'), 'utf8'));
    },
  );

  it.each(['1', '2'])(
    'follows a run of %s workers and is stopped by a POST alone, with exit 130',
    async (workers) => {
      const live = await startLive(['--rate', '20/s', '--duration', '60s', '--workers', workers]);
      const due: number[] = [];
      let last = '';
      let isStopped = false;
      for await (const [name, page] of updatesOf(live.address)) {
        last = name;
        if (name !== 'page' || isStopped) continue;
        expect(page).not.toContain('sk-weir-test');
        expect(page).toContain('Running');
        due.push(dueIn(page));
        if (!/<b>[\d.]+<\/b> <span class="unit">%/.test(page) || due.length < 4) continue;
        const { origin } = new URL(live.address);
        expect((await fetch(`${live.address}stop`)).status).toBe(405);
        const response = await fetch(`${live.address}stop`, {
          method: 'POST',
          headers: { origin },
        });
        expect(response.status).toBe(202);
        isStopped = true;
      }
      const { code, stderr } = await live.ended;
      expect(code, stderr).toBe(130);
      expect(due).toEqual(due.toSorted((a, b) => a - b));
      expect(due.at(-1)).toBeGreaterThan(due[0]!);
      expect(last).toBe('finished');
      const result = await resultIn(live.out);
      expect(result.partial).toBe('stopped by the live page before the load had ended');
      expect(result.slices).toHaveLength(Number(workers));
      await expect(fetch(live.address)).rejects.toThrow('fetch failed');
    },
  );

  it('ends with a run that is killed, and says so', async () => {
    const live = await startLive(['--rate', '20/s', '--duration', '60s']);
    const events: (readonly [string, string])[] = [];
    for await (const event of updatesOf(live.address)) {
      events.push(event);
      live.child.kill('SIGKILL');
    }
    expect(events.at(-1)).toEqual(['gone', 'ended']);
    await expect(fetch(live.address)).rejects.toThrow('fetch failed');
  });

  it('refuses a port in use before the load, and leaves nothing', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const out = join(await tempFolder(), 'out');
    const words = ['--rate', '1/s', '--duration', '1s', '--out', out, `--live=${port}`];
    const { code, stderr } = await weir([...load, ...words]);
    server.close();
    expect(code, stderr).toBe(2);
    expect(stderr).toContain(
      `--live: port ${port} of 127.0.0.1 cannot be used to listen: EADDRINUSE. Give another one`,
    );
    await expect(readdir(out)).rejects.toThrow('ENOENT');
  });

  it('belongs to one run', async () => {
    const { code, stderr } = await weir([...load, '--rate', '1/s', '--repeat', '2', '--live']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('--live: expected one run, got several'),
    ]);
  });

  it('has its address printed, and is opened, even with --quiet', async () => {
    const folder = await tempFolder();
    const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
    const script = `#!/bin/sh\nprintf %s "$1" > ${folder}/opened\n`;
    await writeFile(join(folder, opener), script, { mode: 0o755 });
    const environment = { PATH: `${folder}:${process.env['PATH'] ?? ''}` };
    const out = join(folder, 'out');
    const words = [...load, '--rate', '5/s', '--duration', '1s', '--quiet', '--open'];
    const { stderr } = await weir([...words, '--live', '--out', out], environment);
    const [, address] = /^Live page: (\S+)/.exec(stderr) ?? [];
    // Weir waits three seconds for the opener at most, so a busy machine may open the page after the end of Weir.
    const opened = (): Promise<string> => readFile(join(folder, 'opened'), 'utf8');
    await expect.poll(opened, { timeout: 30_000 }).toBe(address);
    await weir([...words, '--out', out], environment);
    await expect.poll(opened, { timeout: 30_000 }).toBe(`file://${out}/report.html`);
  });
});
