import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { importFile } from './import.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-import-'));
});
afterAll(() => rm(folder, { recursive: true }));

type Request = Parameters<typeof importFile>[0];

const imported = async (given: Partial<Request>) => {
  const { host, printed, warned } = fakeHost();
  const exit: unknown = await importFile(
    {
      file: undefined,
      command: [],
      from: undefined,
      out: undefined,
      into: undefined,
      rate: undefined,
      duration: undefined,
      ...given,
    },
    host,
  ).catch(String);
  const text = printed[0]?.text?.({ colour: false, width: 90 });
  return { exit, text, warned };
};

let files = 0;
const written = async (content: string | Uint8Array, name = `${(files += 1)}.txt`) => {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
};

const guidellm =
  'guidellm benchmark --target http://h:8000 --model m --data prompt_tokens=9,output_tokens=4 --rate-type constant --rate 2 --max-seconds 9';
const words = guidellm.split(' ');
const thresholds = JSON.stringify({ thresholds: { http_req_failed: ['rate<0.01'] } });

describe('an import', () => {
  it('of a command line prints its scenario', async () => {
    expect(await imported({ command: words })).toMatchInlineSnapshot(`
      {
        "exit": "pass",
        "text": "# yaml-language-server: $schema=./scenarios/schema.json
      #
      # Written by weir import from the command line.
      #
      #   Chosen      key: the command has none, and Weir wants one: export WEIR_API_KEY=none, if the server asks for no key
      #   Chosen      limits: Weir assumes no rate limits of a key: write "limits" if the gateway has any
      #   Chosen      tokenizer: prompts are exact in OpenAI’s vocabularies: write the path of the model’s tokenizer.json as "tokenizer" of the prompt to be exact in its own
      #   Chosen      length of answers: Weir asks for it by max_tokens, GuideLLM by max_completion_tokens

      target: http://h:8000/v1
      keys: \${env:WEIR_API_KEY}
      limits: none
      traffic:
        - kind: chat-stream
          model: m
          prompt: { tokens: 9 }
          maxTokens: 4
          body: { ignore_eos: true }
      load: { kind: constant, rate: 2/s, duration: 9s }
      seed: 42",
        "warned": [
          "Chosen      key: the command has none, and Weir wants one: export WEIR_API_KEY=none, if the server asks for no key",
          "Chosen      limits: Weir assumes no rate limits of a key: write "limits" if the gateway has any",
          "Chosen      tokenizer: prompts are exact in OpenAI’s vocabularies: write the path of the model’s tokenizer.json as "tokenizer" of the prompt to be exact in its own",
          "Chosen      length of answers: Weir asks for it by max_tokens, GuideLLM by max_completion_tokens",
        ],
      }
    `);
  });

  it('that leaves something out says so, and has a separate exit code', async () => {
    const one = await imported({ command: [...words, '--unheard', '3'] });
    expect([one.exit, one.warned.at(-1)]).toEqual([
      'incomplete',
      'One part was left out (exit code 3): see the lines above.',
    ]);
    const two = await imported({ command: [...words, '--unheard', '3', '--unseen', '4'] });
    expect([two.exit, two.warned.at(-1)]).toEqual([
      'incomplete',
      '2 parts were left out (exit code 3): see the lines above.',
    ]);
  });

  it('shows forty notes at most', async () => {
    const before = (await imported({ command: words })).warned.length;
    const unknown = (count: number) =>
      Array.from({ length: count }, (_, i) => [`--unheard-${i}`, '3']).flat();
    const shown = async (notes: number) =>
      (await imported({ command: [...words, ...unknown(notes - before)] })).warned;
    expect((await shown(40)).some((line) => line.startsWith('and '))).toBe(false);
    expect((await shown(41)).slice(40)).toContain('and 1 more note');
    expect((await shown(42)).slice(40)).toContain('and 2 more notes');
  });

  it('of a file reads the encodings of Windows', async () => {
    const { text } = await imported({ command: words });
    for (const bytes of [
      Buffer.from(`\uFEFF${guidellm}`, 'utf8'),
      Buffer.from(`\uFEFF${guidellm}`, 'utf16le'),
    ]) {
      const found = await imported({ file: await written(bytes, 'same.sh') });
      expect(found.exit).toBe('pass');
      expect(found.text?.replaceAll('same.sh', 'the command line')).toBe(text);
    }
  });

  it('writes a new file, and never replaces one', async () => {
    const out = join(folder, 'new.yaml');
    const { exit, text } = await imported({ command: words, out });
    expect(exit).toBe('pass');
    expect(text).toMatch(
      /new\.yaml: written\. `weir plan .*new\.yaml` forecasts it, `weir run .*` runs it\.$/,
    );
    expect(await readFile(out, 'utf8')).toContain('rate: 2/s');
    expect((await imported({ command: words, out })).exit).toBe(
      `Error: ${out} exists already: name another file with --out FILE`,
    );
    const missing = join(folder, 'missing', 'new.yaml');
    expect((await imported({ command: words, out: missing })).exit).toContain(
      `${missing} cannot be written: `,
    );
    expect(await readdir(folder)).toContain('new.yaml');
  });

  it.each([
    [{}, 'expected a file, - for standard input, or a command line behind --'],
    [{ file: 'a', command: ['b'] }, 'expected a file or a command line behind --, not both'],
    [{ file: '/nowhere/a' }, '/nowhere/a cannot be read: '],
    [{ command: [' '], from: 'k6' as const }, ': '],
    [{ command: ['ls'] }, 'the command line: nothing that weir import knows: expected '],
    [{ command: words, rate: '1/s' }, '--rate and --duration are those of vegeta attack'],
    [{ command: words, duration: '1s' }, '--rate and --duration are those of vegeta attack'],
    [{ command: words, into: 'x.yaml' }, '--into is for the objectives of k6’s thresholds'],
  ])('is refused of %j', async (given, message) => {
    const { exit, text } = await imported(given);
    expect(exit).toMatch(/^Error: /);
    expect(exit).toContain(message);
    expect(text).toBeUndefined();
  });

  it('of an empty file says what was expected', async () => {
    const file = await written(' \n', 'empty.txt');
    expect((await imported({ file })).exit).toMatch(/^Error: empty\.txt is empty: expected .*; /);
    expect((await imported({ file, from: 'k6' })).exit).toMatch(
      /^Error: empty\.txt is empty: expected [^;]*$/,
    );
  });

  it('of thresholds goes into a scenario that exists', async () => {
    const file = await written(thresholds, 'thresholds.json');
    const into = await written('name: mine\ntraffic: [{kind: models}]\n', 'mine.yaml');
    expect(await imported({ file, into, from: 'k6' })).toMatchInlineSnapshot(`
      {
        "exit": "pass",
        "text": "name: mine
      traffic: [{kind: models}]

      objectives:
        - errorRate < 1%",
        "warned": [],
      }
    `);
    expect((await imported({ file, into: '/nowhere/x.yaml', from: 'k6' })).exit).toContain(
      '/nowhere/x.yaml cannot be read: ',
    );
  });

  it('of thresholds needs one with a counterpart, and a scenario that can have them', async () => {
    const strange = JSON.stringify({ thresholds: { my_metric: ['avg<1'] } });
    const file = await written(strange, 'strange.json');
    const { exit, warned } = await imported({ file, into: '/nowhere/x.yaml', from: 'k6' });
    expect(exit).toBe('Error: strange.json: no threshold has a counterpart');
    expect(warned).toEqual([expect.stringMatching(/^\S.* +my_metric avg<1: /)]);
    const good = await written(thresholds, 'good.json');
    const into = await written('- a list', 'list.yaml');
    expect((await imported({ file: good, into, from: 'k6' })).exit).toMatch(
      new RegExp(`^Error: ${into}: `),
    );
  });

  const target = (path: string, more: string) => `POST http://h/v1${path}\n${more}\n\n`;

  it('of vegeta’s targets reads their bodies, each once', async () => {
    const chat = '{"model":"m","messages":[{"role":"user","content":"a"}]}';
    const body = await written(chat, 'body.json');
    const targets = target('/chat/completions', `@${body}`).repeat(2);
    const file = await written(`${targets}${target('/chat/completions', '@/nowhere/b')}`);
    const { exit, text, warned } = await imported({ file, rate: '2/s', duration: '9s' });
    expect(exit).toBe('incomplete');
    expect(text).toContain('    prompt: a\n    weight: 2\n');
    expect(text).toContain('load: { kind: constant, rate: 2/s, duration: 9s }');
    expect(warned.join('\n')).toContain('the file of its body: /nowhere/b cannot be read: ');
    expect((await imported({ file: await written('x\n'), from: 'vegeta' })).exit).toMatch(
      /^Error: \d+\.txt: line 1: expected a method and an address/,
    );
  });

  it('of vegeta’s uploads writes them beside the scenario, under its name', async () => {
    const upload = [
      '--xx\r\nContent-Disposition: form-data; name="model"\r\n\r\nstt\r\n',
      '--xx\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF\r\n--xx--\r\n',
    ].join('');
    const body = await written(upload, 'form');
    const form = `Content-Type: multipart/form-data; boundary=xx\n@${body}`;
    const models = 'GET http://h/v1/models\n\n';
    const file = await written(target('/audio/transcriptions', form) + models, 'forms.txt');
    const given = { file, rate: '2/s', duration: '9s' };
    expect((await imported(given)).warned.join()).toContain('add --out FILE');
    const out = join(folder, 'clips.yaml');
    expect((await imported({ ...given, out })).exit).toBe('pass');
    expect(await readFile(join(folder, 'clips-a.wav'), 'utf8')).toBe('RIFF');
    const text = await readFile(out, 'utf8');
    expect(text).toContain('clips: clips-a.wav');
    expect(text).toContain('kind: models');
    await rm(out);
    expect((await imported({ ...given, out })).exit).toBe(
      `Error: ${join(folder, 'clips-a.wav')} exists already: name another file with --out FILE`,
    );
    expect(await readdir(folder)).not.toContain('clips.yaml');
  });
});
