// @gate 1 s
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../model/quantity.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import type { ReportDocument } from '../../report/document/document.ts';
import { terminalText } from '../../report/document/terminal-writer.ts';
import { sampleRunResult } from '../../report/fixtures/sample-result.fixture.ts';
import { degradedTrust, invalidTrust } from '../../report/fixtures/sample-trust.fixture.ts';
import { sampleVerdict } from '../../report/fixtures/sample-verdict.fixture.ts';
import { forecastDocument } from '../../report/run/forecast-document.ts';
import { closingVerdict } from '../../report/run/closing-verdict.ts';
import { runDocument } from '../../report/run/run-document.ts';
import { displayWidth } from '../../report/text/display-width.ts';
import { checkDocument } from '../../verbs/check/report/check-document.ts';
import { fullCheck } from '../../verbs/check/report/sample-check.fixture.ts';
import { comparisonDocument } from '../../verbs/compare/report/comparison-document.ts';
import { sampleComparison } from '../../verbs/compare/report/sample-comparison.fixture.ts';
import { historyDocument } from '../../verbs/history/report/history-document.ts';
import { sampleTrend } from '../../verbs/history/report/sample-history.fixture.ts';
import { forecastOf } from '../../run/forecast.ts';

const never = (): never => {
  throw new Error('the plan has no files');
};

const planned = (): ReportDocument => {
  const plan = samplePlan();
  const files = { clips: { clipsOf: never }, workload: { chatContentFor: never, traceOf: never } };
  const read = { plan, ...files } as unknown as Parameters<typeof forecastOf>[0];
  const warning =
    'The run cannot end early: it looks after 30 s for the first time whether its objectives are sure.';
  return forecastDocument('0.0.0', forecastOf(read, milliseconds(500)), plan, [warning]);
};

const open = sampleVerdict({
  ruling: 'inconclusive',
  grounds: 'within-error',
  error: { low: 1, high: null },
});
const result = { ...sampleRunResult(), verdicts: [open, sampleVerdict({ sure: false })] };

const documents = {
  run: runDocument(result, degradedTrust),
  'late run': runDocument(result, invalidTrust),
  plan: planned(),
  compare: comparisonDocument(sampleComparison()),
  history: historyDocument('0.0.0', [sampleTrend()]),
  check: checkDocument(fullCheck()),
};

const squeezed = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** Returns all sentences of a document that a reader meets before its tables. */
const sentencesOf = ({ verdict, introduction = [] }: ReportDocument): readonly string[] => [
  ...(verdict == null ? [] : [verdict.text]),
  ...introduction.flatMap((block) => {
    if (block.media?.includes('terminal') === false) return [];
    if (block.kind === 'text') return [block.text];
    return block.kind === 'list' ? block.items.map(({ text }) => text) : [];
  }),
];

describe.each([60, 80, 120])('on a terminal of %i columns', (width) => {
  it.each(Object.entries(documents))('%s has no wider line and cuts no sentence', (_, document) => {
    const text = terminalText(document, { colour: false, width });
    for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    for (const sentence of sentencesOf(document).filter((each) => /^[\x20-\x7e’“”–]*$/.test(each)))
      expect(squeezed(text)).toContain(squeezed(sentence));
  });

  it.each([
    ['valid', { ...degradedTrust, level: 'valid', evidence: [] } as const, 0],
    ['approximate', degradedTrust, 10],
    ['late', invalidTrust, 12],
  ] as const)('the verdict on a run that is %s is in whole sentences', (_, trust, exit) => {
    const folder = 'reports/2026-11-27T16-24-07Z-quickstart';
    const text = closingVerdict(result, trust, { exit, folder }, { colour: false, width });
    for (const line of text.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    expect(text).toMatch(/\.$/);
    expect(text).not.toContain('…');
    expect(squeezed(text)).toContain('What now: reports/what-now.md.');
  });
});
