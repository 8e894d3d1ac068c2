import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Plan } from '../../model/plan/plan.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { milliseconds } from '../../model/quantity.ts';
import { workloadFiles } from './workload-files.ts';

/** Files of prompts and traces that a worker, or another machine, opens again. */

const folder = mkdtempSync(join(tmpdir(), 'weir-reopened-'));
afterAll(() => rmSync(folder, { recursive: true }));
const put = (name: string, ...lines: readonly object[]): void =>
  writeFileSync(join(folder, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
beforeEach(() => {
  put('p.jsonl', { prompt: 'one two' }, { prompt: 'three' });
  put(
    't.jsonl',
    { timestamp: 0, input_length: 3, output_length: 2 },
    { timestamp: 500, input_length: 4, output_length: 2 },
  );
});

const cut = {
  file: 't.jsonl',
  speed: 1,
  from: milliseconds(0),
  until: null,
  maxInputTokens: null,
  maxOutputTokens: null,
};
/** A plan whose only stage has these prompts and this load. */
const planOf = (source: object, load?: object): Plan => {
  const plan = samplePlan();
  const [stage] = plan.stages;
  const traffic = [{ ...stage!.traffic[0]!, conversations: source }];
  return { ...plan, stages: [{ ...stage!, traffic, ...(load && { load }) }] } as never;
};
const sourceOf = (changes: object = {}) => {
  const found = workloadFiles(folder).files.dataset('p.jsonl');
  if (!found.ok) throw new Error(found.problem);
  return { kind: 'dataset', file: 'p.jsonl', ...found.value, ...changes };
};
const replayOf = (changes: object = {}) => {
  const found = workloadFiles(folder).files.trace(cut);
  if (!found.ok) throw new Error(found.problem);
  return { kind: 'trace', ...cut, facts: { ...found.value, ...changes } };
};
const plain = [[{ role: 'user', content: 'x' }]];

describe('files that are opened again', () => {
  it('are those of the plan', () => {
    const plan = planOf(sourceOf(), replayOf());
    expect(() => workloadFiles(folder).reopen(plan)).not.toThrow();
    expect(workloadFiles(folder).reopenOrExplain(plan).ok).toBe(true);
    expect(workloadFiles(folder).reopenOrExplain(planOf(plain)).ok).toBe(true);
  });

  it.each<[string, () => Plan]>([
    ['p.jsonl', () => planOf(sourceOf({ sha256: 'other' }))],
    ['t.jsonl', () => planOf(plain, replayOf({ sha256: 'other' }))],
  ])('are not those of the plan if they have changed: %s', (name, makePlan) => {
    const plan = makePlan();
    expect(() => workloadFiles(folder).reopen(plan)).toThrow(
      `${name} changed while the run was being prepared`,
    );
    expect(workloadFiles(folder).reopenOrExplain(plan)).toEqual({
      ok: false,
      problem: `${name} is not the file that the plan describes`,
    });
  });

  it('are reported if they are gone', () => {
    const plan = planOf(sourceOf());
    rmSync(join(folder, 'p.jsonl'));
    const problem =
      'p.jsonl cannot be read: there is no such file. Give a path from the scenario’s folder';
    expect(workloadFiles(folder).reopenOrExplain(plan)).toEqual({ ok: false, problem });
    expect(() => workloadFiles(folder).reopen(plan)).toThrow(`a plan was made although ${problem}`);
  });

  it('of words for a tokenizer are compared too', () => {
    const tokenizer = { name: 'none.json', sha256: 'x', words: 3 };
    const made = { kind: 'synthetic', inputTokens: 3 };
    expect(workloadFiles(folder).reopenOrExplain(planOf({ ...made, tokenizer }))).toMatchObject({
      ok: false,
      problem: expect.stringContaining('none.json'),
    });
    expect(workloadFiles(folder).reopenOrExplain(planOf(made)).ok).toBe(true);
  });
});

it('a file is read once for each cache, however often it is asked for', () => {
  const { files } = workloadFiles(folder);
  const first = files.dataset('p.jsonl');
  put('p.jsonl', { prompt: 'another' });
  expect(files.dataset('p.jsonl')).toEqual(first);
  expect(workloadFiles(folder).files.dataset('p.jsonl')).not.toEqual(first);
});

it('findings are a file, or lie in the folder of findings', () => {
  const { files } = workloadFiles(folder);
  put('token-limits.json', { a: 1 });
  const value = '{"a":1}\n';
  expect(files.findings('token-limits.json')).toEqual({ ok: true, value });
  expect(files.findings('.')).toEqual({ ok: true, value });
  expect(files.prices('token-limits.json')).toEqual({ ok: true, value });
});

it('files outside the folder are not read unless the scenario is trusted', () => {
  const outside = `../${folder.split('/').at(-1)}/p.jsonl`;
  const refused = { ok: false, problem: expect.stringContaining('/etc/hostname') };
  const { files } = workloadFiles(folder, false);
  expect(files.dataset('/etc/hostname')).toEqual(refused);
  expect(files.text('/etc/hostname')).toEqual(refused);
  expect(files.dataset('p.jsonl').ok).toBe(true);
  expect(workloadFiles(folder).files.dataset(outside).ok).toBe(true);
});
