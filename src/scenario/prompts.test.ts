import { describe, expect, it } from 'vitest';
import { planSchema } from '../model/plan/plan.ts';
import { withoutPrompts } from '../model/plan/without-prompts.ts';
import { sampleTraceLoad } from '../model/workload/sample-trace.fixture.ts';
import type { MediaFile, WorkloadFiles } from '../model/workload/workload.ts';
import { milliseconds } from '../model/quantity.ts';
import { problemsText } from './text/scenario-problem.ts';
import { readScenario } from './read-scenario.ts';

const sha256 = 'a'.repeat(64);

const media: Readonly<Record<string, MediaFile>> = {
  'file:a.png': { kind: 'image', contentType: 'image/png', format: 'png', base64: 'QUI=' },
  'bundled:b.mp3': { kind: 'audio', contentType: 'audio/mpeg', format: 'mp3', base64: 'QkI=' },
};

/** Ten minutes of requests whose times in whole seconds were read as milliseconds. */
const wholeSeconds = {
  ...sampleTraceLoad.facts,
  requests: 300,
  duration: milliseconds(595),
  busiestMinute: { requests: 300, tokens: 33_000 },
};

const workload: WorkloadFiles = {
  media: (reference) =>
    media[reference] === undefined
      ? { ok: false, problem: `${reference} is missing` }
      : { ok: true, value: media[reference] },
  prices: () => ({ ok: false, problem: 'no prices are named here' }),
  findings: () => ({ ok: false, problem: 'no findings are named here' }),
  text: () => ({ ok: false, problem: 'no text is named here' }),
  dataset: (file) =>
    file === 'p.jsonl'
      ? { ok: true, value: { sha256, prompts: 12 } }
      : { ok: false, problem: `${file}:3: expected text as "prompt"` },
  tokenizer: (name) =>
    name === 'odd.json'
      ? { ok: false, problem: `${name}: no prompts of exact length can be made` }
      : { ok: true, value: { name, sha256, words: 4000 } },
  trace: ({ file }) => {
    const traces = { 'short.jsonl': sampleTraceLoad.facts, 'seconds.jsonl': wholeSeconds };
    const value = traces[file as keyof typeof traces];
    return value === undefined
      ? { ok: false, problem: `${file}:1: expected a trace` }
      : { ok: true, value };
  },
};

const steady = '{kind: constant, rate: 1/s, duration: 10s}';
const read = (entry: string, load = steady, more = '') =>
  readScenario({
    text: `traffic:\n  - {kind: chat, model: m, ${entry}}\nload: ${load}\n${more}`,
    name: 'f.yaml',
    environment: {},
    workload,
  });

const planOf = (entry: string, load = steady) => {
  const reading = read(entry, load);
  if (!reading.ok) throw new Error(problemsText(reading.problems, 'f.yaml'));
  expect(planSchema.parse(reading.plan)).toEqual(reading.plan);
  return reading.plan.stages[0]!;
};
const entryOf = (entry: string, load?: string) => planOf(entry, load).traffic[0];

const problems = (entry: string, load?: string, more?: string): string => {
  const reading = read(entry, load, more);
  return reading.ok ? 'none' : problemsText(reading.problems, 'f.yaml');
};

describe('a prompt', () => {
  it('of exact length has a number of tokens, and by default shares no prefix', () => {
    expect(entryOf('prompt: {tokens: 500}, system: s')).toMatchObject({
      conversations: {
        kind: 'synthetic',
        system: 's',
        tokens: 500,
        turns: null,
        prefix: null,
        cache: 'avoid',
      },
    });
  });

  it('may draw its length, share prefixes and use the cache', () => {
    const tokens = '{kind: lognormal, median: 300, sigma: 0.8}';
    const entry = `prompt: {tokens: ${tokens}, prefix: {tokens: 64}, cache: invite}`;
    expect(entryOf(entry)).toMatchObject({
      conversations: {
        tokens: { kind: 'lognormal', median: 300, sigma: 0.8, min: 1, max: 1_000_000 },
        prefix: { tokens: 64, pool: 1 },
        cache: 'invite',
      },
    });
  });

  it('may be one question of a conversation', () => {
    expect(entryOf('prompt: {tokens: 50, turns: {count: 4, answer: 150}}')).toMatchObject({
      conversations: { tokens: 50, turns: { count: 4, answer: 150 } },
    });
  });

  it('may come from a file, of which the plan has only a description and a hash', () => {
    expect(entryOf('prompt: {file: p.jsonl}')).toMatchObject({
      conversations: { kind: 'dataset', system: null, file: 'p.jsonl', sha256, prompts: 12 },
    });
  });

  it('may still be plain text', () => {
    expect(entryOf('prompt: a')).toMatchObject({
      conversations: [[{ role: 'user', content: 'a' }]],
    });
  });
});

describe('content parts', () => {
  const parts =
    '[{type: text, text: a}, {type: image_url, image_url: {url: "file:a.png", detail: low}}, {type: input_audio, input_audio: {data: "bundled:b.mp3"}}]';
  const compiled = [
    { type: 'text', text: 'a' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,QUI=', detail: 'low' } },
    { type: 'input_audio', input_audio: { data: 'QkI=', format: 'mp3' } },
  ];

  it.each([
    ['prompt', `prompt: ${parts}`],
    ['prompts', `prompts: [${parts}]`],
    ['messages', `messages: [{role: user, content: ${parts}}]`],
    ['conversations', `conversations: [[{role: user, content: ${parts}}]]`],
  ])('may be the content of %s, with files as data', (_, entry) => {
    expect(entryOf(entry)).toMatchObject({
      conversations: [[{ role: 'user', content: compiled }]],
    });
  });

  it('may hold data or an address themselves', () => {
    const own =
      '[{type: image_url, image_url: {url: "https://g.example/a.png"}}, {type: image_url, image_url: {url: "data:image/png;base64,QQ=="}}, {type: input_audio, input_audio: {data: QQ==, format: wav}}]';
    expect(entryOf(`prompt: ${own}`)).toMatchObject({
      conversations: [
        [
          {
            content: [
              { image_url: { url: 'https://g.example/a.png' } },
              { image_url: { url: 'data:image/png;base64,QQ==' } },
              { input_audio: { data: 'QQ==', format: 'wav' } },
            ],
          },
        ],
      ],
    });
  });

  it('are left out of results', () => {
    const reading = read(`prompt: ${parts}`);
    if (!reading.ok) throw new Error('it is valid');
    const shown = JSON.stringify(withoutPrompts(reading.plan));
    expect(planSchema.safeParse(JSON.parse(shown)).success).toBe(true);
    expect(shown).not.toMatch(/QUI=|QkI=/);
    expect(shown).toContain('[26 characters]');
  });

  it('are reported with their place if they cannot be sent', () => {
    const entries = [
      'prompt: []',
      'prompt: [a]',
      'prompt: [5]',
      'prompt: [{type: image, text: a}]',
      'prompt: [{text: a}]',
      'prompt: [{type: text, txt: a}]',
      'prompt: [{type: image_url, image_url: "file:a.png"}]',
      'prompt: [{type: image_url, image_url: {url: a.png}}]',
      'prompt: [{type: image_url, image_url: {url: "file:c.png"}}]',
      'prompts: [a, [{type: image_url, image_url: {url: "bundled:b.mp3"}}]]',
      'messages: [{role: user, content: [{type: input_audio, input_audio: {data: "file:a.png"}}]}]',
      'conversations: [[{role: user, content: [{type: input_audio, input_audio: {data: QQ==}}]}]]',
      'prompt: [{type: input_audio, input_audio: {data: "gate.wav"}}]',
      'messages: [{role: user, content: 5}]',
    ];
    expect(entries.map((entry) => problems(entry)).join('\n')).toMatchInlineSnapshot(`
      "f.yaml:2:36: expected at least one content part
      f.yaml:2:37: expected a content part with a "type", for example {type: text, text: Hello}, got "a"; several prompts, of which each request takes one, are "prompts"
      f.yaml:2:37: expected a content part with a "type", for example {type: text, text: Hello}, got the number 5
      f.yaml:2:44: expected "text", "image_url" or "input_audio", got "image"
      f.yaml:2:37: "type" is missing: expected "text", "image_url" or "input_audio"
      f.yaml:2:50: unknown key "txt"; did you mean "text"?
      f.yaml:2:66: expected a mapping such as {url: "bundled:gauge.png"}, got "file:a.png"
      f.yaml:2:72: expected bundled:NAME, file:PATH, a data: URL, or an http or https address
      f.yaml:2:72: file:c.png is missing
      f.yaml:2:77: bundled:b.mp3 is audio/mpeg; expected an image
      f.yaml:2:102: file:a.png is image/png; expected audio
      f.yaml:2:108: base64 needs "format" beside "data", for example format: wav
      f.yaml:2:77: expected bundled:NAME, file:PATH, or base64
      f.yaml:2:61: expected text, or a list of content parts, got the number 5"
    `);
  });
});

describe('the maximum tokens of an answer', () => {
  it('may be drawn from a distribution', () => {
    const empirical = '{kind: empirical, values: [5, 50], weights: [9, 1]}';
    expect(entryOf(`maxTokens: ${empirical}`)).toMatchObject({
      maxTokens: { kind: 'empirical', values: [5, 50], weights: [9, 1] },
    });
  });
});

describe('a trace', () => {
  const load = '{kind: trace, file: short.jsonl, speed: 2, maxInputTokens: 700}';

  it('is a load with the content of its file, and gives the prompts of chats that have none', () => {
    const { load: compiled, traffic } = planOf('weight: 1, system: s', load);
    expect(compiled).toEqual(sampleTraceLoad);
    expect(traffic).toMatchObject([{ conversations: { kind: 'trace', system: 's' } }]);
    expect(entryOf('prompt: a', load)).toMatchObject({ conversations: [[{ content: 'a' }]] });
  });

  it('that needs more than ten times the declared limits raises the question of its unit', () => {
    const findings = (limits: string, unit = '') => {
      const found = read(
        'weight: 1',
        `{kind: trace, file: short.jsonl${unit}}`,
        `limits: {requestsPerMinute: none, tokensPerMinute: ${limits}}\n`,
      );
      return found.ok ? 'none' : JSON.stringify(found);
    };
    expect(findings('100')).toMatch(/13 times the declared limits .* milliseconds.*which unit/);
    expect(findings('100', ', unit: ms')).toBe('none');
    expect(findings('131')).toBe('none');
    expect(findings('none')).toBe('none');
  });

  it('that is shorter than a minute raises it by its rate', () => {
    const findings = (unit: string, requests: number | string) =>
      problems(
        'weight: 1',
        `{kind: trace, file: seconds.jsonl${unit}}`,
        `limits: {requestsPerMinute: ${requests}, tokensPerMinute: none}\n`,
      );
    expect(findings('', 60)).toMatch(/its rate is 504 times .* milliseconds; which unit/);
    expect(findings(', unit: ms', 60)).toBe('none');
    expect(findings('', 3030)).toBe('none');
    expect(findings('', 'none')).toBe('none');
  });

  it('keeps the part of it that the scenario selects', () => {
    const cut = '{kind: trace, file: short.jsonl, from: 10s, until: 1m, maxOutputTokens: 9}';
    expect(planOf('weight: 1', cut).load).toMatchObject({
      speed: 1,
      from: 10_000,
      until: 60_000,
      maxInputTokens: null,
      maxOutputTokens: 9,
    });
  });
});

describe('a pace for tokens', () => {
  const pace = 'pace: {}\n';
  const trace = '{kind: trace, file: short.jsonl}';

  it('reserves the maximum of a distribution or a trace, and needs a limit otherwise', () => {
    expect(problems('maxTokens: {kind: uniform, min: 1, max: 9}', steady, pace)).toBe('none');
    expect(problems('weight: 1', trace, pace)).toBe('none');
    const missing = '"maxTokens" is missing: a pace for tokens';
    expect(problems('prompt: a', trace, pace)).toContain(missing);
    expect(problems('prompt: {file: p.jsonl}', steady, pace)).toContain(missing);
  });
});

describe('errors in prompts and traces', () => {
  it.each(['o200k_bas', 'gpt-4o', 'my model'])('name a wrong tokenizer (%s) once', (tokenizer) => {
    const wrong = `name: f\ntraffic:\n  - {kind: chat, model: m, prompt: {tokens: 9, tokenizer: ${tokenizer}}}\nload: ${steady}\n`;
    const looked: string[] = [];
    const files: WorkloadFiles = {
      ...workload,
      tokenizer: (name) => {
        looked.push(name);
        return { ok: false, problem: 'the package gpt-tokenizer is not installed' };
      },
    };
    const reading = readScenario({ text: wrong, name: 'f', environment: {}, workload: files });
    expect(reading.ok ? [] : reading.problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('one of o200k_base, '),
    ]);
    expect(looked).toEqual([]);
  });

  it('are reported with their place and what to do', () => {
    const entries = [
      'prompt: 5',
      'prompt: {}',
      'prompt: {tokens: 0}',
      'prompt: {tokns: 5}',
      'prompt: {tokens: 5, file: p.jsonl}',
      'prompt: {file: p.jsonl, prefix: {tokens: 5}}',
      'prompt: {file: other.jsonl}',
      'prompt: {tokens: {kind: lognorml, median: 5}}',
      'prompt: {tokens: {kind: uniform, min: 9, max: 3}}',
      'prompt: {tokens: 5}, prompts: [a]',
      'maxTokens: {kind: empirical, values: [1, 2], weights: [3]}',
    ];
    expect(entries.map((entry) => problems(entry)).join('\n')).toMatchInlineSnapshot(`
      "f.yaml:2:36: expected text, or a mapping such as {tokens: 500} or {file: prompts.jsonl}, or a list of content parts, got the number 5
      f.yaml:2:28: expected "tokens" for generated prompts, or "file" for prompts from a file; for example {tokens: 500} or {file: prompts.jsonl}
      f.yaml:2:45: expected a whole number from 1 to 10,000,000, got the number 0
      f.yaml:2:28: expected "tokens" for generated prompts, or "file" for prompts from a file; for example {tokens: 500} or {file: prompts.jsonl}
      f.yaml:2:37: unknown key "tokns"; did you mean "tokens"?
      f.yaml:2:37: "tokens" is for generated prompts, and "file" names a file of prompts; keep one of them
      f.yaml:2:52: "prefix" is for generated prompts, and "file" names a file of prompts; keep one of them
      f.yaml:2:43: other.jsonl:3: expected text as "prompt"
      f.yaml:2:37: "sigma" is missing: expected a number from 0 to 10
      f.yaml:2:52: expected "uniform", "normal", "lognormal" or "empirical", got "lognorml"; did you mean "lognormal"?
      f.yaml:2:66: expected at most "max" (3), got the number 9
      f.yaml:2:49: "prompt" already says what to ask; keep one of them
      f.yaml:2:82: expected as many weights as values (2); there are 1"
    `);
  });

  it('are names of files in place of a text, which would be sent as they are', () => {
    const entries = [
      'prompt: prompts.jsonl',
      'prompt: data/p.CSV',
      'prompt: notes.txt',
      'prompts: [Hello, p.json]',
      'system: rules.txt',
    ];
    expect(entries.map((entry) => problems(entry)).join('\n')).toMatchInlineSnapshot(`
      "f.yaml:2:36: the name of a file, "prompts.jsonl", would be sent as the text itself; write prompt: {file: prompts.jsonl}
      f.yaml:2:36: the name of a file, "data/p.CSV", would be sent as the text itself; write prompt: {file: data/p.CSV}
      f.yaml:2:36: the name of a file, "notes.txt", would be sent as the text itself; write prompt: {file: prompts.jsonl}, a file with a line {"prompt": "…"} for each prompt
      f.yaml:2:45: the name of a file, "p.json", would be sent as the text itself; write prompt: {file: p.json}
      f.yaml:2:36: the name of a file, "rules.txt", would be sent as the text itself; put here what the file says"
    `);
    for (const text of ['Read notes.txt', 'https://host/a.txt', 'README.md', 'a. txt'])
      expect(problems(`prompt: "${text}"`)).toBe('none');
  });

  it('are also reported for loads, and those in a trace file with its line', () => {
    const loads = [
      '{kind: trace}',
      '{kind: trace, file: other.csv}',
      '{kind: trace, file: short.jsonl, speed: 0, from: 1m, until: 10s}',
      '{kind: gamma, rate: 1/s, duration: 9s, shape: 0}',
      '{kind: ramping, steps: [{to: 1/s, over: 9s}], spacing: {gama: 1}}',
      '{kind: ramping, steps: [{to: 1/s, over: 9s}], spacing: random}',
    ];
    expect(loads.map((load) => problems('weight: 1', load)).join('\n')).toMatchInlineSnapshot(`
      "f.yaml:3:1: "file" is missing: expected text
      f.yaml:3:27: other.csv:1: expected a trace
      f.yaml:3:47: expected a number above 0 and at most 1,000,000, got the number 0
      f.yaml:3:67: expected a moment after "from", got "10s"
      f.yaml:3:53: expected a number from 0.01 to 1000, got the number 0
      f.yaml:3:63: unknown key "gama"; did you mean "gamma"?
      f.yaml:3:62: expected even, poisson, or a mapping such as {gamma: 0.5}, got "random""
    `);
  });

  it('are reported even if no files can be read', () => {
    const text = `traffic: [{kind: chat, model: m, prompt: {file: p.jsonl}}]\nload: {kind: trace, file: t.csv}\n`;
    const reading = readScenario({ text, name: 'f.yaml', environment: {} });
    expect(reading.ok ? [] : reading.problems.map(({ message }) => message)).toEqual([
      'p.jsonl cannot be read here',
      't.csv cannot be read here',
    ]);
  });
});
