import { fileURLToPath } from 'node:url';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { planSchema } from '../../model/plan/plan.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { weirProcess } from '../harness/weir-process.fixture.ts';

const folder = resolve(import.meta.dirname, '..', '..', '..', 'scenarios');
const modules = (await readdir(folder)).filter((name) => name.endsWith('.ts'));

const workflow = z.object({
  jobs: z.object({
    gate: z.object({
      steps: z.array(
        z.object({
          run: z.string().optional(),
          uses: z.string().optional(),
          env: z.record(z.string(), z.string()).optional(),
          with: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
        }),
      ),
    }),
  }),
});

/** The plan that `weir validate` prints for these arguments. */
const planOf = async (words: readonly string[], run = weir) => {
  const { code, stdout, stderr } = await run(['validate', ...words, '--json']);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return planSchema.parse(JSON.parse(stdout));
};

describe('the bundled scenarios in TypeScript', () => {
  it('exist', () => {
    expect(modules).toContain('typed.ts');
  });

  it.each(modules)('include %s, which is valid', async (name) => {
    // Node itself reads the file, not the tests' loader.
    expect(await planOf([join(folder, name)], weirProcess)).toMatchObject({
      target: { kind: 'mock' },
    });
  });
});

describe('the bundled workflow', () => {
  it('uses options and a scenario that exist', async () => {
    const text = await readFile(join(folder, 'ci-gate.workflow.yml'), 'utf8');
    const { steps } = workflow.parse(parse(text)).jobs.gate;
    const command = steps.map(({ run }) => run ?? '').find((run) => run.includes('weir run'));
    const words = command?.split('weir run')[1]?.match(/--[a-z-]+/g) ?? [];
    expect(words).toContain('--junit');
    const { stdout } = await weir(['run', '--help']);
    expect(words.filter((word) => !stdout.includes(`${word} `))).toEqual([]);
    expect((await planOf([join(folder, 'ci-gate.yaml')])).objectives).toHaveLength(5);
  });
});

describe('the history of a CI job', () => {
  it('is restored and saved with the same paths and key, with the results that baselines read', async () => {
    const text = await readFile(join(folder, 'ci-gate.workflow.yml'), 'utf8');
    const { steps } = workflow.parse(parse(text)).jobs.gate;
    const cache = (action: string) =>
      steps.find(({ uses }) => uses?.startsWith(`actions/cache/${action}@`))?.with;
    expect(cache('restore')?.['key']).toContain('weir');
    expect(cache('save')).toEqual({
      path: cache('restore')?.['path'],
      key: cache('restore')?.['key'],
    });
    expect(cache('save')?.['path']).toBe('reports/history.db\nreports/gate-*/result.json\n');
    const out = steps.flatMap(({ env }) => env?.['OUT'] ?? []);
    expect(out).toEqual([expect.stringMatching(/^reports\/gate-/)]);
  });
});

describe('options instead of a scenario file', () => {
  it('describe transcriptions', async () => {
    const file = fileURLToPath(new URL('../../../fixtures/speech/gate.wav', import.meta.url));
    const clip = ['--clip', file, '--text', 'Hello.'];
    const load = ['--iterations', '3', '--users', '2'];
    const words = ['--kind', 'transcription', '--model', 'w', ...clip, ...load];
    expect((await planOf(words)).stages).toMatchObject([
      { traffic: [{ kind: 'transcription', clips: [{ file, text: 'Hello.' }] }] },
    ]);
  });

  it('describe speech', async () => {
    const words = ['--kind', 'speech', '--model', 't', '--text', '5', '--voice', 'Ada.wav'];
    const load = ['--rate', '1/s', '--duration', '5s'];
    expect((await planOf([...words, ...load])).stages).toMatchObject([
      { traffic: [{ kind: 'speech', texts: ['5'], voice: 'Ada.wav' }] },
    ]);
  });
});
