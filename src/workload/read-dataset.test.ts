import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MediaFile, ReadResult } from '../model/workload/workload.ts';
import { parseCsv } from './dataset-formats.ts';
import { readDataset } from './read-dataset.ts';

const newSha256 = () => createHash('sha256');

const mediaFiles: Readonly<Record<string, MediaFile>> = {
  'file:a.png': { kind: 'image', contentType: 'image/png', format: 'png', base64: 'QUI=' },
  'bundled:b.mp3': { kind: 'audio', contentType: 'audio/mpeg', format: 'mp3', base64: 'QkI=' },
};
const media = (reference: string): ReadResult<MediaFile> =>
  mediaFiles[reference] === undefined
    ? { ok: false, problem: `${reference} is missing` }
    : { ok: true, value: mediaFiles[reference] };

const read = (file: string, text: string) => {
  const found = readDataset(file, [Buffer.from(text)], media, newSha256);
  return found.ok ? found.value.entries : found.problem;
};
const asked = (content: string, maxTokens: number | null = null) => ({
  messages: [{ role: 'user', content }],
  maxTokens,
});

describe('a table of comma-separated values', () => {
  it('is read back as written, with the line of each record', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r\n', ' ', 'ü') });
    const quoted = (text: string): string =>
      /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1 });
    fc.assert(
      fc.property(rows, fc.constantFrom('\n', '\r\n'), fc.boolean(), (table, end, closed) => {
        const lines = table.map((row) => row.map(quoted).join(','));
        const records = parseCsv(lines.join(end) + (closed ? end : ''));
        if (typeof records === 'string') throw new Error(records);
        expect(records.map(({ cells }) => cells)).toEqual(table);
        const begins = lines.map(
          (_, i) => lines.slice(0, i).join(end).split('\n').length + (i > 0 ? 1 : 0),
        );
        expect(records.map(({ line }) => line)).toEqual(begins);
      }),
      { numRuns: 200 },
    );
  });

  it('is an error with its line if a quote is not closed, at once even if it is long', () => {
    expect(parseCsv(`a,b\n"${'x'.repeat(1_000_000)}`)).toMatch(
      /^2: expected a cell with closed quotes/,
    );
    expect(parseCsv('a,b\nc"d,e')).toMatch(/^2: /);
  });
});

describe('what a file of prompts drops', () => {
  const factsOf = (file: string, text: string) => {
    const found = readDataset(file, [Buffer.from(text)], media, newSha256);
    return found.ok ? found.value.facts.dropped : found.problem;
  };

  it('is its conversations without a question, and all turns but the first question', () => {
    const whole = {
      conversations: [
        { from: 'system', value: 's' },
        { from: 'human', value: 'q' },
      ],
    };
    const other = { conversations: [{ from: 'gpt', value: 'a' }] };
    const image = { type: 'image_url', image_url: { url: 'x' } };
    const parts = { conversations: [{ role: 'user', content: [{ text: 'q' }, image] }] };
    expect(factsOf('a.json', JSON.stringify([whole, other, whole, parts]))).toEqual({
      rows: 2,
      firstRow: 'entry 2',
      turns: 2,
      fields: {},
    });
  });

  it('is the fields that are not sent, of rows and of columns', () => {
    const lines = '{"prompt":"a","temperature":1}\n{"prompt":"b","temperature":0,"id":7}';
    const none = { rows: 0, firstRow: null, turns: 0 };
    expect(factsOf('a.jsonl', lines)).toEqual({ ...none, fields: { temperature: 2, id: 1 } });
    const table = 'id,prompt,note\n1,a,\n2,b,x\n';
    expect(factsOf('a.csv', table)).toEqual({ ...none, fields: { id: 2, note: 1 } });
  });

  it('is what the conversations of ShareGPT say beside their turns', () => {
    const conversations = [{ from: 'human', value: 'q' }];
    const said = { id: '7', conversations, system: 'Be terse.', tools: '[{}]' };
    const empty = { conversations, system: '', tools: [], images: null };
    const fields = { system: 1, tools: 1, images: 1 };
    const found = factsOf(
      'a.json',
      JSON.stringify([said, empty, { conversations, images: ['x'] }]),
    );
    expect(found).toMatchObject({ fields, turns: 0 });
    const lines = `${JSON.stringify(said)}\n${JSON.stringify({ conversations, system: 's' })}`;
    expect(factsOf('a.jsonl', lines)).toMatchObject({ fields: { system: 2, tools: 1 } });
  });

  it('is a conversation beside a prompt, which is sent with what it asks for', () => {
    const row = { prompt: 'p', max_tokens: 5, conversations: [{ from: 'human', value: 'q' }] };
    const lines = `${JSON.stringify(row)}\n${JSON.stringify({ prompt: 'r', conversations: null })}`;
    const found = readDataset('a.jsonl', [Buffer.from(lines)], media, newSha256);
    expect(found.ok && found.value.entries).toMatchObject([
      { messages: [{ content: 'p' }], maxTokens: 5 },
      { messages: [{ content: 'r' }] },
    ]);
    expect(factsOf('a.jsonl', lines)).toMatchObject({ fields: { conversations: 2 } });
  });

  it('names ten fields at most', () => {
    const line = JSON.stringify({
      prompt: 'a',
      ...Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`f${n}`, n])),
    });
    const dropped = factsOf('a.jsonl', line);
    const fields = typeof dropped === 'object' ? dropped.fields : {};
    expect(Object.keys(fields)).toHaveLength(11);
    expect(fields['others']).toBe(20);
  });

  it('is absent if all of it is sent', () => {
    expect(factsOf('a.jsonl', '\n{"prompt":"a","max_tokens":5}\n')).toBeUndefined();
    expect(factsOf('a.csv', 'prompt,max_tokens\na,5\n')).toBeUndefined();
  });
});

describe('a row of a file of prompts', () => {
  it('may have its own fields of the body and its own headers', () => {
    const row = {
      prompt: 'a',
      body: { top_k: 5, user: '${uuid}' },
      headers: { 'X-Team': '${index}' },
    };
    const own = { body: row.body, headers: { 'x-team': '${index}' } };
    expect(read('p.jsonl', JSON.stringify(row))).toEqual([{ ...asked('a'), own }]);
    const csv = 'prompt,body,headers\na,"{""top_k"":5}",\nb,,\n';
    const first = { ...asked('a'), own: { body: { top_k: 5 }, headers: {} } };
    expect(read('p.csv', csv)).toEqual([first, asked('b')]);
  });

  it.each([
    [{ body: [1] }, 'expected a JSON object of request fields as "body"'],
    [{ headers: 'x' }, 'expected a JSON object of texts as "headers"'],
    [{ headers: { 'a b': 'c' } }, 'expected valid names of headers in "headers"'],
    [{ headers: { a: 'b\nc' } }, 'expected text without line breaks as the header "a"'],
    [{ headers: { a: 1 } }, 'expected text without line breaks as the header "a"'],
    [{ headers: { Host: 'a' } }, 'Weir sets the header "host" itself'],
    [{ headers: { Authorization: 'a' } }, 'Weir sets the header "authorization" itself'],
    [{ body: { model: 'm' } }, 'Weir sets the request field "model" itself'],
    [
      { body: { a: { b: ['${guid}'] } } },
      '${guid} is unknown: expected ${uuid} or ${index}; write $${ for a literal ${',
    ],
    [
      { headers: { a: '${env:KEY}' } },
      '${env:KEY} is unknown: expected ${uuid} or ${index}; write $${ for a literal ${',
    ],
  ])('is refused with %j', (more, problem) => {
    const text = `{"prompt":"a"}\n${JSON.stringify({ prompt: 'a', ...more })}`;
    expect(read('p.jsonl', text)).toBe(`p.jsonl:2: ${problem}`);
  });
});

describe('a file of prompts', () => {
  it('may have messages of several parts, with the files that they name', () => {
    const line = (url: string): string =>
      JSON.stringify({
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'a' },
              { type: 'image_url', image_url: { url } },
            ],
          },
        ],
      });
    expect(read('p.jsonl', line('file:a.png'))).toMatchObject([
      { messages: [{ content: [{}, { image_url: { url: 'data:image/png;base64,QUI=' } }] }] },
    ]);
    expect(read('p.jsonl', line('https://g.example/a.png'))).toMatchObject([
      { messages: [{ content: [{}, { image_url: { url: 'https://g.example/a.png' } }] }] },
    ]);
    expect(read('p.jsonl', `\n${line('file:b.png')}`)).toBe('p.jsonl:2: file:b.png is missing');
    expect(read('p.jsonl', line('b.png'))).toMatch(/^p.jsonl:1: expected bundled:NAME, file:PATH/);
  });

  it('may leave out the format of a recording that it names, as a scenario may', () => {
    const line = (audio: object): string =>
      JSON.stringify({
        messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: audio }] }],
      });
    expect(read('p.jsonl', line({ data: 'bundled:b.mp3' }))).toMatchObject([
      { messages: [{ content: [{ input_audio: { data: 'QkI=', format: 'mp3' } }] }] },
    ]);
    expect(read('p.jsonl', line({ data: 'QkI=' }))).toMatch(/^p.jsonl:1: base64 needs "format"/);
  });

  it('in JSON lines has prompts or messages, and an optional maximum of tokens', () => {
    const text = `{"prompt": "one", "max_tokens": 5, "other": 1}\r\n\n{"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "two"}]}\n`;
    expect(read('p.jsonl', text)).toEqual([
      asked('one', 5),
      {
        messages: [
          { role: 'system', content: 's' },
          { role: 'user', content: 'two' },
        ],
        maxTokens: null,
      },
    ]);
  });

  it('may ask for one token', () => {
    expect(read('p.jsonl', '{"prompt":"a","max_tokens":1}')).toEqual([asked('a', 1)]);
  });

  it('in CSV has a header, whose names select the columns', () => {
    const text = 'id,max_tokens,Prompt\n1,7,"one, and\n""two"""\n2,,three\n';
    expect(read('p.CSV', text)).toEqual([asked('one, and\n"two"', 7), asked('three')]);
  });

  it('in ShareGPT format gives the first human message of each conversation', () => {
    const turns = (...said: readonly [string, string][]) => ({
      id: 'x',
      conversations: said.map(([from, value]) => ({ from, value })),
    });
    const list = [
      turns(['human', 'one'], ['gpt', 'answer'], ['human', 'more']),
      turns(['gpt', 'answer only']),
      turns(['system', 's'], ['user', 'two']),
    ];
    expect(read('sharegpt.json', JSON.stringify(list))).toEqual([asked('one'), asked('two')]);
  });

  it('in ShareGPT format may have the roles and contents of OpenAI', () => {
    const list = [
      { conversations: [{ from: 'human', value: 'one' }] },
      {
        conversations: [
          { role: 'system', content: 's' },
          { role: 'user', content: 'two' },
        ],
      },
      { conversations: [{ from: 'user', content: 'three' }] },
      { conversations: [{ from: null, role: 'user', value: null, content: 'four' }] },
      { conversations: [] },
    ];
    const prompts = ['one', 'two', 'three', 'four'].map((text) => asked(text));
    expect(read('mix.json', JSON.stringify(list))).toEqual(prompts);
  });

  it.each([
    ['from and text', { from: 'human', text: 'one' }],
    ['speaker and text', { speaker: 'human', text: 'one' }],
    ['author and content', { author: 'User', content: 'one' }],
    ['a colon', { role: 'USER:', value: 'one' }],
  ])('in ShareGPT format may have turns with %s', (_, turn) => {
    expect(read('a.json', JSON.stringify([{ conversations: [turn] }]))).toEqual([asked('one')]);
  });

  it.each([
    ['a list of turns', [{ from: 'human', value: 'one' }]],
    ['a text', 'one'],
    ['an object with a prompt', { prompt: 'one' }],
    ['parts of text', { messages: [{ role: 'user', content: [{ type: 'text', text: 'one' }] }] }],
    [
      'a first question without a text',
      {
        items: [
          { from: 'human', value: '' },
          { from: 'human', value: 'one' },
        ],
      },
    ],
  ])('in ShareGPT format may have entries that are %s', (_, entry) => {
    expect(read('a.json', JSON.stringify([entry]))).toEqual([asked('one')]);
  });

  it('in JSON lines may have a conversation of ShareGPT in each', () => {
    const lines = ['human', 'gpt'].map((from) =>
      JSON.stringify({ id: 1, conversations: [{ from, value: 'one' }] }),
    );
    const found = readDataset('a.jsonl', [Buffer.from(lines.join('\n'))], media, newSha256);
    expect(found.ok && found.value.entries).toEqual([asked('one')]);
    expect(found.ok && found.value.facts.dropped).toMatchObject({ rows: 1, firstRow: 'line 2' });
    expect(read('a.jsonl', '{"conversations":"x"}')).toContain(
      'a.jsonl:1: expected "conversations"',
    );
  });

  it.each([
    ['in capitals', { from: 'Human' }, { from: 'GPT' }],
    ['all in capitals', { from: 'HUMAN' }, { from: 'CHATGPT' }],
    ['in capitals, as OpenAI names them', { role: 'User' }, { role: 'ASSISTANT' }],
    ['between blanks', { from: ' human ' }, { from: 'gpt' }],
    ['of Open Assistant', { role: 'prompter' }, { role: 'assistant' }],
  ])('in ShareGPT format may have roles %s', (_, human, other) => {
    const list = ['conversations', 'conversation', 'messages', 'items'].map((name) => ({
      [name]: [
        { ...other, value: 'What may I do?' },
        { ...human, value: name },
        { ...other, value: 'Yes.' },
      ],
    }));
    const prompts = ['conversations', 'conversation', 'messages', 'items'].map((name) =>
      asked(name),
    );
    expect(read('odd.json', JSON.stringify(list))).toEqual(prompts);
  });

  it('in ShareGPT format counts the conversations without a question, whatever their roles are', () => {
    const list = [
      {
        conversations: [
          { from: 'Human', value: 'one' },
          { from: 'GPT', value: 'y' },
        ],
      },
      { conversations: [{ from: 'GPT', value: 'y' }] },
      { conversations: [{ from: 7, value: 'y' }, { value: 'y' }] },
      { conversations: [{ from: 'HUMAN', value: ['y'] }] },
    ];
    const found = readDataset('odd.json', [Buffer.from(JSON.stringify(list))], media, newSha256);
    expect(found.ok && found.value.facts.dropped).toMatchObject({
      rows: 3,
      firstRow: 'entry 2',
      turns: 1,
    });
  });

  it.each([
    ['p.txt', 'x', 'p.txt: expected a file of prompts that ends in .jsonl'],
    ['p.jsonl', '', 'p.jsonl: expected at least one prompt'],
    ['p.jsonl', '{"prompt":"a"}\n{"prompt":', 'p.jsonl:2: expected a JSON object'],
    ['p.jsonl', '{"prompt":""}', 'p.jsonl:1: expected text as "prompt"'],
    ['p.jsonl', '{"prompt":"a","messages":[]}', 'p.jsonl:1: expected either'],
    [
      'p.jsonl',
      '\n{"messages":[{"role":"robot","content":"a"}]}',
      'p.jsonl:2: expected "messages"',
    ],
    ['p.jsonl', '{"prompt":"a","max_tokens":0}', 'p.jsonl:1: expected a whole number from 1'],
    [
      'p.jsonl',
      '{"prompt":"a","body":{"a":{"seed":9007199254740993}}}',
      'p.jsonl:1: the number "a.seed" cannot be sent as it is',
    ],
    ['p.csv', 'text\na\n', 'p.csv:1: expected a header with a column "prompt"'],
    ['p.csv', 'prompt,max_tokens\n"a\nb",5\nc,many\n', 'p.csv:4: expected a whole number from 1'],
    ['p.csv', 'n,prompt\n1\n', 'p.csv:2: expected text in the column'],
    ['p.csv', 'prompt,Prompt\na,b\n', 'p.csv:1: expected one column "prompt", found several'],
    ['p.json', '{"a":1}', 'p.json:1: expected a JSON list'],
    ['p.json', '[{"conversations":[]},{}]', 'p.json:1: entry 2: expected "conversations"'],
  ])('with %s of %j is reported with its line', (file, text, words) => {
    expect(read(file, text)).toContain(words);
  });

  it.each([
    ['Latin-1', Buffer.from('prompt\né\n', 'latin1'), 'some of its bytes are not UTF-8'],
    ['UTF-16 without a mark', Buffer.from('prompt\na\n', 'utf16le'), 'it is encoded in UTF-16'],
    ['UTF-16', Buffer.from('\ufeffprompt\na\n', 'utf16le'), 'it is encoded in UTF-16'],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0]), 'it is compressed with gzip'],
  ])('in %s is refused, since its texts would be others', (_, bytes, words) => {
    const found = readDataset('p.csv', [bytes], media, newSha256);
    expect(found).toMatchObject({ ok: false, problem: expect.stringContaining(words) });
  });

  it('in the form of OpenAI’s batches has the messages and fields of each body', () => {
    const messages = [{ role: 'user', content: 'a' }];
    const body = { model: 'other', stream: true, messages, max_tokens: 5, temperature: 0 };
    const row = { custom_id: '1', method: 'POST', url: '/v1/chat/completions', body };
    const found = readDataset('b.jsonl', [Buffer.from(JSON.stringify(row))], media, newSha256);
    expect(found.ok && found.value.entries).toEqual([
      { messages, maxTokens: 5, own: { body: { temperature: 0 }, headers: {} } },
    ]);
    expect(found.ok && found.value.facts.dropped?.fields).toEqual({
      custom_id: 1,
      method: 1,
      url: 1,
      model: 1,
    });
  });

  it('has facts that identify its content without revealing it', () => {
    const found = readDataset(
      'p.jsonl',
      [Buffer.from('{"prompt":'), Buffer.from('"a"}\n')],
      media,
      newSha256,
    );
    expect(found).toMatchObject({
      ok: true,
      value: {
        facts: {
          prompts: 1,
          // Computed by sha256sum.
          sha256: 'd58848abfa8d5c3e7eb0e57acde0449d54e48f69e6204a6db3208a1b78a1eaa9',
        },
      },
    });
  });
});
