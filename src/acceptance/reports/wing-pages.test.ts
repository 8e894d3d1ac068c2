import { describe, expect, it } from 'vitest';
import type { ReportDocument } from '../../report/document/document.ts';
import { markdownText } from '../../report/document/markdown-writer.ts';
import { type CacheReport, cacheReportSchema } from '../../verbs/cache/model/cache-report.ts';
import { cacheDocument } from '../../verbs/cache/report/cache-document.ts';
import { calibrationDocument } from '../../verbs/calibrate/report/calibration-document.ts';
import {
  sampleCalibration,
  sampleCalibrationCell,
} from '../../verbs/calibrate/report/sample-calibration.fixture.ts';
import { capacityDocument } from '../../verbs/capacity/report/capacity-document.ts';
import { capacityReportSchema } from '../../verbs/capacity/model/capacity.ts';
import { sampleCapacity } from '../../verbs/capacity/report/sample-capacity.fixture.ts';
import { calibrationSchema } from '../../model/series/calibration.ts';
import { checkReportSchema } from '../../verbs/check/model/check-report.ts';
import { comparisonSchema } from '../../verbs/compare/model/comparison.ts';
import { compareChecks } from '../../verbs/check/judge/compare-checks.ts';
import {
  checkComparisonDocument,
  checkComparisonJunit,
} from '../../verbs/check/report/check-comparison-document.ts';
import { checkDocument, checkOverview } from '../../verbs/check/report/check-document.ts';
import { checkJunit } from '../../verbs/check/report/check-junit.ts';
import {
  fullCheck,
  sampleCheck,
  sampleRow,
} from '../../verbs/check/report/sample-check.fixture.ts';
import {
  comparisonDocument,
  comparisonJunit,
} from '../../verbs/compare/report/comparison-document.ts';
import { pairsSchema } from '../../verbs/compare/model/pairs.ts';
import { pairsDocument } from '../../verbs/compare/report/pairs-document.ts';
import {
  samplePairedFigure,
  samplePairedSide,
  samplePairsReport,
} from '../../verbs/compare/report/sample-pairs.fixture.ts';
import { fairnessReportSchema } from '../../verbs/fairness/model/fairness-report.ts';
import { fairnessDocument } from '../../verbs/fairness/report/fairness-document.ts';
import { sampleFairness } from '../../verbs/fairness/report/sample-fairness.fixture.ts';
import {
  recoveryReportSchema,
  unknownReasons,
} from '../../verbs/recovery/model/recovery-report.ts';
import { recoveryDocument } from '../../verbs/recovery/report/recovery-document.ts';
import {
  samplePolicy,
  sampleRecovery,
} from '../../verbs/recovery/report/sample-recovery.fixture.ts';
import { noiseDocument } from '../../verbs/compare/report/noise-document.ts';
import { sampleComparison } from '../../verbs/compare/report/sample-comparison.fixture.ts';
import { baselinesDocument, historyDocument } from '../../verbs/history/report/history-document.ts';
import { sampleTrend } from '../../verbs/history/report/sample-history.fixture.ts';
import { sweepReportSchema } from '../../verbs/sweep/model/sweep.ts';
import { sampleSweep } from '../../verbs/sweep/report/sample-sweep.fixture.ts';
import { sweepDocument, sweepOverview } from '../../verbs/sweep/report/sweep-document.ts';

/** Whole pages of the wings from reports that have each thing, and from reports that lack it. */

const cache = (changes: Partial<CacheReport> = {}): CacheReport => ({
  format: 'cache/1',
  weir: '0.1.0',
  target: 'https://host/v1',
  model: 'a/b',
  startedAt: '2026-07-01T10:20:30.000Z',
  took: 95_000,
  spent: { requests: 41, tokens: 52_345, cost: 123_456 },
  stopped: 'stopped by SIGINT',
  seenBy: 'reported',
  promptTokens: 1200,
  cachedTokens: 1024,
  inferredShare: null,
  shortest: { kept: 128, lost: 96 },
  age: { kept: 17_000, lost: 19_000 },
  isSteady: true,
  repetitions: [
    { age: 19_000, most: 19_400, hit: false },
    { age: 1000, hit: true },
    { age: 17_000, hit: null },
  ],
  others: { kept: 4000, lost: null },
  ...changes,
});

const cost = { requests: 1, tokens: 2, cost: null };
const bounds = (kept: number | null, lost: number | null) => ({ kept, lost });

const caches: Readonly<Record<string, CacheReport>> = {
  'whose cached tokens are reported': cache(),
  'that is seen by times': cache({
    seenBy: 'timed',
    cachedTokens: null,
    inferredShare: { value: 0.82, low: 0.7, high: 0.94 },
    isSteady: false,
    stopped: null,
    age: bounds(17_000, null),
    others: bounds(null, 900),
  }),
  'that is seen by times, and not how much of a prompt': cache({
    seenBy: 'timed',
    cachedTokens: null,
    age: bounds(null, 19_000),
    others: bounds(null, null),
  }),
  'that keeps nothing of short prompts': cache({
    age: bounds(null, null),
    shortest: bounds(null, 512),
    spent: cost,
  }),
  'that keeps all prompts that were tried': cache({
    shortest: bounds(64, null),
    promptTokens: 1,
    cachedTokens: 1,
  }),
  'of which nothing is known': cache({
    seenBy: null,
    shortest: bounds(null, null),
    repetitions: [],
    stopped: null,
  }),
  'of which nothing was tried': cache({ seenBy: null, promptTokens: null, repetitions: [] }),
};

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

const capacity = sampleCapacity();
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
const [before, after] = [
  sampleCheck([
    sampleRow({ id: 'kept', outcome: 'pass' }),
    sampleRow({ id: 'fell', outcome: 'pass' }),
    sampleRow({ id: 'rose', outcome: 'violation', observed: 'was odd' }),
    sampleRow({ id: 'gone', outcome: 'pass' }),
  ]),
  sampleCheck(
    [
      sampleRow({ id: 'kept', outcome: 'pass' }),
      sampleRow({ id: 'fell', outcome: 'violation', observed: 'is odd' }),
      sampleRow({ id: 'rose', outcome: 'deviation', observed: 'is nearly right' }),
      sampleRow({ id: 'fresh', outcome: 'unchecked', observed: 'no model' }),
    ],
    { startedAt: '2026-08-01T10:20:30.000Z' },
  ),
] as const;
const each = (['violation', 'deviation', 'pass', 'unchecked'] as const).flatMap((outcome) => [
  sampleRow({ id: `${outcome}.a`, outcome, observed: `a is ${outcome}`, expected: 'another' }),
  sampleRow({ id: `${outcome}.b`, outcome, observed: `b is ${outcome}`, section: '8' }),
]);
const trend = sampleTrend();
const runs = trend.runs.map((run, i) => ({
  ...run,
  baselines: i < 2 ? ['good', 'main'] : i < 3 ? ['main'] : [],
}));

const recoveries = [
  ...unknownReasons.map(
    (reason) =>
      [
        `of which one is unknown: ${reason}`,
        sampleRecovery({
          policies: [
            samplePolicy(),
            samplePolicy({
              policy: 'backoff',
              state: 'unknown',
              reason,
              needs: 95_000,
              after: null,
            }),
          ],
        }),
      ] as const,
  ),
  [
    'that is stuck, and one that retries alone keep down',
    sampleRecovery({
      policies: [
        samplePolicy({ state: 'stuck', after: null }),
        samplePolicy({ policy: 'backoff', state: 'kept', after: null }),
      ],
    }),
  ],
  [
    'that was stopped before it knew anything, and named no wait',
    sampleRecovery({
      partial: 'stopped by SIGINT',
      policies: [
        samplePolicy({
          policy: 'retry-after',
          state: 'unknown',
          reason: 'partial',
          within: null,
          resolution: null,
          windows: [],
          named: 0,
        }),
      ],
    }),
  ],
] as const;

const documents: Readonly<Record<string, ReportDocument>> = {
  ...Object.fromEntries(
    Object.entries(caches).map(([name, report]) => [`a cache ${name}`, cacheDocument(report)]),
  ),
  'two neighbours': fairnessDocument(fair),
  'a recovery': recoveryDocument(sampleRecovery()),
  'paired sides': pairsDocument(samplePairsReport(), 'reports/1'),
  'a calibration': calibrationDocument(sampleCalibration()),
  'a calibration of two rates': calibrationDocument(
    sampleCalibration({
      cells: [
        sampleCalibrationCell({ tokensPerSecond: 10 }),
        sampleCalibrationCell({ streams: 2000, tokensPerSecond: 50 }),
      ],
    }),
  ),
  'a search for capacity': capacityDocument(capacity),
  'a search for capacity without an answer': capacityDocument(
    sampleCapacity({ answer: null, fit: null, steps: capacity.steps.slice(2, 3) }),
  ),
  'a check': checkDocument(sampleCheck(each)),
  'a check on a terminal': checkOverview(fullCheck()),
  'two checks': checkComparisonDocument(compareChecks(before, after)),
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
  'a history': historyDocument('0.1.0', [trend]),
  'a history without runs': historyDocument('0.1.0', []),
  'all baselines': baselinesDocument('0.1.0', runs, null),
  'one baseline': baselinesDocument('0.1.0', runs, 'good'),
  'a baseline that is none': baselinesDocument('0.1.0', runs, 'odd'),
  'a sweep': sweepDocument(sampleSweep()),
  'a sweep on a terminal': sweepOverview(sampleSweep()),
};

const files: Readonly<Record<string, string>> = {
  'a check': checkJunit(sampleCheck(each), false),
  'a strict check': checkJunit(sampleCheck(each), true),
  'two checks': checkComparisonJunit(compareChecks(before, after)),
  'a comparison': comparisonJunit(sampleComparison(), false),
  'a strict comparison': comparisonJunit(sampleComparison(), true),
};

describe('the whole page of', () => {
  it.each(Object.entries(documents))('%s', (_, document) => {
    const page = markdownText(document);
    expect(page).not.toMatch(/NaN|Infinity|undefined|\[object/);
    expect(page).toMatchSnapshot();
  });
});

/** Other reports, each with the page that it differs from. */
const others: readonly (readonly [name: string, page: ReportDocument, usual: ReportDocument])[] = [
  ...neighbours.map(
    ([name, report]) =>
      [`neighbours ${name}`, fairnessDocument(report), fairnessDocument(fair)] as const,
  ),
  ...recoveries.map(
    ([name, report]) =>
      [`a recovery ${name}`, recoveryDocument(report), recoveryDocument(sampleRecovery())] as const,
  ),
  ...pairs.map(
    ([name, report]) =>
      [
        `pairs ${name}`,
        pairsDocument(report, 'reports/1'),
        pairsDocument(samplePairsReport(), 'reports/1'),
      ] as const,
  ),
];

describe('what only the page has of', () => {
  it.each(others)('%s', (_, other, usual) => {
    const known = new Set(markdownText(usual).split('\n'));
    const lines = markdownText(other).split('\n');
    expect(lines.join('\n')).not.toMatch(/NaN|Infinity|undefined|\[object/);
    const lacking = [...known].filter((line) => !lines.includes(line) && line.startsWith('#'));
    expect([
      ...lines.filter((line) => !known.has(line)),
      ...lacking.map((line) => `no ${line}`),
    ]).toMatchSnapshot();
  });
});

describe('the file of test cases of', () => {
  it.each(Object.entries(files))('%s', (_, file) => {
    expect(file).toMatchSnapshot();
  });
});

describe('what a wing has stored is read again without a loss:', () => {
  it.each([
    ['a cache', cacheReportSchema, cache()],
    ['a calibration', calibrationSchema, sampleCalibration()],
    ['a search for capacity', capacityReportSchema, capacity],
    ['a check', checkReportSchema, fullCheck()],
    ['a comparison', comparisonSchema, sampleComparison()],
    ['neighbours', fairnessReportSchema, fair],
    ['a recovery', recoveryReportSchema, sampleRecovery()],
    ['pairs', pairsSchema, samplePairsReport()],
    ['a sweep', sweepReportSchema, sampleSweep()],
  ])('%s', (_, schema, report) => {
    const stored: unknown = JSON.parse(JSON.stringify(report));
    const read = schema.safeParse(stored);
    expect(read.error?.issues).toBeUndefined();
    expect(read.data).toEqual(stored);
    const { format: __, ...unnamed } = stored as { format: string };
    expect(schema.safeParse(unnamed).success).toBe(false);
    expect(schema.safeParse({ ...unnamed, format: 'odd/1' }).success).toBe(false);
  });
});
