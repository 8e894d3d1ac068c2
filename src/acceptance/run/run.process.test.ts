import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../model/quantity.ts';
import { resultSchema } from '../../model/result/result.ts';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { countersOf, openMock } from '../harness/open-mock.fixture.ts';
import { exitOf, resultIn } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import {
  startWeir,
  tempFile,
  tempFolder,
  cleanUpAfterEach,
} from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const scenario = (load: string): string => `
name: short
traffic:
  - { kind: chat-stream, model: weir/small, weight: 3, maxTokens: 5 }
  - { kind: chat, model: weir/small, weight: 2, maxTokens: 5 }
  - { kind: models, weight: 1 }
load: ${load}
grace: 5s
mock: { ttft: 20ms, gap: 2ms }
`;
const second = scenario('{ kind: constant, rate: 80/s, duration: 1s }');

describe('weir run', () => {
  it('writes a result, a report and observations of the embedded gateway, without a key', async () => {
    const out = await tempFolder();
    const observations = join(out, 'observations.jsonl');
    const { code, stdout, stderr } = await weir([
      'run',
      await tempFile('s.yaml', second),
      '--json',
      '--out',
      out,
      '--observations',
      observations,
    ]);
    expect((await readdir(out)).sort()).toEqual([
      'observations.jsonl',
      'report.html',
      'result.json',
    ]);
    expect(stderr).toContain(join(out, 'report.html'));
    const result = await resultIn(out);
    expect(code).toBe(exitOf(result, 0));
    expect(resultSchema.parse(JSON.parse(stdout))).toEqual(result);
    expect(sumOutcomes(result.groups)).toMatchObject({ completed: 60, limited: 20, broken: 0 });
    expect(result.gatewayCounters).toMatchObject({ completed: 60, limited: 20, inFlight: 0 });
    const lines = await readFile(observations, 'utf8');
    expect(lines.trim().split('\n')).toHaveLength(1 + 80);
    for (const text of [lines, stdout, await readFile(join(out, 'report.html'), 'utf8')]) {
      expect(text).not.toContain('sk-weir-test');
    }
  });

  it('prints at most 25 lines with the verdict last, all with --details, and with --quiet a line if it fails', async () => {
    const file = await tempFile('s.yaml', `${second}\nobjectives: [due < 1]\n`);
    const run = async (...words: readonly string[]) => {
      const out = await tempFolder();
      const { stdout, stderr } = await weir(['run', file, '--out', out, ...words]);
      return { stdout, stderr, exit: (await resultIn(out)).summary!.exit };
    };
    const brief = await run();
    const lines = brief.stdout.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(25);
    expect(brief.exit.code).toBeGreaterThan(0);
    expect(lines.slice(-3).join('\n')).toContain(`✗ Exit ${brief.exit.code}.`);
    expect(brief.stdout).not.toContain('Outcomes');
    const whole = await run('--details');
    expect(whole.stdout).toContain('Outcomes');
    expect(whole.stdout).not.toContain('Exit ');
    const quiet = await run('--quiet');
    expect(quiet.stdout).toBe('');
    expect(quiet.stderr.trimEnd().split('\n')).toEqual([expect.stringContaining('✗ Exit ')]);
  });

  it('agrees exactly with the counters of a separate gateway', async () => {
    const mock = await openMock({ ttft: milliseconds(20), gap: milliseconds(2) });
    const out = await tempFolder();
    const { code, stdout } = await weir(
      ['run', await tempFile('s.yaml', second), '--target', mock.url, '--out', out],
      { WEIR_API_KEY: 'sk-weir-test' },
    );
    const result = await resultIn(out);
    expect(code).toBe(exitOf(result, 0));
    expect(stdout).toMatch(/chat-stream TTFT .*\n +chat-stream end to end /);
    const counters = await countersOf(mock);
    const { completed, limited, refused } = sumOutcomes(result.groups);
    expect({ completed, limited, refused }).toEqual({
      completed: counters['completed'],
      limited: counters['limited'],
      refused: counters['refused'],
    });
    expect(completed + limited + refused).toBe(80);
  });

  it('counts refusals of a wrong key as the gateway does, and exits with 15 because nothing succeeded', async () => {
    const mock = await openMock();
    const out = await tempFolder();
    const words = ['run', await tempFile('s.yaml', second), '--target', mock.url];
    const { code } = await weir([...words, '--no-key-check', '--out', out], {
      WEIR_API_KEY: 'sk-wrong-key',
    });
    const result = await resultIn(out);
    expect(code).toBe(exitOf(result, 15));
    expect(sumOutcomes(result.groups)).toMatchObject({ refused: 80, completed: 0 });
    expect(await countersOf(mock)).toMatchObject({ refused: 80, completed: 0 });
    expect(JSON.stringify(result)).not.toContain('sk-wrong-key');
  });

  it('needs no file if options describe the load', async () => {
    const out = await tempFolder();
    await weir([
      'run',
      '--model',
      'weir/small',
      '--rate',
      '20/s',
      '--duration',
      '500ms',
      '--set',
      'mock.ttft=10ms',
      '--set',
      'mock.gap=1ms',
      '--out',
      out,
    ]);
    expect(sumOutcomes((await resultIn(out)).groups).completed).toBe(10);
  });

  it('merges the results of all slices into one, and calls a merge of some of them incomplete', async () => {
    const path = await tempFile('s.yaml', scenario('{ kind: constant, rate: 40/s, duration: 1s }'));
    const folders = await Promise.all([tempFolder(), tempFolder()]);
    await Promise.all(
      folders.map((out, index) => weir(['run', path, '--slice', `${index}/2`, '--out', out])),
    );
    const [first] = folders.map((folder) => join(folder, 'result.json'));
    const half = await weir(['merge', first!, '--out', await tempFolder()]);
    expect(half.code).toBe(3);
    const out = await tempFolder();
    const { code } = await weir(['merge', first!, folders[1], '--out', out]);
    const whole = await resultIn(out);
    expect(code).toBe(exitOf(whole, 0));
    expect(sumOutcomes(whole.groups).completed).toBe(40);
    const again = await weir(['merge', first!, first!, '--out', await tempFolder()]);
    expect(again.code).toBe(2);
    const alone = await weir(['merge', out, '--out', await tempFolder()]);
    expect(alone).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${out} is a complete run: expected the results of slices`),
    });
  });
});

describe('a stop signal during a run', () => {
  it('leaves a partial report and no process, and exits with 130', async () => {
    const out = await tempFolder();
    const path = await tempFile(
      's.yaml',
      scenario('{ kind: constant, rate: 20/s, duration: 60s }'),
    );
    const { child, ended, waitForOutput } = startWeir(['run', path, '--out', out]);
    await waitForOutput('Ctrl-C ends it early');
    const { pid } = child;
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    // The reference gateway and the canary’s emitter.
    const pids = children.trim().split(' ').map(Number);
    expect(pids).toHaveLength(2);
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    expect(code).toBe(130);
    const result = await resultIn(out);
    expect(result.partial).toContain('SIGINT');
    expect(await readdir(out)).toContain('report.html');
    expect(stdout).toContain('SIGINT');
    for (const each of pids) expect(() => process.kill(each, 0)).toThrow('ESRCH');
  });
});

describe('a second stop signal', () => {
  it('aborts requests in flight and leaves a report of the others', async () => {
    const out = await tempFolder();
    const slow =
      'run --target mock --model a/b --rate 20/s --duration 60s --set mock.latency=large';
    const { child, ended, waitForOutput } = startWeir([...slow.split(' '), '--out', out]);
    await waitForOutput('Ctrl-C ends it early');
    child.kill('SIGINT');
    await waitForOutput('again to abort them');
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    const result = await resultIn(out);
    expect(result.partial).toContain('stopped by SIGINT');
    expect(result.failures.map(({ cause }) => cause)).toContain('aborted');
    expect((await readdir(out)).toSorted()).toEqual(['report.html', 'result.json']);
  });
});

describe('bad input causes a clear message, exit code 2 and no files', () => {
  const refused = async (
    words: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<string> => {
    const out = join(await tempFolder(), 'out');
    const { code, stderr, stdout } = await weir(['run', ...words, '--out', out], environment);
    expect(stdout).toBe('');
    expect(code).toBe(2);
    await expect(readdir(out)).rejects.toThrow('ENOENT');
    return stderr;
  };
  const key = { WEIR_API_KEY: 'sk-weir-test' };

  it('an unknown key', async () => {
    const path = await tempFile('s.yaml', second.replace('grace:', 'grase:'));
    expect(await refused([path])).toMatch(/s\.yaml:8:1: .*grase.*grace/s);
  });

  it('a wrong unit', async () => {
    const path = await tempFile('s.yaml', second.replace('80/s', '80/fortnight'));
    expect(await refused([path])).toMatch(/s\.yaml:7:\d+: .*20\/s/s);
  });

  it('a missing file', async () => {
    expect(await refused(['no-such.yaml'])).toContain('no-such.yaml does not exist');
  });

  it('a missing environment variable', async () => {
    const path = await tempFile('s.yaml', second);
    const stderr = await refused([path, '--target', 'http://127.0.0.1:9/v1']);
    expect(stderr).toContain('WEIR_API_KEY');
    expect(stderr).toContain('export WEIR_API_KEY');
  });

  it('a target where nothing listens', async () => {
    const path = await tempFile('s.yaml', second);
    expect(await refused([path, '--target', 'http://127.0.0.1:9/v1'], key)).toContain(
      'nothing listens there',
    );
  });

  it('a target whose name does not resolve', async () => {
    const path = await tempFile('s.yaml', second);
    expect(await refused([path, '--target', 'http://no-such-host.invalid/v1'], key)).toContain(
      'does not resolve',
    );
  });

  const withServer = async (server: net.Server, ...more: string[]): Promise<string> => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { port } = server.address() as AddressInfo;
      const path = await tempFile('s.yaml', second);
      return await refused([path, '--target', `http://127.0.0.1:${port}/v1`, ...more], key);
    } finally {
      server.close();
    }
  };

  it('a target that does not speak HTTP', async () => {
    const server = net.createServer((socket) => socket.end('220 ready\r\n'));
    expect(await withServer(server)).toContain('does not speak HTTP');
  });

  it('a target that answers HTML, if only its models are asked for', async () => {
    const server = http.createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html>');
    });
    expect(await withServer(server, '--set', 'traffic=[{"kind":"models"}]')).toContain('HTML page');
  });

  it('an output folder that cannot be written, found before the load', async () => {
    const path = await tempFile('s.yaml', second);
    const { code, stderr } = await weir(['run', path, '--out', join(path, 'sub')]);
    expect(code).toBe(2);
    expect(stderr).toContain('cannot be written');
  });

  it('a file that is not a result', async () => {
    const path = await tempFile('r.json', '{"format":"other"}');
    const { code, stderr } = await weir(['report', path]);
    expect(code).toBe(2);
    expect(stderr).toContain('is not a result of Weir: expected "format": "result/1", got "other"');
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('a misspelled command, with a suggestion', async () => {
    const { code, stderr } = await weir(['rnu']);
    expect(code).toBe(2);
    expect(stderr).toContain('did you mean "run"?');
  });

  it('an unknown command, an unknown option and no command', async () => {
    for (const words of [['rum'], ['run', '--rat', '5/s']]) {
      const { code, stderr } = await weir(words);
      expect(code).toBe(2);
      expect(stderr).toContain('--help');
    }
    const { code, stdout } = await weir([]);
    expect(code).toBe(2);
    expect(stdout).toContain('weir run [scenario]');
  });
});
