import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkJunit } from '../../verbs/check/report/check-junit.ts';
import { sampleCheck, sampleRow } from '../../verbs/check/report/sample-check.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFile, tempFolder } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const checkFile = (outcomes: Readonly<Record<string, 'pass' | 'deviation' | 'violation'>>) =>
  tempFile(
    'check.json',
    JSON.stringify(
      sampleCheck(Object.entries(outcomes).map(([id, outcome]) => sampleRow({ id, outcome }))),
    ),
  );

describe('two stored checks', () => {
  it.each([
    ['nothing changed', { a: 'pass' }, { a: 'pass' }, [], 0],
    ['a check got worse', { a: 'pass' }, { a: 'violation' }, [], 11],
    ['a check got better', { a: 'violation' }, { a: 'pass' }, ['--strict'], 0],
    ['a check was lost', { a: 'pass', b: 'pass' }, { a: 'pass' }, [], 0],
  ] as const)('where %s', async (_, before, after, words, code) => {
    const files = [await checkFile(before), await checkFile(after)];
    const out = await tempFolder();
    const compared = await weir(['compare', ...files, ...words, '--out', out, '--json']);
    expect(compared.code, compared.stderr).toBe(code);
    const data = await readFile(join(out, 'comparison.json'), 'utf8');
    expect(JSON.parse(data)).toEqual(JSON.parse(compared.stdout));
  });

  it.each<readonly [string, string]>([
    ['{"format":"check/1"', 'is not JSON'],
    ['{"format":"check/1","rows":3}', 'was written by another version of Weir or changed since'],
  ])('of which one is %s are refused', async (text, message) => {
    const files = [await checkFile({ a: 'pass' }), await tempFile('check.json', text)];
    const { code, stderr } = await weir(['compare', ...files, '--out', await tempFolder()]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it('are compared in pairs', async () => {
    const file = await checkFile({ a: 'pass' });
    const { code, stderr } = await weir(['compare', file, '--with', file, file]);
    expect(code).toBe(2);
    expect(stderr).toContain('checks are compared in pairs: expected two check.json');
  });
});

describe('the JUnit file of a check', () => {
  const report = sampleCheck(
    (['violation', 'deviation', 'unchecked', 'exempt', 'open', 'pass'] as const).map((outcome) =>
      sampleRow({ id: `is-${outcome}`, outcome, observed: `saw ${outcome}` }),
    ),
  );

  it('fails for violations, and for deviations if it is strict', () => {
    const lenient = checkJunit(report, false);
    expect(lenient).toContain('tests="6" failures="1"');
    expect(lenient).toMatch(/name="is-violation"[^/]*<failure[^>]*interface-violation/s);
    expect(lenient).toContain('skipped="1"');
    const strict = checkJunit(report, true);
    expect(strict).toContain('tests="6" failures="2"');
    expect(strict).toMatch(/name="is-deviation"[^/]*<failure[^>]*interface-deviation/s);
    expect(strict).toContain('§ 4.1: Response 200');
    expect(strict).toContain('is-pass: pass: saw pass');
  });
});
