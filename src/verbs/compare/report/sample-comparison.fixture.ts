import { type Comparison, comparisonSchema } from '../model/comparison.ts';
import { type ComparedMetric, comparisonRules } from '../../../model/series/compared-metric.ts';
import { hostileText } from '../../../report/fixtures/sample-answers.fixture.ts';

/** Test support: a comparison of five runs against five, with a metric for every verdict; any field can be overridden. */

const metric = (
  name: string,
  label: string,
  overrides: Partial<ComparedMetric>,
): ComparedMetric => ({
  id: `chat-stream ${name}`,
  traffic: 'chat-stream',
  model: null,
  name,
  label,
  unit: 'ms',
  better: 'lower',
  scale: 'ratio',
  gated: true,
  headline: true,
  remark: null,
  needed: null,
  verdict: 'same',
  base: { values: [200, 201, 199, 202, 198], typical: 200 },
  next: { values: [201, 200, 202, 199, 203], typical: 201 },
  effect: {
    change: 1.005,
    low: 0.99,
    high: 1.02,
    p: 0.4,
    adjustedP: 0.8,
    least: 1.1,
    drift: null,
    detectable: 1.1,
  },
  ...overrides,
});

const side = (name: string): Comparison['base'] => ({
  name,
  plan: 'evening',
  planHash: 'a'.repeat(64),
  target: 'https://host/v1',
  models: ['a/b'],
  seed: 42,
  slices: 1,
  weir: '0.1.0',
  runs: Array.from({ length: 5 }, (_, i) => ({
    file: `${name}/${i + 1}/result.json`,
    startedAt: '2026-07-01T10:20:30.000Z',
    trust: i === 2 ? 'degraded' : 'valid',
    arrivals: 60,
  })),
});

export const sampleComparison = (overrides: Partial<Comparison> = {}): Comparison =>
  comparisonSchema.parse({
    format: 'comparison/1',
    weir: '0.1.0',
    comparedAt: '2026-07-01T11:00:00.000Z',
    base: side('main'),
    next: side(`change ${hostileText}`),
    overridden: [],
    cautions: ['The generator was strained in 2 of 10 runs: their noise is partly its own.'],
    rules: comparisonRules,
    metrics: [
      metric('ttft.p50', 'TTFT p50', {
        next: { values: [250, 251, 249, 252, 248], typical: 250 },
        effect: {
          change: 1.25,
          low: 1.23,
          high: 1.27,
          p: 0.000_01,
          adjustedP: 0.000_04,
          least: 1.1,
          drift: null,
          detectable: 1.1,
        },
        verdict: 'regression',
      }),
      metric('tpot.p50', 'TPOT p50', {
        verdict: 'inconclusive',
        needed: 12,
        remark: '1 of the new runs has no value',
      }),
      metric('endToEnd.p50', 'End to end p50', {}),
      metric('ttft.p99', 'TTFT p99', { gated: false, remark: 'fewer than 1,000 samples in a run' }),
      metric('limited', 'Answers 429', {
        id: 'limited',
        traffic: null,
        unit: '%',
        scale: 'difference',
        verdict: 'improvement',
        base: { values: [0.1, 0.1, 0.1, 0.1, 0.1], typical: 0.1 },
        next: { values: [0, 0, 0, 0, 0], typical: 0 },
        effect: {
          change: -0.1,
          low: -0.13,
          high: -0.07,
          p: 0,
          adjustedP: 0,
          least: 0.005,
          drift: null,
          detectable: 0.03,
        },
      }),
    ],
    shapes: [
      {
        traffic: 'chat-stream',
        model: null,
        measure: 'ttft',
        distance: 0.94,
        samples: { base: 300, next: 300 },
      },
    ],
    verdict: 'regression',
    ...overrides,
  });
