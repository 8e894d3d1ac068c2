import { expect, it } from 'vitest';
import { figureText } from '../../../report/text/number-text.ts';
import { pairsDocument } from './pairs-document.ts';
import { samplePairs } from './sample-pairs.fixture.ts';

it('shows the interval that decides, so that a limit within it is never called kept or broken', () => {
  const { low, outer } = samplePairs(5).figures[0]!.differences[0]!;
  expect(outer.low!).toBeLessThan(low!);
  const between = (low! + outer.low!) / 2;
  const report = samplePairs(between);
  expect(report.verdict).toBe('undecided');
  const { text } = pairsDocument(report, 'reports/1').verdict!;
  expect(text).toContain('cannot tell');
  expect(text).toContain(`(+${figureText(outer.low!)} to +${figureText(outer.high!)})`);
});

it('names the measure of a limit, and says that nothing failed', () => {
  const document = pairsDocument(samplePairs(20), 'reports/1');
  expect(document.verdict?.text).toContain('at most +20.0 ms at the median of TTFT: kept');
  expect(JSON.stringify(document)).toContain('no other outcome');
});

it('says for a side that was measured late where the reasons and the remedies are', () => {
  const report = samplePairs(20);
  expect(JSON.stringify(pairsDocument(report, 'reports/1'))).not.toContain('What now');
  const degraded = { ...report, next: { ...report.next, trust: 'degraded' as const } };
  expect(JSON.stringify(pairsDocument(degraded, 'reports/1'))).toContain(
    'Why: `weir report reports/1/new --details`. What now: reports/what-now.md.',
  );
  const invalid = { ...degraded, base: { ...report.base, trust: 'invalid' as const } };
  expect(JSON.stringify(pairsDocument(invalid, 'reports/1'))).toContain('reports/1/base');
});
