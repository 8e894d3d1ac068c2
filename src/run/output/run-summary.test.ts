import type { KeyLimits } from '../../model/limits/run-limits.ts';
import { describe, expect, it } from 'vitest';
import { quantile } from '../../model/measures/quantile.ts';
import { milliseconds } from '../../model/quantity.ts';
import { resultSchema } from '../../model/result/result.ts';
import { runSummarySchema } from '../../model/result/run-summary.ts';
import { distributionOf, outsideWarmUp } from '../../model/result/summary.ts';
import { addPrefill, noPrefills } from '../../model/measures/prefill.ts';
import type { MeasureName } from '../../model/measures/measures.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import { runFiguresCsv } from '../../report/figures-csv.ts';
import { sampleRunResult } from '../../report/fixtures/sample-result.fixture.ts';
import {
  degradedTrust,
  invalidTrust,
  validTrust,
} from '../../report/fixtures/sample-trust.fixture.ts';
import { sampleVerdict } from '../../report/fixtures/sample-verdict.fixture.ts';
import { exitForVerdicts } from './judge-result.ts';
import { reportOf, summarized } from './run-summary.ts';

const result = sampleRunResult();
const summaryOf = (changes: Partial<typeof result> = {}, trust = validTrust) =>
  summarized({ result: { ...result, ...changes }, trust }).result.summary;

describe('the summary of a run', () => {
  it('has the percentiles that the histograms have', () => {
    const { ttft } = summaryOf().kinds['chat-stream']!;
    const histogram = distributionOf(
      result,
      'ttft',
      (labels) => outsideWarmUp(labels) && labels.traffic === 'chat-stream',
    );
    const { value, low, high } = quantile(histogram, 0.95)!;
    expect(ttft).toMatchObject({ unit: 'ms', n: histogram.count, max: histogram.max, p95: value });
    // Requests that share a queue know less than as many independent ones.
    expect(ttft!.intervals.p95!.low).toBeLessThan(low!);
    expect(ttft!.intervals.p95!.high ?? Infinity).toBeGreaterThan(high!);
    expect(ttft!.errors.p95!.low).toBeLessThanOrEqual(value);
  });

  it('has the lowest twentieth of speeds, and of no times', () => {
    const figures = Object.values(summaryOf().kinds).flatMap((kind) => Object.entries(kind));
    const withP5 = figures.filter(
      ([, each]) => typeof each === 'object' && each !== null && 'p5' in each,
    );
    const names = new Set(withP5.map(([name]) => name));
    expect(names.has('outputSpeed')).toBe(true);
    expect(names.has('ttft')).toBe(false);
    expect(names.has('endToEnd')).toBe(false);
  });

  it('accounts for every arrival after the warm-up, by kind', () => {
    const { counts, kinds } = summaryOf();
    const dueByKind = Object.values(kinds).map(({ due }) => due);
    expect(dueByKind.reduce((sum, due) => sum + due, 0)).toBe(counts.due);
    for (const { due, outcomes } of Object.values(kinds))
      expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(due);
  });

  it('has the figures of the CSV, which has four digits of them', () => {
    const [head = '', ...rows] = runFiguresCsv(result, validTrust).trimEnd().split('\r\n');
    const { kinds } = summaryOf();
    let compared = 0;
    for (const row of rows) {
      const cells = Object.fromEntries(
        row.split(',').map((text, at) => [head.split(',')[at], text]),
      );
      const kind = kinds[cells['traffic'] as TrafficKind];
      const figures = kind?.[cells['measure'] as MeasureName];
      if (kind === undefined || figures === undefined) continue;
      compared += 1;
      expect(Number(cells['due'])).toBe(kind.due);
      expect(Number(cells['completed'])).toBe(kind.outcomes.completed);
      expect(Number(cells['n'])).toBe(figures.n);
      for (const name of ['mean', 'p50', 'p90', 'p95', 'p99', 'max'] as const)
        expect(Number(cells[name])).toBe(Number(figures[name].toPrecision(4)));
    }
    expect(compared).toBe(11);
  });

  it('obeys its schema within a result, and replaces an earlier one', () => {
    const once = summarized({ result, trust: validTrust });
    expect(resultSchema.parse(JSON.parse(JSON.stringify(once.result)))).toEqual(once.result);
    expect(summarized(once)).toEqual(once);
    expect(() => runSummarySchema.parse({ ...once.result.summary, median: 1 })).toThrow('median');
  });

  it('has the figures of each entry with a name', () => {
    const groups = result.groups.map((group) => ({
      ...group,
      labels: { ...group.labels, entry: `of ${group.labels.traffic}` },
    }));
    const { entries, kinds } = summaryOf({ groups });
    const { traffic, ...ofEntry } = entries['of chat']!;
    expect(traffic).toBe('chat');
    expect(ofEntry).toEqual(kinds.chat);
    expect(summaryOf().entries).not.toHaveProperty('of chat');
  });

  it('has the shares of prompt tokens that a cache could hold, and did', () => {
    const sums = {
      source: 'usage' as const,
      answers: 5,
      answersWithInput: 5,
      input: 1000,
      output: 9,
    };
    const tokens = [
      {
        ...sums,
        repeated: { answers: 4, input: 800, tokens: 600 },
        cached: { answers: 3, input: 500, tokens: 200 },
      },
    ];
    const groups = result.groups.map((group, place) => ({
      ...group,
      labels: { ...group.labels, warmUp: false },
      tokens: place === 0 ? tokens : [],
    }));
    expect(summaryOf({ groups }).promptCache).toEqual({
      expected: 75,
      reported: 40,
      inferred: null,
      unreported: 2,
    });
    const withoutReports = [{ ...sums, repeated: tokens[0]!.repeated }];
    expect(
      summaryOf({ groups: [{ ...groups[0]!, tokens: withoutReports }] }).promptCache,
    ).toMatchObject({ expected: 75, reported: null, unreported: 5 });
  });

  it('has the share of prompt tokens that a cache held, as times to the first token show, with its interval', () => {
    // In the first of each two seconds, a cache holds half of the repeated tokens; in the second, all of them. Three
    // eighths of the tokens are repeated: 1200 of 3200. Each token that the cache does not hold takes 0.1 ms.
    const prompts = [
      { input: 1000, repeated: 0 },
      { input: 1000, repeated: 800 },
      { input: 600, repeated: 0 },
      { input: 600, repeated: 400 },
    ];
    const prefills = Array.from({ length: 10 }, (_, second) => {
      const each = { ...noPrefills };
      const held = second % 2 === 0 ? 0.5 : 1;
      for (const { input, repeated } of prompts)
        addPrefill(each, { input, repeated, time: 30 + 0.1 * (input - held * repeated) });
      return each;
    });
    const timeline = result.timeline.map((each, second) =>
      second < 10 ? { ...each, prefill: prefills[second]! } : each,
    );
    const groups = result.groups.map((group, place) => ({
      ...group,
      labels: { ...group.labels, warmUp: false },
      tokens:
        place === 0
          ? [
              {
                source: 'usage' as const,
                answers: 40,
                answersWithInput: 40,
                input: 32_000,
                output: 9,
                repeated: { answers: 40, input: 32_000, tokens: 12_000 },
              },
            ]
          : [],
    }));
    const { inferred } = summaryOf({
      groups,
      timeline,
      plan: { ...result.plan, warmUp: milliseconds(0) },
      slices: result.slices.slice(0, 1),
    }).promptCache!;
    // Held: (0.5 + 1) / 2 = 0.75 of the repeated tokens, and 0.75 × 3/8 = 28.125 % of all.
    expect(inferred?.value).toBeCloseTo(28.125, 9);
    // Without one of ten seconds, the mean is off by 0.25 / 9. A jackknife over them has the standard error
    // √(9/10 × 10 × (0.25 / 9)²) = 1/12, and with t = 2.262157 half the width 0.188513. That of seven blocks is smaller,
    // since three of them have a second of each kind. So 0.561487 to 0.938513 of the repeated tokens, times 37.5 %.
    expect(inferred?.low).toBeCloseTo(21.05576, 5);
    expect(inferred?.high).toBeCloseTo(35.19424, 5);
  });

  it('says in words why the exit is not 0, and nothing if it is', () => {
    expect(summaryOf({ verdicts: [] })).toMatchObject({
      verdict: 'pass',
      exit: { code: 0, reasons: [] },
    });
    const broken = sampleVerdict({ text: 'ttft.p95 < 1ms', ruling: 'fail', grounds: 'broken' });
    expect(summaryOf({ verdicts: [broken] })).toMatchObject({
      verdict: 'fail',
      exit: { code: 10, reasons: [expect.stringMatching(/^ttft\.p95 < 1ms: .+\.$/)] },
    });
    const invalid = summaryOf({ verdicts: [] }, invalidTrust);
    expect(invalid).toMatchObject({ verdict: 'inconclusive', exit: { code: 12 } });
    expect(invalid.exit.reasons.length).toBeGreaterThan(0);
    expect(invalid.kinds['chat-stream']).not.toHaveProperty('gap');
  });

  it('ends a strict run whose objectives are undecided with 13, below what is broken and above what is unwritten', () => {
    const undecided = (['unsure', 'within-error'] as const).map((grounds) =>
      sampleVerdict({ text: `ttft.p95 < ${grounds}`, ruling: 'inconclusive', grounds }),
    );
    const broken = sampleVerdict({ ruling: 'fail', grounds: 'broken' });
    const exitOf = (verdicts: typeof undecided, isStrict = true) =>
      summarized({ result: { ...result, verdicts }, trust: validTrust, isStrict }).result.summary
        .exit;
    for (const each of undecided) {
      const { code, reasons } = exitOf([each, sampleVerdict()]);
      expect([code, reasons.length]).toEqual([13, 1]);
      expect(reasons[0]).toContain(each.text);
      expect(exitOf([{ ...each, severity: 'warn' }]).code).toBe(0);
    }
    expect(exitOf(undecided, false).code).toBe(0);
    expect(exitOf([...undecided, broken]).code).toBe(10);
    const judged = { result: { ...result, verdicts: undecided }, trust: validTrust };
    const written = 'unwritten';
    expect(exitForVerdicts({ ...judged, isStrict: true, written })).toBe('inconclusive');
    expect(exitForVerdicts({ ...judged, written })).toBe('unwritten');
  });

  it('ends a strict run with 13 whose judged limits are undecided, or of which nothing could be judged', () => {
    const peak = { least: 1, most: 1 };
    const keyWith = (violates: boolean, finding: 'proved' | 'undecided'): KeyLimits => ({
      key: 'main',
      requests: peak,
      tokens: peak,
      refusals: null,
      explainedBy: null,
      checks: [
        {
          id: 'requests-kept',
          claim: '',
          section: null,
          violates,
          finding,
          observed: '',
          evidence: [],
        },
      ],
    });
    const exitOf = (keys: readonly KeyLimits[], { judged = true, isStrict = true } = {}) =>
      summarized({
        result: {
          ...result,
          verdicts: [],
          limits: { keys, judged, violated: false },
        },
        trust: validTrust,
        isStrict,
      }).result.summary.exit;
    const undecided = keyWith(true, 'undecided');
    expect(exitOf([keyWith(true, 'proved'), undecided])).toEqual({
      code: 13,
      reasons: ['The rate limits are undecided.'],
    });
    expect(exitOf([]).code).toBe(13);
    expect(exitOf([keyWith(true, 'proved')]).code).toBe(0);
    // Whether a wait that an answer gave was right is no matter of the limit.
    expect(exitOf([keyWith(false, 'undecided')]).code).toBe(0);
    expect(exitOf([undecided], { judged: false }).code).toBe(0);
    expect(exitOf([undecided], { isStrict: false }).code).toBe(0);
  });

  it('does not give the planned load as a reason against a run in which nothing succeeded', () => {
    const groups = result.groups.map((group) => {
      const { outcomes } = group;
      const broken = outcomes.broken + outcomes.completed;
      return { ...group, outcomes: { ...outcomes, broken, completed: 0 } };
    });
    const { exit } = summaryOf({ groups, verdicts: [] });
    expect(exit.code).toBe(15);
    expect(exit.reasons.join(' ')).toContain('succeeded');
    expect(exit.reasons.join(' ')).not.toContain('the planned one');
  });

  it('has the exit of a run that was stopped', () => {
    const partial = 'stopped by SIGINT before the load had ended';
    const judged = { result: { ...result, verdicts: [], partial }, trust: validTrust };
    const { exit } = summarized(judged, 'interrupted').result.summary;
    expect(exit.code).toBe(130);
    expect(exit.reasons.join(' ')).toContain(partial);
  });
});

describe('the report of a run as plain numbers', () => {
  const verdicts = [
    sampleVerdict({
      grounds: 'within-error',
      ruling: 'inconclusive',
      error: { low: 9, high: null },
    }),
    sampleVerdict(),
  ];
  const report = reportOf(summarized({ result: { ...result, verdicts }, trust: degradedTrust }));

  it('has the error of an objective that is undecided because of it', () => {
    const [within, kept] = report.verdicts.objectives;
    expect(within).toMatchObject({ reason: 'within-error', error: { low: 9, high: null } });
    expect(kept).not.toHaveProperty('error');
    expect(report.summary.objectives).toEqual(report.verdicts.objectives);
  });

  it('loses nothing as JSON', () => {
    const { verdicts: judged, summary } = report;
    expect(judged.trust.figures.some(({ high }) => high === null)).toBe(true);
    expect(JSON.parse(JSON.stringify({ judged, summary }))).toEqual({ judged, summary });
  });
});
