// @long 67 s
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { weirCommand } from '../../bench/harness/run-weir.ts';
import { runProgram } from '../../platform/process/run-program.ts';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { openRecordingServer, type RecordedRequest } from './recording-server.fixture.ts';
import { attackWithVegeta } from './vegeta-attack.ts';

// The first run builds vegeta.
vi.setConfig({ testTimeout: 900_000 });

interface Target {
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: string;
}

const type = 'application/json';
const messages = [
  { role: 'system', content: 'Be brief: "yes" or “no”.' },
  { role: 'user', content: [{ type: 'text', text: 'Is\nthis # a: question? {yes}' }] },
];
const chat = { model: 'a/b', messages: [{ role: 'user', content: 'Hello.' }], max_tokens: 9 };
const part = (head: string, text: string): string =>
  `------weir-proving-1234567890\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`;
const form = `${part('name="model"', 'stt')}${part('name="response_format"', 'text')}${part('name="file"; filename="a.wav"', 'RIFF')}------weir-proving-1234567890--\r\n`;

const targets: readonly Target[] = [
  { method: 'POST', path: '/chat/completions', type, body: JSON.stringify(chat) },
  { method: 'GET', path: '/models' },
  {
    method: 'POST',
    path: '/chat/completions',
    type,
    body: JSON.stringify({
      messages,
      model: 'null',
      stream: true,
      temperature: 0.3,
      top_p: 2,
      seed: 7,
      stop: ['\n'],
      stream_options: { include_usage: true },
    }),
  },
  { method: 'POST', path: '/chat/completions', type, body: JSON.stringify(chat) },
  {
    method: 'POST',
    path: '/audio/speech',
    type,
    body: JSON.stringify({
      input: '42',
      model: 'tts',
      voice: 'yes',
      response_format: 'wav',
      speed: 9,
    }),
  },
  {
    method: 'POST',
    path: '/audio/transcriptions',
    type: 'multipart/form-data; boundary=----weir-proving-1234567890',
    body: form,
  },
];

const headersOf = ({ type: contentType }: Target): Readonly<Record<string, string>> => ({
  Authorization: 'Bearer sk-of-vegeta',
  'X-Team': 'load',
  ...(contentType === undefined ? {} : { 'Content-Type': contentType }),
});

/** The targets in a format of vegeta; bodies of the format `http` are files in `folder`. */
const writers = {
  json: async (url: string) =>
    targets
      .map(({ method, path, body, ...rest }) => {
        const entries = Object.entries(headersOf({ method, path, ...rest }));
        const header = Object.fromEntries(entries.map(([name, value]) => [name, [value]]));
        const base64 = body === undefined ? {} : { body: Buffer.from(body).toString('base64') };
        return `${JSON.stringify({ method, url: url + path, ...base64, header })}\n`;
      })
      .join(''),
  http: async (url: string, folder: string) => {
    const texts = targets.map(async (target, i) => {
      const file = join(folder, `body-${i}`);
      if (target.body !== undefined) await writeFile(file, target.body);
      const headers = Object.entries(headersOf(target)).map(([name, value]) => `${name}: ${value}`);
      const body = target.body === undefined ? [] : [`@${file}`];
      return [`${target.method} ${url}${target.path}`, ...headers, ...body, '', ''].join('\n');
    });
    return (await Promise.all(texts)).join('');
  },
} as const;

/** Each different request, in one order; keys apart. */
const differentOf = (requests: readonly RecordedRequest[]): readonly unknown[] =>
  [...new Set(requests.map((request) => JSON.stringify(sorted({ ...request, key: undefined }))))]
    .toSorted()
    .map((text) => JSON.parse(text) as unknown);

/** With the fields of each mapping in one order. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]));
};

it.for(['http', 'json'] as const)(
  'an imported scenario sends what vegeta sends of targets in the format %s',
  async (format, context) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'weir-import-'));
    const vegeta = await openRecordingServer();
    const file = join(folder.path, 'targets.txt');
    await writeFile(file, await writers[format](vegeta.url, folder.path));
    const load = { rate: '60/s', duration: '2s' };
    await orSkip(context, () => attackWithVegeta({ targets: file, format }, load));
    // On a busy machine vegeta sends fewer than it should.
    expect(vegeta.requests.length).toBeGreaterThan(60);
    expect(differentOf(vegeta.requests)).toHaveLength(5);

    const weir = await openRecordingServer();
    const out = join(folder.path, 'weir.yaml');
    const environment = { ...process.env, WEIR_API_KEY: 'sk-of-weir', GITHUB_STEP_SUMMARY: '' };
    const run = (...words: string[]) => runProgram([...weirCommand, ...words], environment);
    const options = ['--rate', load.rate, '--duration', load.duration, '--out', out];
    const imported = await run('import', file, ...options);
    expect([imported.code, imported.stderrTail.match(/^Left out.*/gm)]).toEqual([0, null]);
    const there = ['--target', weir.url, '--no-key-check', '--no-history', '--quiet'];
    await run('run', out, ...there, '--out', join(folder.path, 'report'));

    const sent = weir.requests.filter(({ key }) => key !== null);
    expect(sent).toHaveLength(120);
    expect(differentOf(sent)).toEqual(differentOf(vegeta.requests));
    expect(new Set(sent.map(({ key }) => key))).toEqual(new Set(['Bearer sk-of-weir']));
    // Two of six targets are equal: that entry has twice the weight.
    const share = sent.filter(({ body }) => JSON.stringify(body).includes('"Hello."')).length / 120;
    expect(share).toBeGreaterThan(0.2);
    expect(share).toBeLessThan(0.5);
  },
);
