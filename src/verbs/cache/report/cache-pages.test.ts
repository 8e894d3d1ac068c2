import {
  describeStoredReports,
  describeWholePages,
} from '../../../report/document/page-tests.fixture.ts';
import { type CacheReport, cacheReportSchema } from '../model/cache-report.ts';
import { cacheDocument } from './cache-document.ts';

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

describeWholePages(
  Object.fromEntries(
    Object.entries(caches).map(([name, report]) => [`a cache ${name}`, cacheDocument(report)]),
  ),
);
describeStoredReports({ 'a cache': [cacheReportSchema, cache()] });
