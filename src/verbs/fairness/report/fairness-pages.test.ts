import {
  describeOtherPages,
  describeStoredReports,
  describeWholePages,
} from '../../../report/document/page-tests.fixture.ts';
import { fairnessReportSchema } from '../model/fairness-report.ts';
import { fairnessDocument } from './fairness-document.ts';
import { sampleFairness } from './sample-fairness.fixture.ts';

const fair = sampleFairness();
const back = fair.back!;
const neighbours: readonly (readonly [name: string, report: typeof fair])[] = [
  [
    'that are isolated',
    sampleFairness({
      verdict: 'isolated',
      moved: { value: 0.004, low: -0.0004, high: 0.06 },
      failed: { value: -0.002, low: -0.01, high: 0.004 },
      noiseBy: { alone: 2, noisy: 20 },
      isContended: false,
      refusals: { ...fair.refusals, cause: 'none' },
      back: { ...back, wasAway: false, after: 0 },
      spent: { requests: 1, tokens: 1, cost: null },
    }),
  ],
  [
    'of which nothing is known',
    sampleFairness({
      verdict: 'unknown',
      reasons: ['there are too few pairs', 'the load was late'],
      partial: 'stopped by SIGINT before the load had ended',
      moved: null,
      failed: null,
      blocks: [],
      shares: [],
      back: null,
    }),
  ],
  [
    'of which one fails without a bound',
    sampleFairness({
      moved: { value: 99, low: 12, high: null },
      refusals: { ...fair.refusals, cause: 'own' },
      back: { ...back, after: null, ends: 1 },
    }),
  ],
  ...(['shared', 'undeclared', 'alone', 'unknown'] as const).map(
    (cause) =>
      [
        `whose 429s are called ${cause}`,
        sampleFairness({
          refusals: { ...fair.refusals, cause },
          back: { ...back, after: 0 },
        }),
      ] as const,
  ),
];

const usual = fairnessDocument(fair);

describeWholePages({ 'two neighbours': usual });
describeOtherPages(
  usual,
  Object.fromEntries(
    neighbours.map(([name, report]) => [`neighbours ${name}`, fairnessDocument(report)]),
  ),
);
describeStoredReports({ neighbours: [fairnessReportSchema, fair] });
