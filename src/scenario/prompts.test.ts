import { describe, expect, it } from 'vitest';
import { planSchema } from '../model/plan/plan.ts';
import { sampleTraceLoad } from '../model/workload/sample-trace.fixture.ts';
import type { WorkloadFiles } from '../model/workload/workload.ts';
import { problemsText } from './text/scenario-problem.ts';
import { readScenario } from './read-scenario.ts';

const sha256 = 'a'.repeat(64);

const workload: WorkloadFiles = {
  text: () => ({ ok: false, problem: 'no text is named here' }),
  dataset: (file) =>
    file === 'p.jsonl'
      ? { ok: true, value: { sha256, prompts: 12 } }
      : { ok: false, problem: `${file}:3: expected text as "prompt"` },
  tokenizer: (name) =>
    name === 'odd.json'
      ? { ok: false, problem: `${name}: no prompts of exact length can be made` }
      : { ok: true, value: { name, sha256, words: 4000 } },
  trace: ({ file }) =>
    file === 'short.jsonl'
      ? { ok: true, value: sampleTraceLoad.facts }
      : { ok: false, problem: `${file}:1: expected a trace` },
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
  it('of exact length has a number of tokens, and by default shares nothing', () => {
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

  it('with a cut keeps its cut', () => {
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

  it('reserves what a distribution or a trace allows, and needs a limit for everything else', () => {
    expect(problems('maxTokens: {kind: uniform, min: 1, max: 9}', steady, pace)).toBe('none');
    expect(problems('weight: 1', trace, pace)).toBe('none');
    const missing = '"maxTokens" is missing: a pace for tokens';
    expect(problems('prompt: a', trace, pace)).toContain(missing);
    expect(problems('prompt: {file: p.jsonl}', steady, pace)).toContain(missing);
  });
});

describe('errors in prompts and traces', () => {
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
      "f.yaml:2:36: expected text, or a mapping such as {tokens: 500} or {file: prompts.jsonl}, got the number 5
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
      f.yaml:3:53: "gamma" is missing: expected a number from 0.01 to 1000
      f.yaml:3:63: unknown key "gama"; did you mean "gamma"?
      f.yaml:3:62: expected even, poisson, or a mapping such as {gamma: 0.5}, got "random""
    `);
  });

  it('are reported where no files can be read', () => {
    const text = `traffic: [{kind: chat, model: m, prompt: {file: p.jsonl}}]\nload: {kind: trace, file: t.csv}\n`;
    const reading = readScenario({ text, name: 'f.yaml', environment: {} });
    expect(reading.ok ? [] : reading.problems.map(({ message }) => message)).toEqual([
      'p.jsonl cannot be read here',
      't.csv cannot be read here',
    ]);
  });
});
