import { describe, expect, it } from 'vitest';
import { healthyResult } from '../../judge/sample-result.fixture.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { milliseconds } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import type { FinishedRun } from '../../run/run.ts';
import { fairnessReportOf } from './fairness.ts';
import { arrival, blocks, isLoud } from './judge/sample-arrivals.fixture.ts';
import type { SeenArrival } from './model/seen-arrival.ts';

const terms = { quiet: 'b', noisy: 'a', times: null, pairs: 3, block: 8000, settle: 2000 };

const arrivalOf = (population: string, due: number, time: number): SeenArrival =>
  arrival(due, {
    population,
    key: population,
    ended: due + time,
    least: time,
    most: time,
    sent: 2,
    cost: 5,
  });

/** So many requests of b in each second, which take so long, and five of a with noise. */
const seenWith = (timeOf: (due: number) => number, perSecond = 10): readonly SeenArrival[] => [
  ...Array.from({ length: 60 * perSecond }, (_, n) => (1000 * n) / perSecond).map((due) =>
    arrivalOf('b', due, timeOf(due)),
  ),
  ...Array.from({ length: 300 }, (_, n) => 200 * n)
    .filter(isLoud)
    .map((due) => arrivalOf('a', due, 50)),
];

const reportOf = (
  arrivals: readonly SeenArrival[],
  {
    level = 'valid',
    changes = {},
    plan = {},
  }: {
    readonly level?: FinishedRun['trust']['level'];
    readonly changes?: Partial<Result>;
    readonly plan?: Partial<Plan>;
  } = {},
) => {
  const none = { requestsPerMinute: null, tokensPerMinute: null, limiter: null };
  const result = {
    ...healthyResult({ scheduled: milliseconds(60_000), ended: milliseconds(60_400), ...changes }),
    plan: samplePlan({ name: 'neighbours', limits: none, ...plan }),
  };
  const trust = { level, evidence: [], figures: [] };
  const { weir: _, ...report } = fairnessReportOf(
    { result, trust } as unknown as FinishedRun,
    arrivals,
    {
      terms,
      blocks,
      figure: { measure: 'ttft', q: 0.5, text: 'TTFT p50' },
      maxMoved: 0.1,
    },
  );
  return report;
};

describe('the report of weir fairness', () => {
  it('says by how much the noise moved the quiet population, and what that cost', () => {
    const report = reportOf(seenWith((due) => (isLoud(due) ? 150 : 100)));
    const { blocks: measured, shares, failed, back, ...others } = report;
    expect(others).toEqual({
      format: 'fairness/1',
      name: 'neighbours',
      target: 'http://127.0.0.1:8080/v1',
      startedAt: '2026-07-01T10:20:30.000Z',
      took: 60_400,
      seed: 42,
      partial: null,
      quiet: 'b',
      noisy: 'a',
      settle: 2000,
      figure: 'TTFT p50',
      maxMoved: 0.1,
      verdict: 'moved',
      reasons: [],
      // From 100 to 150 ms in each pair.
      moved: { value: 0.5, low: 0.5, high: 0.5 },
      noiseBy: { alone: 0, noisy: 5 },
      isContended: false,
      refusals: {
        cause: 'none',
        alone: 0,
        noisy: 0,
        ofAlone: 240,
        ofNoisy: 360,
        explained: 0,
        limits: [],
      },
      // Of 750 requests, 600 of b and 150 of a: each of two attempts, three tokens and a cost of 5.
      spent: { requests: 1500, tokens: 2250, cost: 3750 },
    });
    expect(measured.map(({ from, noise, value }) => [from, noise, value])).toEqual([
      [2000, 0, 100],
      [12_000, 5, 150],
      [22_000, 0, 100],
      [32_000, 5, 150],
      [42_000, 0, 100],
      [52_000, 5, 150],
    ]);
    // `judged-run.test.ts` has all that a block, a share and the return after the noise consist of.
    expect(shares.map(({ name, unit, got, asked }) => [name, unit, got, asked])).toEqual([
      ['b', 'requests', 10, 10],
      ['a', 'requests', 5, 5],
      ['b', 'tokens', 30, 30],
      ['a', 'tokens', 15, 15],
    ]);
    expect(failed?.value).toBe(0);
    expect(back).toMatchObject({ wasAway: false, after: 0 });
  });

  it('calls the populations isolated where nothing moved', () => {
    const { verdict, moved, reasons } = reportOf(seenWith(() => 100, 20));
    expect([verdict, moved, reasons]).toEqual(['isolated', { value: 0, low: 0, high: 0 }, []]);
    const few = reportOf(seenWith(() => 100));
    expect([few.verdict, few.reasons]).toEqual([
      'unknown',
      [
        expect.stringMatching(
          /^the requests are too few to exclude that one in a hundred more fails, which takes at least 381 /,
        ),
      ],
    ]);
  });

  it('has no cost where one is unknown', () => {
    const [first, ...others] = seenWith(() => 100);
    expect(reportOf([{ ...first!, cost: null }, ...others]).spent).toEqual({
      requests: 1500,
      tokens: 2250,
      cost: null,
    });
    expect(reportOf([]).spent).toEqual({ requests: 0, tokens: 0, cost: 0 });
  });

  it('decides nothing by a load that was not as planned, or of which too little was seen', () => {
    const arrivals = seenWith((due) => (isLoud(due) ? 150 : 100));
    const invalid = reportOf(arrivals, { level: 'invalid' });
    expect([invalid.verdict, invalid.reasons[0]]).toEqual([
      'unknown',
      'the load was not as planned (run/report.html says why)',
    ]);
    expect(reportOf(arrivals, { level: 'degraded' }).verdict).toBe('moved');
    const half = { scheduled: milliseconds(30_000), partial: 'stopped by SIGINT' };
    const stopped = reportOf(arrivals, { changes: half });
    expect([stopped.verdict, stopped.partial, stopped.blocks.length]).toEqual([
      'unknown',
      'stopped by SIGINT',
      3,
    ]);
  });
});
