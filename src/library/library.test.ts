import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realClock } from '../mock/clock/real-clock.ts';
import { type Mock, startMock } from '../mock/gateway/start.ts';
import { testKey } from '../mock/settings/settings.ts';
import { milliseconds } from '../model/quantity.ts';
import * as library from './library.ts';
import { defineScenario, judge, readResult, run, WeirError } from './library.ts';
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

describe('a run of a program', () => {
  let mock: Mock;
  const folder = mkdtempSync(join(tmpdir(), 'weir-library-'));
  beforeAll(async () => {
    const at = milliseconds(1);
    mock = await startMock({ ttft: at, gap: at }, realClock());
  });
  afterAll(async () => {
    await mock.close();
    rmSync(folder, { recursive: true });
  });
  const scenario = defineScenario({
    traffic: [{ kind: 'models' }],
    load: { kind: 'constant', rate: '20/s', duration: '200ms' },
    canary: false,
  });
  const options = { environment: { WEIR_API_KEY: testKey(0) } };

  it('resolves with its report, which a stored one equals, and is judged by other objectives', async () => {
    const out = join(folder, 'out');
    const report = await run(scenario, { ...options, target: mock.url, out });
    expect(report.result.groups[0]!.outcomes.completed).toBe(4);
    const stored = await readResult(out);
    expect(stored.result.groups).toEqual(report.result.groups);
    const { objectives } = await judge(stored, { objectives: ['errorRate < 1%', 'sent < 1'] });
    expect(objectives.map(({ objective, reason }) => [objective, reason])).toEqual([
      ['errorRate < 1%', expect.any(String)],
      ['sent < 1', 'broken'],
    ]);
  });

  it('reports its progress, and ends with the error that its listener throws', async () => {
    const load = { kind: 'constant', rate: '5/s', duration: '30s' } as const;
    const reason = new Error('of the listener');
    const dues: number[] = [];
    const running = run(
      { ...scenario, load },
      {
        ...options,
        target: mock.url,
        onProgress: ({ due }) => {
          dues.push(due);
          throw reason;
        },
      },
    );
    await expect(running).rejects.toBe(reason);
    expect(dues[0]).toBeGreaterThan(0);
  });

  it('rejects where it is aborted before, cannot begin, or cannot write its result', async () => {
    const reason = new Error('not now');
    const aborted = run(scenario, { ...options, signal: AbortSignal.abort(reason) });
    await expect(aborted).rejects.toBe(reason);
    const path = join(folder, 'none.yaml');
    await expect(run(path, options)).rejects.toThrow(WeirError);
    await expect(readResult(path)).rejects.toThrow(/does not exist/);
    writeFileSync(join(folder, 'file'), '');
    const unwritable = { ...options, target: mock.url, out: join(folder, 'file', 'out') };
    await expect(run(scenario, unwritable)).rejects.toThrow(WeirError);
  });
});
