import { describe, expect, it } from 'vitest';
import type { TokenSums } from '../../model/measures/counts.ts';
import { emptySecond } from '../../model/measures/outcome-counts.ts';
import type { Objective } from '../../model/plan/objective.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { milliseconds } from '../../model/quantity.ts';
import { healthyResult, sampleGroup, streamLabels } from '../sample-result.fixture.ts';
import { judgeObjectives } from './judge-objectives.ts';

const objective = (bound: number, scope: Partial<Objective['scope']> = {}): Objective => ({
  text: 'cacheHits > x',
  figure: { kind: 'token-share', name: 'cacheHits' },
  scope: { traffic: null, model: null, key: null, stages: null, ...scope },
  comparison: '>',
  bound,
  minSamples: 1,
  severity: 'fail',
  abortAfter: null,
});

/** The sums of ten answers of 100 prompt tokens each, of which some report their cached tokens. */
const sums = (reported: number, cached: number, differing: Partial<TokenSums> = {}): TokenSums => ({
  source: 'usage',
  answers: 10,
  answersWithInput: 10,
  input: 1000,
  output: 50,
  ...(reported === 0
    ? {}
    : { cached: { answers: reported, input: 100 * reported, tokens: cached } }),
  ...differing,
});

const groupOf = (tokens: TokenSums, labels = {}) =>
  sampleGroup(10, { labels: { ...streamLabels, ...labels }, tokens: [tokens] });

const judged = (
  held: Objective,
  groups: ReturnType<typeof groupOf>[],
  bySecond: readonly { readonly input: number; readonly tokens: number }[] = [],
) => {
  const plan = samplePlan({ warmUp: milliseconds(0), objectives: [held] });
  const timeline = bySecond.map((cached, second) => ({
    ...emptySecond(second),
    cached,
    latency: {},
  }));
  const result = healthyResult({ plan, groups, ...(timeline.length === 0 ? {} : { timeline }) });
  return judgeObjectives(result, { level: 'valid', evidence: [], figures: [] })[0]!;
};

describe('an objective on cache hits', () => {
  it('weighs answers by the tokens of their prompts', () => {
    const [long, short] = [
      sums(10, 9000, { input: 10_000, cached: { answers: 10, input: 10_000, tokens: 9000 } }),
      sums(10, 0),
    ];
    expect(judged(objective(80), [groupOf(long), groupOf(short)])).toMatchObject({
      grounds: 'kept',
      unit: '%',
      n: 20,
      observed: (9000 / 11_000) * 100,
    });
  });

  it('is broken by a share that is too small', () => {
    expect(judged(objective(80), [groupOf(sums(10, 790))])).toMatchObject({
      grounds: 'broken',
      observed: 79,
    });
  });

  it('counts only the requests in its scope', () => {
    const groups = [groupOf(sums(10, 100)), groupOf(sums(10, 900), { model: 'other' })];
    expect(judged(objective(80, { model: 'other' }), groups)).toMatchObject({
      grounds: 'kept',
      observed: 90,
    });
  });

  it('is never kept by answers that report nothing, and fails the run', () => {
    expect(judged(objective(0), [groupOf(sums(0, 0))])).toMatchObject({
      grounds: 'never-given',
      ruling: 'inconclusive',
      observed: null,
      unreported: 10,
    });
  });

  it.each([
    [50, 'kept'],
    [79, 'kept'],
    [80, 'unreported'],
    [85, 'unreported'],
    [90, 'broken'],
  ])('of 80 to 90 %%, since one answer reports nothing, says of > %d %%: %s', (bound, grounds) => {
    expect(judged(objective(bound), [groupOf(sums(9, 800))])).toMatchObject({
      grounds,
      unreported: 1,
      error: { low: 80, high: 90 },
    });
  });

  it('is undecided if an answer reports nothing about its prompt at all', () => {
    const tokens = sums(9, 900, { answersWithInput: 9, input: 900 });
    expect(judged(objective(99), [groupOf(tokens)])).toMatchObject({
      grounds: 'unreported',
      error: { low: 0, high: 100 },
    });
  });

  it('has no data without a chat', () => {
    expect(judged(objective(80), [])).toMatchObject({ grounds: 'no-data', n: 0 });
  });

  it('is sure if the cached shares of its blocks differ little, and not sure if they differ much', () => {
    const group = groupOf(
      sums(10, 900, { cached: { answers: 10, input: 4000, tokens: 3600 }, input: 4000 }),
    );
    const seconds = (spread: number) =>
      Array.from({ length: 40 }, (_, i) => ({
        input: 100,
        tokens: 90 + (i < 20 ? spread : -spread),
      }));
    const steady = judged(objective(85), [group], seconds(0));
    expect(steady).toMatchObject({ sure: true, low: 90, high: 90 });
    const drifting = judged(objective(85), [group], seconds(10));
    expect(drifting.sure).toBe(false);
    expect(drifting.low).toBeLessThan(85);
    expect(drifting.high).toBeLessThanOrEqual(100);
  });
});
