import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { errorBarOf } from '../../model/result/error-bar.ts';
import type { Result } from '../../model/result/result.ts';
import { resultIn } from '../harness/run-files.fixture.ts';
import {
  startGateway,
  startWeir,
  tempFile,
  tempFolder,
  cleanUpAfterEach,
  weirProcess,
} from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const scenario = (more: string): string => `
name: watched
traffic: [{ kind: chat-stream, model: weir/small, maxTokens: 5 }]
load: { kind: constant, rate: 20/s, duration: 4s }
mock: { ttft: 20ms, gap: 2ms }
${more}
`;

const runWatched = async (
  more: string,
  words: readonly string[] = [],
): Promise<{ readonly result: Result; readonly stdout: string; readonly out: string }> => {
  const out = await tempFolder();
  const file = await tempFile('s.yaml', scenario(more));
  const { stdout } = await weirProcess(['run', file, '--out', out, ...words]);
  return { result: await resultIn(out), stdout, out };
};

/** The command line of a process; empty once it has ended. */
const commandOf = (pid: string): Promise<string> =>
  readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');

/** The children of a process whose command has this word. */
const childrenOf = async (pid: number, word: string): Promise<readonly string[]> => {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const named = await Promise.all(
    children
      .trim()
      .split(' ')
      .map(async (child) => ({ child, command: await commandOf(child) })),
  );
  return named.filter(({ command }) => command.includes(word)).map(({ child }) => child);
};

describe('a run', () => {
  it.each(['socket', 'undici'])(
    'measures its own error by the transport %s, and the page quotes it',
    async (transport) => {
      const { result, out } = await runWatched('', ['--transport', transport]);
      const bar = errorBarOf(result);
      expect(bar).toMatchObject({ streams: 5, loops: 1 });
      // 5 streams × 20 events a second, of a load of four seconds; a busy machine makes emitters slower, never faster.
      const sent = bar!.events / (1 - bar!.missing);
      expect(sent).toBeGreaterThan(3 * 100 - 10);
      expect(bar!.missing).toBeLessThan(0.75);
      expect(bar!.p50).toBeGreaterThan(0);
      expect(bar!.p50).toBeLessThanOrEqual(bar!.p99);
      expect(result.errorBar).toEqual(bar);
      const html = await readFile(join(out, 'report.html'), 'utf8');
      expect(html).toMatch(
        /Self-test streams were read late by p50 \S+ ms, p99 \S+ ms \(5 streams/,
      );
    },
  );

  it('has a canary in each worker', async () => {
    const { result } = await runWatched('', ['--workers', '2']);
    expect(errorBarOf(result)).toMatchObject({ streams: 5, loops: 2 });
  });

  it.each([
    ['chat', 'model: weir/small, maxTokens: 5', 'constant, rate: 20/s, duration: 2s'],
    ['models', '', 'closed, users: 2, duration: 2s, thinkTime: 50ms'],
    ['speech', 'model: weir/voice', 'constant, rate: 5/s, duration: 2s'],
  ])('has a canary beside %s alone', async (kind, settings, load) => {
    const file = await tempFile(
      's.yaml',
      `traffic: [{ kind: ${kind}${settings && `, ${settings}`} }]\nload: { kind: ${load} }\nmock: { latency: small }\n`,
    );
    const out = await tempFolder();
    await weirProcess(['run', file, '--out', out]);
    expect(errorBarOf(await resultIn(out))).toMatchObject({ streams: 5, loops: 1 });
  });

  it('says so when the canary is off', async () => {
    const { result, stdout } = await runWatched('canary: false', ['--details']);
    expect(errorBarOf(result)).toBeNull();
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'The scenario disables the self-test streams (canary: false)',
    );
  });

  it.runIf(process.platform === 'linux')('names its processes that ended early', async () => {
    const out = await tempFolder();
    const words = ['run', await tempFile('s.yaml', scenario('')), '--out', out];
    const { child, ended, waitForOutput } = startWeir(words);
    await waitForOutput('Ctrl-C ends it early');
    for (const word of ['emitter', '--embedded']) {
      const found = await childrenOf(child.pid!, word);
      expect(found).toHaveLength(1);
      process.kill(Number(found[0]), 'SIGKILL');
    }
    // The rest of the load had no gateway, so the run is incomplete.
    expect((await ended).code).toBe(3);
    const { notes, partial } = await resultIn(out);
    expect(partial).toBe('the reference gateway ended during the run (SIGKILL)');
    expect(notes).toEqual([
      'The canary’s emitter ended during the run (SIGKILL): nothing shows how late reads were after that.',
      'The reference gateway could not be asked for its counters: it ended during the run (SIGKILL).',
    ]);
  });

  it.runIf(process.platform === 'linux')(
    'leaves no canary process behind when it is killed',
    async () => {
      const { url } = await startGateway();
      const file = await tempFile('s.yaml', scenario(''));
      const words = ['--set', 'load.duration=60s', '--target', url, '--out', await tempFolder()];
      const { child, ended, waitForOutput } = startWeir(['run', file, ...words], {
        WEIR_API_KEY: 'sk-weir-test',
      });
      await waitForOutput('Ctrl-C ends it early');
      const emitters = await childrenOf(child.pid!, 'emitter');
      expect(emitters).toHaveLength(1);
      child.kill('SIGKILL');
      await ended;
      await vi.waitFor(async () => expect(await commandOf(emitters[0]!)).toBe(''), {
        timeout: 10_000,
      });
    },
  );
});
