import { describe, expect, it } from 'vitest';
import { readSettings } from './command-flags.ts';
import { type Imported, noteLine } from './imported.ts';
import { importText, readTargets } from './import-source.ts';
import { importVegeta, type VegetaAttack } from './vegeta.ts';

/** Parts of files and commands that few of them have, and what becomes of each. */

const attack: VegetaAttack = {
  rate: '1/s',
  duration: '9s',
  bodies: new Map(),
  canWriteFiles: true,
};

const scenarioOf = (imported: Imported): Readonly<Record<string, unknown>> =>
  imported.kind === 'scenario' ? imported.scenario : {};
const trafficOf = (imported: Imported): Readonly<Record<string, unknown>> =>
  (scenarioOf(imported)['traffic'] as readonly Readonly<Record<string, unknown>>[])[0]!;
const leftOf = ({ notes }: Imported): readonly string[] =>
  notes.filter(({ kind }) => kind === 'left').map(({ message }) => message);

describe('of AIPerf', () => {
  const read = (words: string) =>
    importText(
      'aiperf',
      `aiperf profile --model m --concurrency 2 --benchmark-duration 9 ${words}`,
      attack,
    );

  it.each([
    [`--extra-inputs '{"top_k":5,"stream":true}'`, { top_k: 5 }],
    [
      '--extra-inputs a:true --extra-inputs b:false --extra-inputs c:null',
      { a: true, b: false, c: null },
    ],
    ['--extra-inputs a:4 --extra-inputs b:x --extra-inputs "c: y:z"', { a: 4, b: 'x', c: 'y:z' }],
    ['--extra-inputs a:', { a: '' }],
    ['--extra-inputs stream:true', undefined],
    // What `coerce_value` of AIPerf 0.13.0 returns for each of these texts.
    ['--extra-inputs a:007,b:1e3,c:0x10', { a: '007', b: '1e3', c: '0x10' }],
    ['--extra-inputs a:0,b:-3,c:.5,d:-1.50', { a: 0, b: -3, c: 0.5, d: -1.5 }],
    ['--extra-inputs "a: True , b:NONE" c:+1', { a: true, b: null, c: '+1' }],
    [`--extra-inputs '{"a":"1"}'`, { a: '1' }],
  ])('%s are fields of the body', (words, body) => {
    const imported = read(words);
    expect(trafficOf(imported)['body']).toEqual(body);
    expect(leftOf(imported)).toEqual([]);
  });

  it('no variable is needed for a key, but for what stands beside it', () => {
    expect(leftOf(read('--header authorization:$KEY,authorization:$KEY'))).toEqual([]);
    const imported = read('--header "authorization: Bearer $KEY,x-b:$X"');
    expect(scenarioOf(imported)['headers']).toBeUndefined();
    expect(leftOf(imported).join()).toContain('only the shell knows this value');
  });

  it('headers keep their texts', () => {
    const imported = read('--header x-id:007,x-on:True --header "x-at: 1.50"');
    expect(scenarioOf(imported)['headers']).toEqual({
      'x-id': '007',
      'x-on': 'True',
      'x-at': '1.50',
    });
  });

  it('an input without a value is left out', () => {
    const imported = read('--extra-inputs wrong,{ --extra-inputs a:1');
    expect(leftOf(imported)).toEqual([
      'expected NAME:VALUE or JSON',
      'expected NAME:VALUE or JSON',
    ]);
    expect(trafficOf(imported)['body']).toEqual({ a: 1 });
  });

  it.each([
    ['--conversation-turn-mean 3', { count: 3, answer: 128 }],
    ['--conversation-turn-mean 2 --osl 40', { count: 2, answer: 40 }],
    ['--conversation-turn-mean 1', undefined],
    ['', undefined],
  ])('turns have the answers that are asked for: %s', (words, turns) => {
    const imported = read(words);
    expect(trafficOf(imported)['prompt']).toEqual({ tokens: 550, ...(turns && { turns }) });
    const notes = imported.notes.map(noteLine).join();
    expect(notes.includes('the history has generated answers')).toBe(turns !== undefined);
  });

  it('another endpoint is left out, and so is a second address', () => {
    const message = 'requests go to /chat/completions below the target';
    expect(leftOf(read('--endpoint /v1/completions'))).toEqual([message]);
    expect(leftOf(read('--endpoint /v1/chat/completions'))).toEqual([]);
    expect(leftOf(read('--endpoint v1/chat/completions'))).toEqual([]);
    const two = read('--url http://a:1,http://b:2');
    expect(leftOf(two)).toEqual([
      'only the first address is taken: write "targets" to send to several',
    ]);
    expect(scenarioOf(two)['target']).toBe('http://a:1/v1');
    expect(scenarioOf(read(''))['target']).toBe('http://localhost:8000/v1');
    expect(() => read('--url http://')).toThrow(
      'AIPerf’s --url: expected an address such as http://localhost:8000',
    );
  });

  it('a second key is left out', () => {
    const imported = read('--header "x-api-key: a" --header "api-key: b" --header "X-Api-Key: c"');
    expect(leftOf(imported)).toEqual(['a second key, in the header api-key']);
    expect(scenarioOf(imported)['auth']).toEqual({ header: 'x-api-key' });
  });

  it('a warm-up of a load of requests is left out', () => {
    const of = (words: string) =>
      importText('aiperf', `aiperf profile --model m --concurrency 2 ${words}`, attack);
    const message =
      'a load of a number of requests has no time of its own: use "closed" and "warmUp"';
    expect(leftOf(of('--request-count 9 --warmup-duration 2'))).toEqual([message]);
    expect(leftOf(of('--request-count 9 --warmup-duration 0'))).not.toContain(message);
    expect(leftOf(of('--benchmark-duration 9 --warmup-duration 2'))).toEqual([]);
  });
});

describe('of GuideLLM', () => {
  const read = (words: string, data = 'prompt_tokens=9') =>
    importText(
      'guidellm',
      `guidellm run --target http://h:8000 --model m --data ${data} ${words}`,
      attack,
    );

  it('a length that is no number is left out', () => {
    const imported = read('--max-seconds 9', 'prompt_tokens=x,output_tokens=4');
    expect(leftOf(imported)).toEqual(['its "prompt_tokens" is not a number']);
    expect(trafficOf(imported)).toMatchObject({ maxTokens: 4 });
    expect(leftOf(read('--max-seconds 9', 'prompt_tokens=-1'))).toEqual([
      'its "prompt_tokens" is not a number',
    ]);
  });

  it.each([
    ['--constraint kind=max_duration,seconds=9', '9s', []],
    ['--constraint seconds=9 --max-seconds 8', '8s', ['expected kind=…,key=value or JSON']],
    ['--constraint kind=max_duration,seconds=9,other=1', '9s', ['its "other" has no counterpart']],
  ])('a constraint bounds the load: %s', (words, duration, left) => {
    const imported = read(`--profile concurrent --rate 2 ${words}`);
    expect(scenarioOf(imported)['load']).toEqual({ kind: 'closed', users: 2, duration });
    expect(leftOf(imported)).toEqual(left);
  });

  it('overrides change the profile, and other things are left out', () => {
    const imported = read(
      '--profile concurrent --rate 2 --max-seconds 9 --override profile.streams 3,5 --override data.x 4',
    );
    expect(scenarioOf(imported)['vary']).toEqual({ 'load.users': [3, 5] });
    expect(leftOf(imported)).toEqual(['overrides "profile.rate" and "profile.streams" only']);
  });
});

it('settings are JSON, or pairs of which some are items of a list', () => {
  expect(readSettings('a=1,b=x, c = true ,d=')).toEqual({ a: 1, b: 'x', c: true, d: '' });
  expect(readSettings('a[0]=1,a[1]=2,b-c[0]=False')).toEqual({ a: [1, 2], b_c: [false] });
  expect(readSettings(' {"a":[1]} ')).toEqual({ a: [1] });
  for (const wrong of ['', 'a', 'a=1,b', '{', '[1]', '{"a"'])
    expect(readSettings(wrong)).toBeNull();
});

describe('of k6', () => {
  const read = (options: object) => importText('k6', JSON.stringify(options), attack);

  it('the time of a handshake is part of connecting', () => {
    const thresholds = { http_req_connecting: ['p(95)<10'], http_req_failed: ['rate<0.01'] };
    const imported = read({ thresholds });
    const note = 'connect has the TLS handshake, too';
    expect(imported.notes.map(({ message }) => message)).toContain(note);
    const without = read({ thresholds: { http_req_failed: ['rate<0.01'] } });
    expect(without.notes.map(({ message }) => message)).not.toContain(note);
  });

  it('a summary needs thresholds, and a load its numbers', () => {
    expect(() => read({ metrics: { http_reqs: { count: 3 } } })).toThrow(
      'the summary has no thresholds: k6 writes there those of options.thresholds',
    );
    for (const vus of ['3', -1])
      expect(() => read({ vus, duration: '9s' })).toThrow('expected a number as "vus"');
  });
});

describe('of vegeta', () => {
  const host = 'http://h:1/v1';
  const line = (path: string, body: string, type?: string): string =>
    JSON.stringify({
      method: 'POST',
      url: host + path,
      body: Buffer.from(body, 'latin1').toString('base64'),
      ...(type === undefined ? {} : { header: { 'Content-Type': [type] } }),
    });
  const read = (text: string) => importVegeta(readTargets(text), attack);
  const part = (head: string, content: string): string =>
    `--xx\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
  const formType = 'multipart/form-data; boundary="xx"';
  const form = (fields: readonly (readonly [string, string])[], file = 'filename="a b.wav"') =>
    line(
      '/audio/transcriptions',
      `${fields.map(([name, value]) => part(`name="${name}"`, value)).join('')}${part(`name=file; ${file}`, 'RIFF\xFF')}--xx--\r\n`,
      formType,
    );

  it('a form is a transcription, with its upload', () => {
    const imported = read(
      form([
        ['model', 'stt'],
        ['language', 'de'],
        ['response_format', 'verbose_json'],
        ['timestamp_granularities[]', 'word'],
        ['timestamp_granularities[]', 'segment'],
      ]),
    );
    expect(trafficOf(imported)).toEqual({
      kind: 'transcription',
      clips: 'a_b.wav',
      model: 'stt',
      language: 'de',
      format: 'verbose_json',
      granularities: ['word', 'segment'],
    });
    expect(imported.kind === 'scenario' && imported.files).toEqual([
      { name: 'a_b.wav', bytes: Buffer.from('RIFF\xFF', 'latin1') },
    ]);
    expect(imported.notes.map(({ message }) => message).join()).not.toContain('written out');
  });

  it('a form without a format has that of JSON, and its upload a name', () => {
    const imported = read(form([['model', 'stt']], 'filename=".-"'));
    expect(trafficOf(imported)).toEqual({
      kind: 'transcription',
      clips: 'clip.wav',
      model: 'stt',
      format: 'json',
    });
    expect(imported.notes.map(({ message }) => message)).toContain(
      'response_format: json is written out',
    );
  });

  const noForm = 'the body is not a form (multipart/form-data) with a "file"';
  const otherFields =
    'the fields of the form are model, language, response_format and timestamp_granularities[]';
  const chat = { model: 'm', messages: [{ role: 'user', content: 'a' }] };
  it.each([
    [line('/audio/transcriptions', 'RIFF', 'audio/wav'), noForm],
    [line('/audio/transcriptions', 'RIFF', 'multipart/form-data'), noForm],
    [line('/audio/transcriptions', 'RIFF', formType), noForm],
    [line('/audio/transcriptions', `${part('name="model"', 'm')}--xx--`, formType), noForm],
    [form([]), otherFields],
    [form([['model', '']]), otherFields],
    [
      form([
        ['model', 'stt'],
        ['prompt', 'x'],
      ]),
      otherFields,
    ],
    [
      form([
        ['model', 'stt'],
        ['response_format', 'other'],
      ]),
      otherFields,
    ],
    [line('/chat/completions', '[]'), 'the body is not JSON with a "model"'],
    [
      line('/chat/completions', JSON.stringify({ ...chat, model: '' })),
      'the body is not JSON with a "model"',
    ],
    [
      line('/chat/completions', JSON.stringify({ ...chat, messages: [] })),
      'messages have roles system, user or assistant, and text, images or audio as content',
    ],
    [
      line('/audio/speech', '{"model":"m","input":""}'),
      'the body is not JSON with "model" and "input"',
    ],
    [
      line('/audio/speech', '{"model":"m","input":"a","response_format":"x"}'),
      /^no target can be taken over: audio formats are mp3, .*wav/,
    ],
  ])('what cannot be taken over is named: %#', (text, problem) => {
    expect(() => read(text)).toThrow(problem);
  });

  it.each([
    '{"method":"GET","url":"http://h","body":1}',
    '{"method":"GET","url":"http://h","header":[]}',
  ])('a target has a text as its body, and headers by name: %s', (text) => {
    expect(() => read(text)).toThrow(
      'line 1: expected a "body" in base64 and "header" with lists of values',
    );
  });

  it('a number of a chat becomes a field of the scenario within its bounds, and a field of the body beyond', () => {
    const of = (fields: object) =>
      trafficOf(read(line('/chat/completions', JSON.stringify({ ...chat, ...fields }))));
    const plain = { kind: 'chat', model: 'm', prompt: 'a' };
    expect(of({ max_tokens: 1, temperature: 0, top_p: 1 })).toEqual({
      ...plain,
      maxTokens: 1,
      temperature: 0,
      topP: 1,
    });
    expect(of({ max_tokens: 10_000_000, temperature: 2, top_p: 0 })).toEqual({
      ...plain,
      maxTokens: 10_000_000,
      temperature: 2,
      topP: 0,
    });
    const beyond = { max_tokens: 0, temperature: 2.1, top_p: 1.1 };
    expect(of(beyond)).toEqual({ ...plain, body: beyond });
    expect(of({ max_tokens: 1.5, temperature: -1, n: 2 })).toEqual({
      ...plain,
      body: { max_tokens: 1.5, temperature: -1, n: 2 },
    });
    expect(of({ max_tokens: 10_000_001 })).toEqual({ ...plain, body: { max_tokens: 10_000_001 } });
  });
});
