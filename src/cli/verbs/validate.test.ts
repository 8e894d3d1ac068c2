import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { planVerb } from './plan.ts';
import { reportVerb } from './report.ts';
import { validateVerb } from './validate.ts';

/** Verbs that send nothing, with what the parser gives them. */

const home = mkdtempSync(join(tmpdir(), 'weir-verbs-'));
afterAll(() => rmSync(home, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

const file = (name: string, text: string): string => {
  writeFileSync(join(home, name), text);
  return join(home, name);
};
const given = { set: [], allowFiles: false, json: false };
const printed = async (verb: typeof planVerb, options: object): Promise<string> => {
  const written: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  expect(await verb.run({ ...given, ...options })).toBe('pass');
  return written.join('');
};

const load = 'load: { kind: constant, rate: 1/s, duration: 5s }';
const base = `target: mock\nname: short\ntraffic: [{ kind: chat, model: m, prompt: p }]\n`;
const validated = (text: string, options: object = {}): Promise<string> =>
  printed(validateVerb, { scenario: file('s.yaml', text), ...options });

describe('a valid scenario', () => {
  it('is named with its plan, its stages and how long it lasts', async () => {
    expect(await validated(base + load)).toBe(
      `${join(home, 's.yaml')} is valid: plan “short”, 1 stage, 5 s\n`,
    );
    const stages = `stages: [{ name: a, ${load} }, { name: b, ${load} }]`;
    expect(await validated(base + stages)).toContain('plan “short”, 2 stages, 10 s');
  });

  it('on the command line has no file', async () => {
    const options = { model: 'm', rate: '2/s', duration: '3s', target: 'mock' };
    expect(await printed(validateVerb, options)).toMatch(
      /^command line is valid: plan “.*”, 1 stage, 3 s\n$/,
    );
  });

  it('of populations says how many', async () => {
    const each = (name: string) => `{ name: ${name}, ${load}, traffic: [{ kind: models }] }`;
    const text = `target: mock\nname: both\npopulations: [${each('a')}, ${each('b')}]\n`;
    expect(await validated(text)).toContain('plan “both”, 2 populations, 2 stages, 5 s');
  });

  it('prints its plan as JSON', async () => {
    const text = await validated(base + load, { json: true });
    const plan: unknown = JSON.parse(text);
    expect(plan).toMatchObject({ name: 'short', stages: [{ load: { kind: 'open' } }] });
    expect(text.trim()).toBe(JSON.stringify(plan, null, 2));
  });

  it('says what is not sent of its files', async () => {
    file('prompts.jsonl', '{"prompt":"a","colour":"red"}\n');
    const text = `target: mock\nname: files\ntraffic: [{ kind: chat, model: m, prompt: { file: prompts.jsonl } }]\n${load}`;
    const said = await validated(text);
    expect(said.replaceAll(/\s+/g, ' ')).toContain('these fields are not sent: "colour" (1 row)');
  });

  it('says what its trace needs', async () => {
    file('t.jsonl', '{"timestamp":0,"input_length":10,"output_length":2}\n');
    const text = `target: mock\nname: t\ntraffic: [{ kind: chat, model: m, prompt: { tokens: 5 } }]\nload: { kind: trace, file: t.jsonl }`;
    const said = await validated(text);
    expect(said).toContain('it needs 1 request, 10 input and 2 output tokens in all');
  });

  it('cannot have a value to vary that is none', async () => {
    const vary = (values: string): string => `${base}${load}\nvary: { load.rate: [${values}] }`;
    expect(await validated(vary('1/s, 2/s'))).toContain('is valid');
    await expect(validated(vary('1/s, fast'))).rejects.toThrow(/fast/);
    await expect(
      validated(`${base}${load}\nvary: { load.rate: [1/s], load.duration: [5s, 6s, never] }`),
    ).rejects.toThrow(/never/);
  });
});

describe('a forecast', () => {
  const planned = (options: object): Promise<string> =>
    printed(planVerb, { scenario: file('p.yaml', base + load), json: true, ...options });

  it('is of the plan, and of so many slices', async () => {
    expect(JSON.parse(await planned({}))).not.toHaveProperty('slices.slices');
    expect(JSON.parse(await planned({ slices: '2' }))).toMatchObject({ slices: { slices: 2 } });
    await expect(planned({ slices: '0' })).rejects.toThrow('--slices: expected a whole number');
    expect(await planned({ json: false })).toContain('short');
  });
});

describe('a report', () => {
  const reported = (options: object) =>
    reportVerb.run({ result: join(home, 'none'), observations: [], ...given, ...options });

  it('of requests needs both options', async () => {
    await expect(reported({ observations: ['o.jsonl'] })).rejects.toThrow(
      '--observations: nothing is made of them without --requests FILE',
    );
    await expect(reported({ requests: 'r.csv' })).rejects.toThrow(
      '--requests: a result has the distributions of all requests, and no single one',
    );
    // With both, or neither, the result is read.
    for (const both of [{}, { requests: 'r.csv', observations: ['o.jsonl'] }])
      await expect(reported(both)).rejects.toThrow(/none.* does not exist/);
  });

  it('does not overwrite what it is made of, in the folder of its result', async () => {
    const csv = join(home, 'result.json');
    for (const result of [home, csv]) {
      await expect(reported({ result, csv })).rejects.toThrow(/^--csv: the run writes .* itself/);
    }
    await expect(reported({ result: join(home, 'x.jsonl'), csv })).rejects.toThrow('--csv: the');
    await expect(
      reported({ out: join(home, 'o'), csv: join(home, 'o/report.html') }),
    ).rejects.toThrow(/^--csv: the run writes/);
  });
});
