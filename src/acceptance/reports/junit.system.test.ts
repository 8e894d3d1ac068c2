import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runJunit } from '../../report/junit/run-junit.ts';
import { sampleVerdict } from '../../report/fixtures/sample-verdict.fixture.ts';
import { sampleRunResult } from '../../report/fixtures/sample-result.fixture.ts';
import { invalidTrust, validTrust } from '../../report/fixtures/sample-trust.fixture.ts';
import { junitFile } from '../../report/junit/junit-file.ts';
import { compareChecks } from '../../verbs/check/judge/compare-checks.ts';
import { checkComparisonJunit } from '../../verbs/check/report/check-comparison-document.ts';
import { checkJunit } from '../../verbs/check/report/check-junit.ts';
import {
  fullCheck,
  sampleCheck,
  sampleRow,
} from '../../verbs/check/report/sample-check.fixture.ts';
import { tempFolder, cleanUpAfterEach } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const schema = join(import.meta.dirname, 'junit.xsd');

/** The errors of xmllint, an independent reader; none when the file is valid. */
const complaints = async (xml: string): Promise<string> => {
  const path = join(await tempFolder(), 'junit.xml');
  await writeFile(path, xml);
  try {
    execFileSync('xmllint', ['--noout', '--schema', schema, path], { stdio: 'pipe' });
    return '';
  } catch (error) {
    return String((error as { stderr?: unknown }).stderr ?? error);
  }
};

const hostile = '"><failure/>]]>&#0;\u0000\u001b[31m\ud800\uffff\u2028 ✓ <![CDATA[';

describe('a JUnit file is valid by the common schema', () => {
  it.each([
    ['of a run without objectives', validTrust],
    ['of an invalid run', invalidTrust],
  ])('%s', async (_, trust) => {
    expect(await complaints(runJunit(sampleRunResult(), trust))).toBe('');
  });

  it('with every verdict on an objective, and with any text as its name', async () => {
    const verdicts = [
      sampleVerdict({}),
      sampleVerdict({ text: hostile, ruling: 'fail', grounds: 'broken' }),
      sampleVerdict({ text: 'w', ruling: 'fail', grounds: 'broken', severity: 'warn' }),
      sampleVerdict({ text: 'n', ruling: 'fail', grounds: 'no-data', observed: null, n: 0 }),
      sampleVerdict({ text: 'u', ruling: 'inconclusive', grounds: 'unfit' }),
    ];
    const xml = runJunit({ ...sampleRunResult(), verdicts }, validTrust);
    expect(await complaints(xml)).toBe('');
    expect(xml).toContain('tests="6" failures="2" errors="0" skipped="2"');
  });

  it.each([false, true])('of a check, with any text of a server, strict: %s', async (isStrict) => {
    const row = sampleRow({ outcome: 'violation', observed: hostile, evidence: [hostile] });
    const xml = checkJunit(sampleCheck([...fullCheck().rows, row]), isStrict);
    expect(await complaints(xml)).toBe('');
    expect(xml).toContain(`tests="186" failures="${isStrict ? 51 : 31}" errors="0" skipped="40"`);
  });

  it('of a comparison of two checks', async () => {
    const before = sampleCheck([sampleRow(), sampleRow({ id: 'lost' })]);
    const after = sampleCheck([sampleRow({ outcome: 'violation', observed: hostile })]);
    const xml = checkComparisonJunit(compareChecks(before, after));
    expect(await complaints(xml)).toBe('');
    expect(xml).toContain('tests="2" failures="1" errors="0" skipped="1"');
  });

  it('and reports an invalid one', async () => {
    const suite = {
      name: '',
      startedAt: 'noon',
      duration: 0,
      properties: {},
      cases: [],
      output: [],
    };
    expect(await complaints(junitFile(suite))).toContain("attribute 'timestamp'");
  });
});
