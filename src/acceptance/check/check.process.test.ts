import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkReportSchema } from '../../model/check/check-report.ts';
import { cleanUpAfterEach, startWeir, tempFolder } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

it('weir check finds nothing wrong with the reference gateway, in under a minute', async () => {
  const out = await tempFolder();
  const { code, stdout } = await startWeir(['check', '--target', 'mock', '--yes', '--out', out])
    .ended;
  expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^✓ The interface is kept: \d+ as specified/);
  expect(code).toBe(0);
  const report = checkReportSchema.parse(
    JSON.parse(await readFile(join(out, 'check.json'), 'utf8')),
  );
  const findings = report.rows.filter(
    ({ outcome }) => !['pass', 'open', 'unchecked'].includes(outcome),
  );
  expect(findings).toEqual([]);
  const unchecked = report.rows.filter(({ outcome }) => outcome === 'unchecked');
  expect(unchecked.map(({ id }) => id)).toEqual(['error-body.429', 'error-body.402']);
  expect(report.took).toBeLessThan(60_000);
  expect(report.spent).toMatchObject({ waits: 0 });
});

it('weir compare says what changed between two checks', async () => {
  const [before, after, out] = [await tempFolder(), await tempFolder(), await tempFolder()];
  const check = ['check', '--target', 'mock', '--yes', '--only', 'models,streams'];
  const headers = '--set=mock.faults=[{"fault":"no-done","routes":["chat"],"every":1}]';
  await startWeir([...check, '--out', before]).ended;
  expect((await startWeir([...check, headers, '--out', after]).ended).code).toBe(10);
  const worse = await startWeir(['compare', before, after, '--out', out]).ended;
  expect(worse.stdout).toContain('REGRESSION: 1 worse');
  expect(worse.stdout).toContain('stream.done');
  expect(worse.code).toBe(11);
  const better = await startWeir(['compare', after, before, '--out', out]).ended;
  expect(better.stdout).toContain('1 better');
  expect(better.code).toBe(0);
  const mixed = await startWeir(['compare', before, 'reports/sample', '--out', out]).ended;
  expect(mixed.stderr).toContain('checks are compared in pairs');
  expect(mixed.code).toBe(2);
});

it('--no-cost sends nothing that is paid for, and --only and --skip choose checks', async () => {
  const out = await tempFolder();
  const words = [
    'check',
    '--target',
    'mock',
    '--yes',
    '--out',
    out,
    '--no-cost',
    '--skip',
    'speech',
  ];
  const { code } = await startWeir(words).ended;
  expect(code).toBe(0);
  const report = checkReportSchema.parse(
    JSON.parse(await readFile(join(out, 'check.json'), 'utf8')),
  );
  expect(report.spent).toMatchObject({ outputTokens: 0, characters: 0, audioSeconds: 0 });
  expect(report.rows.some(({ topic }) => topic === 'speech')).toBe(false);
  expect(report.rows.some(({ id }) => id === 'temperature-above')).toBe(true);
});

it('a budget that nobody can confirm and a profile that does not exist end with exit 2', async () => {
  const out = await tempFolder();
  const asked = await startWeir(['check', '--target', 'mock', '--out', out]).ended;
  expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('add --yes') });
  const unknown = await startWeir(['check', '--target', 'mock', '--profile', 'vlm']).ended;
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean') });
});
