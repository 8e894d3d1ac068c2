import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as library from './library.ts';
import { parseModule } from '../scenario/text/module-tree.ts';
import { readScenario } from '../scenario/read-scenario.ts';

const { defineScenario } = library;
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
