// @gate 1 s
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openMock } from '../harness/open-mock.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { tempFile, tempFolder, cleanUpAfterEach } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

describe('weir init', () => {
  it('asks a gateway for its models with the key of the environment, and writes a valid scenario', async () => {
    const mock = await openMock({ models: ['first/model', 'second/model'] });
    const out = join(await tempFolder(), 'weir.yaml');
    const environment = { MY_KEY: 'sk-weir-test' };
    const words = ['init', mock.url, '--key', 'MY_KEY', '--out', out];
    const { code, stdout, stderr } = await weir(words, environment);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('sends requests to first/model');
    const text = await readFile(out, 'utf8');
    expect(text).not.toContain('sk-weir-test');
    expect(text).toContain('    model: weir-tts');
    const planned = await weir(['plan', out], environment);
    expect([planned.code, planned.stderr]).toEqual([0, '']);
    expect(planned.stdout).toContain('chat-stream (first/mo…');
    const again = await weir(words, environment);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('exists already: name another file');
    expect(await readFile(out, 'utf8')).toBe(text);
  });

  it('writes the limits that the gateway declares, and where its schema is', async () => {
    const mock = await openMock({ limits: { requestsPerMinute: 30, tokensPerMinute: 50_000 } });
    const out = join(await tempFolder(), 'weir.yaml');
    await weir(['init', mock.url, '--out', out], { WEIR_API_KEY: 'sk-weir-test' });
    const text = await readFile(out, 'utf8');
    expect(text).toContain('limits: { requestsPerMinute: 30, tokensPerMinute: 50000 }');
    expect(text).toContain('rate: 24/min');
    const [, address = ''] = /^# yaml-language-server: \$schema=(\S+)$/m.exec(text) ?? [];
    const schema = JSON.parse(await readFile(resolve(dirname(out), address), 'utf8')) as object;
    expect(Object.keys(schema)).toContain('$schema');
  });

  it('reports an address without a version, and https where the server speaks http', async () => {
    const mock = await openMock();
    const out = join(await tempFolder(), 'weir.yaml');
    const initWith = (address: string) =>
      weir(['init', address, '--out', out], { WEIR_API_KEY: 'sk-weir-test' });
    const bare = await initWith(new URL(mock.url).origin);
    expect([bare.code, bare.stderr]).toEqual([
      2,
      expect.stringMatching(
        /models answered 404, and \S+ answers as a gateway does: write \S+\/v1/,
      ),
    ]);
    const secure = await initWith(mock.url.replace('http:', 'https:'));
    expect([secure.code, secure.stderr]).toEqual([
      2,
      expect.stringContaining(
        'wrong version number (ERR_SSL_WRONG_VERSION_NUMBER); the server there does not speak TLS',
      ),
    ]);
    await expect(readFile(out)).rejects.toThrow('ENOENT');
  });

  it('reports a variable without a key, and a missing folder', async () => {
    const { code, stderr } = await weir(['init', 'http://127.0.0.1:9/v1', '--key', 'MY_KEY']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^weir: --key: .* MY_KEY is not set: .* name another with --key NAME/),
    ]);
    const missing = join(await tempFolder(), 'none', 'w.yaml');
    const unwritten = await weir(['init', 'mock', '--out', missing]);
    expect([unwritten.code, unwritten.stderr]).toEqual([
      2,
      expect.stringContaining('cannot be written: its folder does not exist'),
    ]);
  });

  it('sends nothing if its file already exists', async () => {
    const path = await tempFile('weir.yaml', 'mine');
    const { code, stderr } = await weir(['init', 'http://127.0.0.1:9/v1', '--out', path]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('exists already')]);
  });
});
