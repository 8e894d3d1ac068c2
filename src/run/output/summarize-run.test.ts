import { describe, expect, it } from 'vitest';
import { sampleRunResult } from '../../report/fixtures/sample-result.fixture.ts';
import { degradedTrust } from '../../report/fixtures/sample-trust.fixture.ts';
import { sampleVerdict } from '../../report/fixtures/sample-verdict.fixture.ts';
import { reportOf } from './summarize-run.ts';

const verdicts = [
  sampleVerdict({ grounds: 'within-error', ruling: 'inconclusive', error: { low: 9, high: null } }),
  sampleVerdict(),
];
const report = reportOf({ result: { ...sampleRunResult(), verdicts }, trust: degradedTrust });

describe('the report of a run as plain numbers', () => {
  it('has the measurement errors next to its percentiles, and none where there are none', () => {
    const { ttft, endToEnd, stall } = report.percentiles['chat-stream']!;
    expect(ttft).toMatchObject({ unit: 'ms', p50: 188.031, p95: 683.519 });
    expect(ttft!.errors).toEqual({
      p50: { low: 187.42, high: 188.031 },
      p95: { low: 680.1, high: 683.519 },
    });
    expect(stall!.errors).toEqual({ p50: { low: 0, high: null } });
    expect(endToEnd).not.toHaveProperty('errors');
  });

  it('has the error of an objective that is undecided because of it', () => {
    const [within, kept] = report.verdicts.objectives;
    expect(within).toMatchObject({ reason: 'within-error', error: { low: 9, high: null } });
    expect(kept).not.toHaveProperty('error');
  });

  it('loses nothing as JSON', () => {
    const { verdicts: judged, percentiles } = report;
    expect(judged.trust.figures.some(({ high }) => high === null)).toBe(true);
    expect(JSON.parse(JSON.stringify({ judged, percentiles }))).toEqual({ judged, percentiles });
  });
});
