import { describe, expect, it } from 'vitest';
import { markdownText } from '../../../report/document/markdown-writer.ts';
import { compareChecks } from '../judge/compare-checks.ts';
import { checkComparisonDocument, checkComparisonJunit } from './check-comparison-document.ts';
import { sampleCheck, sampleRow } from './sample-check.fixture.ts';

const row = (id: string, outcome: 'pass' | 'deviation' | 'violation' | 'unchecked', name = 'n') =>
  sampleRow({ id, outcome, name, observed: `saw ${id} ${outcome}` });

const before = sampleCheck([
  row('kept', 'pass'),
  row('fell', 'pass'),
  row('rose', 'violation'),
  row('gone', 'pass'),
  row('renamed', 'deviation', 'one'),
]);
const after = sampleCheck(
  [
    row('kept', 'pass'),
    row('fell', 'violation'),
    row('rose', 'pass'),
    row('gone', 'unchecked'),
    row('renamed', 'deviation', 'other'),
    row('fresh', 'deviation'),
  ],
  { startedAt: '2026-04-01T12:00:00.000Z', profile: 'openai' as never },
);

describe('the page of two checks of an interface', () => {
  it('says of each changed check what it was and is, the gravest first', () => {
    const comparison = compareChecks(before, after);
    expect(comparison.changes.map(({ id, change }) => [id, change])).toEqual([
      ['fell', 'worse'],
      ['gone', 'lost'],
      ['fresh', 'new'],
      ['rose', 'better'],
      ['renamed', 'other'],
    ]);
    const text = markdownText(checkComparisonDocument(comparison));
    expect(text).toContain(
      'REGRESSION: 1 worse, 1 lost, 1 new, 1 better, 1 other; 1 check as before.',
    );
    expect(text).toContain('## Changes');
    expect(text).toContain('The profile was spec, and is openai.');
    expect(text).toMatch(/fell .*pass: saw fell pass .*violation: saw fell violation/);
    expect(text).toMatch(/fresh .*not asked for .*deviation: saw fresh deviation/);
    expect(text).toContain('before: https&#58;//gateway.example/v1, 2026-03-01T12:00:00.000Z');
    expect(text).toContain('now: https&#58;//gateway.example/v1, 2026-04-01T12:00:00.000Z');
    expect(text).not.toContain('kept');
  });

  it('has no table where nothing changed, and warns of what was lost only', () => {
    const same = checkComparisonDocument(compareChecks(before, before));
    expect(same.verdict).toEqual({ text: 'Nothing changed; 5 checks as before.', tone: 'good' });
    expect(same.blocks).toEqual([]);
    expect(markdownText(same)).not.toContain('## Changes');
    const lost = compareChecks(sampleCheck([row('a', 'pass')]), sampleCheck([]));
    expect(checkComparisonDocument(lost).verdict).toEqual({
      text: '1 lost; 0 checks as before.',
      tone: 'warning',
    });
  });

  it('fails in JUnit for what got worse only', () => {
    const junit = checkComparisonJunit(compareChecks(before, after));
    expect(junit).toContain('tests="5" failures="1"');
    expect(junit).toContain('skipped="1"');
    expect(junit).toMatch(/name="fell"[^/]*<failure[^>]*interface-regression/s);
    expect(junit).toContain('before pass: saw fell pass; now violation: saw fell violation');
  });
});
