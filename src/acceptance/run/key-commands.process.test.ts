import { readdir, readFile, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFolder } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

/** Opens a server that notes the key of each chat, and refuses all of them with the key in its answer. */
const openServer = async () => {
  const keys: string[] = [];
  const server = http.createServer((request, response) => {
    const { method, headers } = request;
    request.resume();
    const isList = method === 'GET';
    if (!isList) keys.push(headers.authorization ?? '');
    response.writeHead(isList ? 200 : 500, { 'content-type': 'application/json' });
    const list = { object: 'list', data: [{ id: 'm', object: 'model', created: 1 }] };
    const error = { message: `no luck with ${headers.authorization}` };
    response.end(JSON.stringify(isList ? list : { error }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { keys, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
};

/** A command that prints another key each time, and something to its errors. */
const counting = `echo x >> count; echo $((1234567 * 9)) >&2; printf 'sk-token-%s' $(wc -l < count)`;

const scenarioWith = (command: string, more = ''): string => `
limits: none
keys: "\${command:${command}}"
traffic: [{ kind: chat, model: m, prompt: Hi., maxTokens: 5 }]
load: { kind: constant, rate: 20/s, duration: 3s }
canary: false
${more}
`;

const run = async (scenario: string, ...more: readonly string[]) => {
  const server = await openServer();
  const folder = await tempFolder();
  await writeFile(join(folder, 's.yaml'), scenario);
  const out = join(folder, 'out');
  const words = ['run', join(folder, 's.yaml'), '--target', server.url, '--out', out, ...more];
  const ended = await weir(words, { PATH: process.env['PATH'] ?? '' });
  const files = await readdir(out).catch(() => []);
  const texts = await Promise.all(files.map((file) => readFile(join(out, file), 'utf8')));
  return { ...ended, keys: [...new Set(server.keys)], texts: texts.join('\n') };
};

describe('a key of a command', () => {
  it.each([1, 2])(
    'is renewed before its lifetime ends in %i threads, and no report shows it',
    async (workers) => {
      const scenario = scenarioWith(`${counting}; lifetime=1s`, `workers: ${workers}`);
      const { keys, texts, stdout, stderr } = await run(scenario);
      expect(keys.slice(0, 3)).toEqual([1, 2, 3].map((n) => `Bearer sk-token-${n}`));
      expect(texts).toContain('no luck with');
      expect(texts + stdout + stderr).not.toMatch(/sk-token-\d|11111103/);
    },
  );

  it('is read once without a lifetime', async () => {
    const { keys } = await run(scenarioWith(counting));
    expect(keys).toEqual(['Bearer sk-token-1']);
  });

  it('stays as it is if the command fails later, which is said once', async () => {
    const command = `test ! -e used && touch used && echo sk-first-key; lifetime=1s`;
    const { keys, stderr } = await run(scenarioWith(command));
    expect(keys).toEqual(['Bearer sk-first-key']);
    expect(stderr.match(/A key could not be renewed/g)).toHaveLength(1);
  });

  it.each([
    ['echo sk-secret-part; exit 3', 'the command for a key ended with 3: run it yourself'],
    ['true', 'the command for a key printed nothing'],
    ['echo two words', 'the command for a key printed more than one word'],
  ])('ends the run before the load if %j gives none', async (command, message) => {
    const { code, stderr, keys } = await run(scenarioWith(command));
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(keys).toEqual([]);
  });

  it.each(['a; lifetime=5', '; lifetime=5m'])('is refused as %j', async (command) => {
    const { code, stderr } = await run(scenarioWith(command));
    expect(code).toBe(2);
    expect(stderr).toContain('expected a command, and after which time it runs again');
  });

  it('is only for keys, and runs in no `weir validate`', async () => {
    const folder = await tempFolder();
    const file = join(folder, 's.yaml');
    const target = 'target: http://127.0.0.1:1/v1\n';
    await writeFile(file, target + scenarioWith('touch ran; echo a'));
    expect((await weir(['validate', file], {})).code).toBe(0);
    expect(await readdir(folder)).toEqual(['s.yaml']);
    await writeFile(file, `${target}headers: { x-a: '\${command:date}' }\n${scenarioWith('date')}`);
    const refused = await weir(['validate', file], {});
    expect(refused.stderr).toContain('${command:date} is unknown');
  });
});
