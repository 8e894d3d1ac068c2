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
