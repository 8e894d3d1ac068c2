import {
  describeOtherPages,
  describeStoredReports,
  describeTestCaseFiles,
  describeWholePages,
} from '../../../report/document/page-tests.fixture.ts';
import { comparisonSchema } from '../model/comparison.ts';
import { pairsSchema } from '../model/pairs.ts';
import { comparisonDocument, comparisonJunit } from './comparison-document.ts';
import { noiseDocument } from './noise-document.ts';
import { pairsDocument } from './pairs-document.ts';
import { sampleComparison } from './sample-comparison.fixture.ts';
import { samplePairedFigure, samplePairedSide, samplePairsReport } from './sample-pairs.fixture.ts';

const limit = (verdict: 'within' | 'worse' | 'undecided', q = 0.5) => ({ q, most: 5, verdict });
const pairs: readonly (readonly [name: string, report: ReturnType<typeof samplePairsReport>])[] = [
  [
    'of a faster side that caches',
    samplePairsReport({
      verdict: 'saves',
      notes: [],
      figures: [samplePairedFigure(), samplePairedFigure({ measure: 'tpot', pairs: 1 })],
      base: samplePairedSide({ cachedFirst: 0, cachedSecond: 96.5 }),
    }),
  ],
  [
    'that keep a limit',
    samplePairsReport({ verdict: 'within', limits: [limit('within'), limit('within', 0.95)] }),
  ],
  ['that break a limit', samplePairsReport({ verdict: 'worse', limits: [limit('worse')] })],
  [
    'that decide nothing, as this machine is slow',
    samplePairsReport({
      verdict: 'undecided',
      limits: [limit('undecided', 0.99)],
      figures: [samplePairedFigure({ boundBy: 'this machine', shifts: [], differences: [] })],
    }),
  ],
  ['of which the new side fails more', samplePairsReport({ verdict: 'fails more' })],
  [
    'of which none was answered',
    samplePairsReport({
      verdict: 'no difference',
      figures: [],
      pairs: 0,
      failures: { ...samplePairsReport().failures, baseOnly: 0, nextOnly: 0, both: 0, unknown: 2 },
      next: samplePairedSide({ cachedFirst: 3 }),
    }),
  ],
  [
    'of a load that was late',
    samplePairsReport({ base: samplePairedSide({ trust: 'invalid' }), gap: 0, seconds: 1 }),
  ],
];

const noise = {
  format: 'noise/1' as const,
  weir: '0.1.0',
  measuredAt: '2026-07-01T10:20:30.000Z',
  plan: 'evening',
  planHash: 'a'.repeat(64),
  target: 'mock',
  runs: ['a', 'b', 'c', 'd'],
  overridden: ['the targets differ'],
  cautions: ['Run 2 is DEGRADED.'],
  verdict: 'inconclusive' as const,
};

const usual = pairsDocument(samplePairsReport(), 'reports/1');

describeWholePages({
  'paired sides': usual,
  'a comparison': comparisonDocument(sampleComparison()),
  noise: noiseDocument({
    ...noise,
    metrics: [
      {
        id: 'chat ttft.p50',
        label: 'TTFT p50',
        unit: 'ms',
        scale: 'ratio',
        gated: true,
        typical: 202,
        noise: 0.053,
        change: 1.01,
        low: 0.95,
        high: 1.07,
        least: 1.1,
        needed: 12,
        detectable: [
          { repetitions: 5, change: 1.19 },
          { repetitions: 10, change: 1.12 },
        ],
      },
      {
        id: 'errorRate',
        label: 'Error rate',
        unit: 'percent',
        scale: 'difference',
        gated: false,
        typical: 0.02,
        noise: null,
        change: 0.004,
        low: -0.01,
        high: 0.02,
        least: 0.01,
        needed: null,
        detectable: [],
      },
    ],
  }),
});
describeOtherPages(
  usual,
  Object.fromEntries(
    pairs.map(([name, report]) => [`pairs ${name}`, pairsDocument(report, 'reports/1')]),
  ),
);
describeTestCaseFiles({
  'a comparison': comparisonJunit(sampleComparison(), false),
  'a strict comparison': comparisonJunit(sampleComparison(), true),
});
describeStoredReports({
  'a comparison': [comparisonSchema, sampleComparison()],
  pairs: [pairsSchema, samplePairsReport()],
});
