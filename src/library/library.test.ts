import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as library from './library.ts';
import { defineScenario, readResult, run, WeirError } from './library.ts';
import { parseModule } from '../scenario/text/module-tree.ts';
import { readScenario } from '../scenario/read-scenario.ts';

const byName = (a: string, b: string): number => a.localeCompare(b, 'en');

it('an installation from git exports the same as the library', () => {
  const text = readFileSync(join(import.meta.dirname, 'installed.js'), 'utf8');
  const [, names = ''] = /export const \{([^}]*)\}/.exec(text) ?? [];
  expect(names.split(',').map((name) => name.trim())).toEqual(
    Object.keys(library).toSorted(byName),
  );
});

describe('a scenario in TypeScript', () => {
  it('gives the same plan as a file with the same text', () => {
    const scenario = defineScenario({
      name: 'evening',
      target: 'mock',
      traffic: [{ kind: 'chat', model: 'm', prompt: 'p', weight: 2 }, { kind: 'models' }],
      stages: [
        { name: 'up', load: { kind: 'ramping', steps: [{ to: '5/s', over: '1m' }] } },
        { name: 'on', load: { kind: 'closed', users: 3, duration: '30s' } },
      ],
      limits: { requestsPerMinute: 'none' },
    });
    const { tree } = parseModule(scenario);
    const read = (text: typeof tree | string) =>
      readScenario({ text: text ?? '', name: 'evening.ts', environment: {} });
    expect(read(tree)).toEqual(read(JSON.stringify(scenario)));
    expect(read(tree)).toMatchObject({ ok: true, plan: { name: 'evening' } });
  });

  it('is rejected by the compiler if a key or a word is unknown', () => {
    const load = { kind: 'constant', rate: '5/s', duration: '30s' } as const;
    // @ts-expect-error -- the key is called load
    defineScenario({ traffic: [{ kind: 'models' }], lode: load });
    // @ts-expect-error -- there is no such kind
    defineScenario({ traffic: [{ kind: 'modles' }], load });
    // @ts-expect-error -- a rate has a unit
    const scenario = defineScenario({ traffic: [{ kind: 'models' }], load: { ...load, rate: 5 } });
    expect(scenario).toHaveProperty('load.rate', 5);
  });
});

it('a run that is aborted before, cannot begin, or cannot write its result rejects', async () => {
  const scenario = defineScenario({
    traffic: [{ kind: 'models' }],
    load: { kind: 'constant', rate: '20/s', duration: '200ms' },
    canary: false,
  });
  const folder = mkdtempSync(join(tmpdir(), 'weir-library-'));
  try {
    const reason = new Error('not now');
    const aborted = run(scenario, { signal: AbortSignal.abort(reason) });
    await expect(aborted).rejects.toBe(reason);
    const path = join(folder, 'none.yaml');
    await expect(run(path)).rejects.toThrow(WeirError);
    await expect(readResult(path)).rejects.toThrow(/does not exist/);
    writeFileSync(join(folder, 'file'), '');
    const environment = { WEIR_API_KEY: 'none' };
    const out = join(folder, 'file', 'out');
    const unwritable = run(scenario, { target: 'http://127.0.0.1:9/v1', environment, out });
    await expect(unwritable).rejects.toMatchObject({ name: 'WeirError', code: 'output' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
