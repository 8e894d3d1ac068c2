// @gate 1 s
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { samples } from '../../verbs/import/readers/samples.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFile, tempFolder } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const environment = { WEIR_API_KEY: 'sk-weir-test' };

describe('weir import', () => {
  it.each(samples)('$name: writes what weir validate accepts', async ({ text, kind, left }) => {
    const folder = await tempFolder();
    const [file, out] = [join(folder, 'other.txt'), join(folder, 'weir.yaml')];
    await writeFile(file, text);
    const scenario =
      'traffic: [{ kind: models }]\nload: { kind: constant, rate: 1/s, duration: 1m }\n';
    const into = await tempFile('old.yaml', scenario);
    const words = ['import', file, '--out', out, ...(kind === 'k6' ? ['--into', into] : [])];
    const made = await weir(words, environment);
    expect(made.code, made.stderr).toBe(left === 0 ? 0 : 3);
    expect(made.stderr.match(/^Left out/gm) ?? []).toHaveLength(left);
    const validated = await weir(['validate', out], environment);
    expect([validated.code, validated.stderr]).toEqual([0, '']);
    const again = await weir(words, environment);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('exists already')]);
  });

  it.each([
    ['UTF-8 with a mark', (text: string) => Buffer.from(`\uFEFF${text}`)],
    ['UTF-16, as PowerShell writes it', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['UTF-16 without a mark', (text: string) => Buffer.from(text, 'utf16le')],
    [
      'UTF-16 of the other order',
      (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(),
    ],
  ])('reads files in %s', async (_, encode) => {
    const file = join(await tempFolder(), 'targets.json');
    const target = JSON.stringify({ method: 'GET', url: 'http://h/v1/models' });
    await writeFile(file, encode(`${target}\r\n\r\n${target}\r\n`));
    const { code, stdout, stderr } = await weir(['import', file], environment);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('weight: 2');
  });

  it('says that a file of prompts or a trace needs no import', async () => {
    const file = await tempFile('batch.jsonl', '{"custom_id":"1","method":"POST","url":"/v1"}\n');
    const { code, stderr } = await weir(['import', file], environment);
    expect(code).toBe(2);
    expect(stderr).toContain('needs no import: write prompt: { file: … } or load: { kind: trace');
  });

  it('takes over the targets of vegeta with their bodies in files, and an upload that it writes', async () => {
    const folder = await tempFolder();
    const boundary = 'xx';
    const part = (head: string, text: string): string =>
      `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`;
    const form = `${part('name="model"', 'stt')}${part('name="file"; filename="hello.wav"', 'RIFF')}--${boundary}--\r\n`;
    const body = join(folder, 'form.bin');
    await writeFile(body, form);
    const url = 'http://127.0.0.1:9/v1/audio/transcriptions';
    const type = `Content-Type: multipart/form-data; boundary=${boundary}`;
    const targets = join(folder, 'targets.txt');
    const missing = join(folder, 'missing.json');
    await writeFile(
      targets,
      `POST ${url}\n${type}\nAuthorization: Bearer sk-own\n@${body}\n\nPOST ${url}\n@${missing}\n`,
    );
    await mkdir(join(folder, 'new'));
    const out = join(folder, 'new', 'speech.yaml');
    const words = ['import', targets, '--rate', '100/1m', '--duration', '1m30s', '--out', out];
    const { code, stderr } = await weir(words, environment);
    expect(code).toBe(3);
    expect(stderr).toContain('line 6: the file of its body: ');
    expect(stderr).toContain('cannot be read: there is no such file');
    expect(await readFile(join(folder, 'new', 'speech-hello.wav'), 'utf8')).toBe('RIFF');
    const text = await readFile(out, 'utf8');
    expect(text).toContain('clips: speech-hello.wav');
    expect(text).toContain('rate: 100/min, duration: 1m30s');
    expect(text).not.toContain('sk-own');
    expect((await weir(['validate', out], environment)).code).toBe(0);
  });

  it('reads a command line behind --, and prints the scenario alone', async () => {
    const command = ['aiperf', 'profile', '-m', 'a/b', '-u', 'host:8000', '--concurrency', '-1'];
    const { code, stdout, stderr } = await weir(['import', '--', ...command], environment);
    expect(code).toBe(3);
    expect(stderr).toContain('Left out    --concurrency: expected a number');
    expect(stdout).toMatch(/^# yaml-language-server: \$schema=\S+schema\.json\n/);
    expect(stdout).toContain('\ntarget: http://host:8000/v1\n');
  });

  it.each([
    [[], 'expected a file, - for standard input, or a command line behind --'],
    [['/nowhere/x.txt'], '/nowhere/x.txt cannot be read: there is no such file'],
    [['/dev/null'], 'null is empty: expected targets of vegeta'],
    [['--', 'wrk', '-t2'], 'nothing that weir import knows: expected targets of vegeta'],
    [['--', 'guidellm', 'run'], 'GuideLLM’s target: expected an address'],
    [
      ['--', 'guidellm', 'benchmark', '--target', 'http://host:8000', '--rate-type', 'constant'],
      'a profile of rates needs a rate',
    ],
    [
      ['--rate', '5/s', '--', 'aiperf', 'profile'],
      '--rate and --duration are those of vegeta attack',
    ],
    [['--from', 'k6', '--', 'aiperf'], 'expected JSON: the file of k6 run --summary-export'],
    [['--from', 'wrk', 'x'], 'from: expected "vegeta" or "k6"'],
  ])('%j: says what it expects', async (words, message) => {
    const { code, stdout, stderr } = await weir(['import', ...words], environment);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});
