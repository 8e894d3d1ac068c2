import { describe, expect, it } from 'vitest';
import type { ForecastAmount, ForecastGroup } from '../../model/plan/forecast.ts';
import type { Objective } from '../../model/plan/objective.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { forecastDecisions, forecastSamples } from './forecast-samples.ts';
import { sampleObjective } from '../../model/plan/sample-objective.fixture.ts';

const none: ForecastAmount = { sum: 0, basis: 'exact', unknown: 0 };

const group = (changes: Partial<ForecastGroup>): ForecastGroup => ({
  stage: 'steady',
  traffic: 'chat-stream',
  model: 'm',
  entry: null,
  key: 'main',
  requests: none,
  input: none,
  output: none,
  cost: none,
  measured: 100,
  hangUps: 0,
  gaps: 900,
  ...changes,
});

const groups = [
  group({}),
  group({ key: 'spare', measured: 50, gaps: null }),
  group({ traffic: 'chat', measured: 30 }),
];

const objective = (text: string, changes: Partial<Objective>): Objective =>
  sampleObjective({
    text,
    figure: { kind: 'measure', name: 'ttft', statistic: 0.95 },
    bound: 1,
    minSamples: 150,
    ...changes,
  });

const decided = (objectives: readonly Objective[], of = groups) =>
  forecastDecisions(of, samplePlan({ objectives: [...objectives] })).map(
    ({ expects, isDecidable }) => [expects, isDecidable],
  );

const scope = { traffic: null, model: null, key: 'main', stages: null };

describe('the forecast samples of a plan', () => {
  it('are counted for each measure, with chunk gaps if answers have a maximum length', () => {
    const samples = forecastSamples(groups.slice(0, 1), samplePlan());
    expect(samples).toContainEqual({ measure: 'ttft', traffic: 'chat-stream', samples: 100 });
    expect(samples).toContainEqual({ measure: 'gap', traffic: 'chat-stream', samples: 900 });
    const names = forecastSamples(groups, samplePlan()).map(({ measure }) => measure);
    expect(names).not.toContain('gap');
    expect(names).not.toContain('connect');
    expect(names).not.toContain('paceWait');
  });

  it('are counted for the requests in the scope of each objective', () => {
    expect(
      decided([
        objective('ttft.p95', {}),
        objective('ttft.p95{key=main}', { scope }),
        objective('gap.p99', { figure: { kind: 'measure', name: 'gap', statistic: 0.99 } }),
        objective('errorRate', { figure: { kind: 'share', name: 'errorRate' }, minSamples: 181 }),
        objective('cacheHits', { figure: { kind: 'token-share', name: 'cacheHits' } }),
        objective('cacheHits', {
          figure: { kind: 'token-share', name: 'cacheHits' },
          minSamples: 181,
        }),
        objective('failed', { figure: { kind: 'count', name: 'failed' } }),
      ]),
    ).toEqual([
      [150, true],
      [100, false],
      [null, null],
      [180, false],
      // Only the answers show whether the target reports cached tokens.
      [null, null],
      [180, false],
      [null, true],
    ]);
  });

  it('are unknown for a single key under a pace, since the pace chooses the keys', () => {
    expect(decided([objective('ttft.p95{key=main}', { scope })], [group({ key: null })])).toEqual([
      [null, null],
    ]);
  });
});
