import { describe, expect, it } from 'vitest';
import { type Comparison, comparisonSchema } from '../model/comparison.ts';
import { milliseconds } from '../../../model/quantity.ts';
import { samplePlan } from '../../../model/plan/sample-plan.fixture.ts';
import { compareSides, type CompareSidesOptions } from './compare-sides.ts';
import type { Result } from '../../../model/result/result.ts';
import type { Side } from '../../../judge/series/repetition.ts';
import { sampleSide } from '../../../judge/series/sample-sides.fixture.ts';
import { overridable } from './side-differences.ts';

const order = (
  base: Side,
  next: Side,
  differing: Partial<CompareSidesOptions> = {},
): CompareSidesOptions => ({
  base,
  next,
  gates: null,
  intended: [],
  allowed: [],
  weir: '0.1.0',
  comparedAt: '2026-07-01T10:20:30.000Z',
  ...differing,
});

const compared = (
  base: Side,
  next: Side,
  differing: Partial<CompareSidesOptions> = {},
): Comparison => {
  const found = compareSides(order(base, next, differing));
  if (!found.ok) throw new Error(found.refusals.map(({ message }) => message).join('; '));
  return comparisonSchema.parse(found.comparison);
};

const metric = ({ metrics }: Comparison, id: string) => metrics.find((each) => each.id === id);

const refusals = (base: Side, next: Side): readonly string[] => {
  const found = compareSides(order(base, next));
  return found.ok ? [] : found.refusals.map(({ message }) => message);
};

describe('a comparison of five against five', () => {
  it('calls 25 % more a regression, with the change and its interval', () => {
    const comparison = compared(
      sampleSide('a', 5, { noise: 0.01 }),
      sampleSide('b', 5, { seed: 2, noise: 0.01, factor: 1.25 }),
    );
    expect(comparison.verdict).toBe('regression');
    const { effect, verdict } = metric(comparison, 'chat-stream ttft.p50')!;
    expect(verdict).toBe('regression');
    expect(effect!.change).toBeGreaterThan(1.2);
    expect(effect!.low).toBeGreaterThan(1.1);
    expect(effect!.high).toBeLessThan(1.35);
    expect(effect!.adjustedP).toBeLessThan(0.001);
  });

  it('calls the opposite an improvement', () => {
    const comparison = compared(
      sampleSide('a', 5, { noise: 0.01, factor: 1.25 }),
      sampleSide('b', 5, { seed: 2, noise: 0.01 }),
    );
    expect(metric(comparison, 'chat-stream ttft.p50')?.verdict).toBe('improvement');
    expect(comparison.verdict).toBe('improvement');
  });

  it('calls equal sides equal if the noise is small, and reports the detectable change', () => {
    const comparison = compared(
      sampleSide('a', 5, { noise: 0.005 }),
      sampleSide('b', 5, { seed: 2, noise: 0.005 }),
    );
    expect(comparison.verdict).toBe('same');
    expect(metric(comparison, 'chat-stream endToEnd.p50')?.effect?.detectable).toBeCloseTo(1.1, 1);
  });

  it('is undecided if the noise is too large, and says how many repetitions are needed', () => {
    const comparison = compared(
      sampleSide('a', 5, { noise: 0.15 }),
      sampleSide('b', 5, { seed: 2, noise: 0.15 }),
    );
    const { verdict, needed } = metric(comparison, 'chat-stream ttft.p50')!;
    expect(comparison.verdict).toBe('inconclusive');
    expect(verdict).toBe('inconclusive');
    expect(needed).toBeGreaterThan(10);
  });

  it('reports no change below the absolute minimum, however large its percentage', () => {
    const tiny = { noise: 0.002, factor: 0.01 };
    const comparison = compared(
      sampleSide('a', 5, tiny),
      sampleSide('b', 5, { ...tiny, seed: 2, factor: 0.02 }),
    );
    expect(metric(comparison, 'chat-stream ttft.p50')).toMatchObject({
      verdict: 'same',
      effect: { least: expect.closeTo(3.5, 1) },
    });
  });

  it('multiplies the minimum effect of a figure by its error, a mean of a side', () => {
    const figure = {
      traffic: 'chat-stream',
      measure: 'ttft',
      q: 0.5,
      value: 200,
      high: 200,
    } as const;
    const withError = (side: Side, low: number): Side => {
      const trust = {
        level: 'valid',
        evidence: [],
        figures: [{ ...figure, low, isHeadline: true, isWeak: false, isSmall: false }],
      } as const;
      const [first, ...others] = side.repetitions.map((each) => ({ ...each, trust }));
      return { ...side, repetitions: [first!, ...others] };
    };
    const [base, next] = [
      sampleSide('a', 5, { noise: 0.01 }),
      sampleSide('b', 5, { seed: 2, noise: 0.01, factor: 1.25 }),
    ];
    const found = compared(withError(base, 140), withError(next, 180));
    expect(metric(found, 'chat-stream ttft.p50')).toMatchObject({
      effect: { least: expect.closeTo((1.1 * 200) / 140, 9) },
      verdict: expect.stringMatching('same|inconclusive'),
    });
    expect(metric(found, 'chat-stream endToEnd.p50')?.effect?.least).toBeCloseTo(1.1, 9);
    const unbounded = compared(withError(base, -Infinity), withError(next, 180));
    expect(metric(unbounded, 'chat-stream ttft.p50')?.effect?.least).toBeCloseTo(12.1, 9);
  });

  it('does not gate a percentile of too few samples unless requested', () => {
    const [a, b] = [
      sampleSide('a', 5, { requests: 60 }),
      sampleSide('b', 5, { requests: 60, seed: 2 }),
    ];
    expect(metric(compared(a, b), 'chat-stream ttft.p95')).toMatchObject({
      gated: false,
      remark: 'fewer than 200 samples in a run',
    });
    const asked = compared(a, b, { gates: ['ttft.p95', 'limited'] });
    expect(asked.metrics.flatMap(({ gated, id }) => (gated ? [id] : []))).toEqual([
      'chat-stream ttft.p95',
    ]);
  });

  it('detects throughput that fell by 10 % equally in every run', () => {
    const comparison = compared(
      sampleSide('a', 5),
      sampleSide('b', 5, { seed: 2, requests: 216 }),
      { gates: ['completed'] },
    );
    expect(metric(comparison, 'completed')).toMatchObject({ verdict: 'regression' });
  });

  it('detects an increase in 429 responses, and does not treat none on both sides as missing data', () => {
    const comparison = compared(sampleSide('a', 5), sampleSide('b', 5, { seed: 2, limited: 12 }));
    expect(metric(comparison, 'limited')).toMatchObject({
      verdict: 'regression',
      effect: { change: 0.05 },
    });
    expect(metric(comparison, 'errors')).toMatchObject({
      gated: false,
      remark: 'none on either side',
    });
  });

  it('leaves a metric that the new side lacks undecided, and never passes it', () => {
    const comparison = compared(
      sampleSide('a', 5),
      sampleSide(
        'b',
        5,
        { seed: 2 },
        {
          groups: sampleSide('c', 1).repetitions[0].result.groups.map((group) => ({
            ...group,
            distributions: { endToEnd: group.distributions.endToEnd! },
          })),
        },
      ),
    );
    expect(metric(comparison, 'chat-stream ttft.p50')).toMatchObject({
      gated: true,
      verdict: 'inconclusive',
      effect: null,
      remark: '5 of the new runs have no value',
    });
    expect(comparison.verdict).toBe('inconclusive');
  });

  it('leaves a requested metric that no run has undecided', () => {
    const found = compared(sampleSide('a', 5), sampleSide('b', 5), {
      gates: ['firstAudio.p50', 'completed'],
    });
    expect(found.verdict).toBe('inconclusive');
    expect(metric(found, 'firstAudio.p50')).toMatchObject({ remark: 'no run has a value' });
  });

  it('says where the sides left out warm-ups of different lengths, or found no end of one', () => {
    const found = (end: number, isSteady = true): Partial<Result> => ({
      warmUp: { end: milliseconds(end), isSteady, measures: ['ttft'], excluded: 0 },
    });
    const cautionsFor = (...[base, next]: readonly Partial<Result>[]) => {
      const { cautions } = compared(sampleSide('old', 2, {}, base), sampleSide('new', 2, {}, next));
      return cautions.filter((each) => each.includes('warm-up'));
    };
    expect(cautionsFor({}, {})).toEqual([]);
    expect(cautionsFor(found(1000), found(2000))).toEqual([]);
    expect(cautionsFor(found(1000), found(8000))).toEqual([
      expect.stringContaining('The warm-ups differ: 1 s in the base, 8 s in the new side.'),
    ]);
    expect(cautionsFor(found(1000), found(1000, false))).toEqual([
      expect.stringContaining('2 of 4 runs found no end of the warm-up'),
    ]);
    // One run that found another end does not hide what all others show.
    const [base, next] = [1000, 8000].map((end) => sampleSide(`${end}`, 5, {}, found(end)));
    const [odd, ...others] = next!.repetitions;
    const oddResult = { ...odd, result: { ...odd.result, ...found(1000) } };
    expect(compared(base!, { ...next!, repetitions: [oddResult, ...others] }).cautions).toContain(
      'The warm-ups differ: 1 s in the base, 1 to 8 s in the new side. They are left out, so that nothing here says what they cost.',
    );
  });

  it('reports how differently the samples are distributed', () => {
    const { shapes } = compared(
      sampleSide('a', 5, { noise: 0 }),
      sampleSide('b', 5, { seed: 2, noise: 0, factor: 4 }),
    );
    expect(shapes).toMatchObject([{ measure: 'ttft', samples: { base: 1200, next: 1200 } }]);
    expect(shapes[0]?.distance).toBeGreaterThan(0.99);
  });
});

describe('a comparison of fewer than five runs a side', () => {
  it.each([2, 3, 4])('never decides with %i, however far apart they are', (count) => {
    const comparison = compared(sampleSide('a', count), sampleSide('b', 5, { seed: 2, factor: 3 }));
    expect(comparison.verdict).toBe('inconclusive');
    expect(metric(comparison, 'chat-stream ttft.p50')?.needed).toBe(5);
  });

  it.each([1.4, 1.7, 0.3])('leaves one against one of five seconds open: %s times', (factor) => {
    const scheduled = milliseconds(5000);
    const comparison = compared(
      sampleSide('a', 1, { noise: 0 }, { scheduled }),
      sampleSide('b', 1, { noise: 0, factor }, { scheduled }),
    );
    // So short a run has no interval. `one-against-one.test.ts` compares longer ones.
    expect(comparison.verdict).toBe('inconclusive');
    expect(metric(comparison, 'chat-stream ttft.p50')?.effect).toMatchObject({
      p: null,
      low: null,
    });
  });
});

describe('a comparison is refused', () => {
  it('if nothing succeeded, even if differences are allowed', () => {
    const [a, b] = [sampleSide('a', 5), sampleSide('b', 1, {}, { groups: [] })];
    const found = compareSides(order(a, b, { allowed: overridable }));
    expect(found).toStrictEqual({
      ok: false,
      refusals: [{ what: 'success', message: 'b/1/result.json has no completed requests' }],
    });
  });

  it('unless it is explicitly allowed, which the comparison then says', () => {
    const next = sampleSide('b', 1, {}, { partial: 'stopped by SIGINT' });
    expect(compared(sampleSide('a', 5), next, { allowed: overridable }).overridden).toEqual([
      'b/1/result.json is partial: stopped by SIGINT',
    ]);
  });

  const base = sampleSide('a', 5);
  it.each([
    [
      'seed',
      samplePlan({ seed: 7 }),
      'the seed differs: 42 in a/1/result.json, 7 in b/1/result.json',
    ],
    [
      'target',
      samplePlan({ target: { kind: 'url', url: 'https://host/v1' } }),
      'the target differs: mock in a/1/result.json, https://host/v1 in b/1/result.json',
    ],
  ])('if the %s differs, with one reason', (what, plan, message) => {
    const next = sampleSide(
      'b',
      5,
      {},
      { plan: { ...plan, warmUp: milliseconds(0) }, planHash: 'b'.repeat(64) },
    );
    expect(refusals(base, next)).toEqual([message]);
    const allowed = compared(base, next, { allowed: [what as 'seed'] });
    expect(allowed.overridden).toEqual([message]);
    expect(compared(base, next, { intended: [what as 'seed'] }).overridden).toEqual([]);
  });

  it('only for the seed if criteria or stop conditions differ too', () => {
    const budget = { requests: 500, tokens: null, cost: null };
    const plan = samplePlan({ seed: 7, budget, warmUp: milliseconds(0) });
    const next = sampleSide('b', 5, {}, { plan, planHash: 'b'.repeat(64) });
    expect(refusals(base, next)).toEqual([
      'the seed differs: 42 in a/1/result.json, 7 in b/1/result.json',
    ]);
  });

  it('if another plan was run', () => {
    const next = sampleSide('b', 5, {}, { planHash: 'b'.repeat(64) });
    expect(refusals(base, next)[0]).toMatch(/^the plan differs \(its hash\): \w{12} in a\/1/);
  });

  it('if a run is invalid, incomplete, or without any success', () => {
    const [first, ...others] = sampleSide('b', 2).repetitions;
    const invalid: Side = {
      name: 'b',
      repetitions: [
        { ...first, trust: { level: 'invalid', evidence: [], figures: [] } },
        ...others,
      ],
    };
    expect(refusals(base, invalid)).toEqual([
      'b/1/result.json does not count: its load was not as planned',
    ]);
    expect(refusals(base, sampleSide('b', 1, {}, { partial: 'stopped by SIGINT' }))).toEqual([
      'b/1/result.json is partial: stopped by SIGINT',
    ]);
    expect(refusals(base, sampleSide('b', 1, {}, { groups: [] }))).toEqual([
      'b/1/result.json has no completed requests',
    ]);
  });
});
