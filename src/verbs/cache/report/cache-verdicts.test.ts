import { expect, it } from 'vitest';
import type { CacheReport } from '../model/cache-report.ts';
import { cacheDocument } from './cache-document.ts';

const report = (changes: Partial<CacheReport>): CacheReport => ({
  format: 'cache/1',
  weir: '0.1.0',
  target: 'https://host/v1',
  model: 'm',
  startedAt: '2026-07-01T10:20:30.000Z',
  took: 5000,
  spent: { requests: 1, tokens: 2, cost: null },
  stopped: null,
  seenBy: 'reported',
  promptTokens: 100,
  cachedTokens: 90,
  inferredShare: null,
  shortest: { kept: null, lost: null },
  age: { kept: 1000, lost: 2000 },
  isSteady: true,
  repetitions: [],
  others: { kept: null, lost: null },
  ...changes,
});
const verdict = (changes: Partial<CacheReport>) => cacheDocument(report(changes)).verdict;

it.each<readonly [string, string, Partial<CacheReport>]>([
  ['good', 'A prompt stays in the cache for between 1 s and 2 s', {}],
  [
    'warning',
    'A prompt stays in the cache for at least 1 s, but not always: some were lost earlier',
    { isSteady: false, age: { kept: 1000, lost: null } },
  ],
  [
    'plain',
    'A prompt is cached, but only when it is sent again at once',
    { age: { kept: null, lost: 500 } },
  ],
  ['warning', 'A prompt is cached; how long was not seen', { age: { kept: null, lost: null } }],
  [
    'warning',
    'Cannot tell whether prompts are cached: no cached tokens are reported, and answer times do not show it',
    { seenBy: null, cachedTokens: null },
  ],
  [
    'warning',
    'Cannot tell whether prompts are cached: all answers report 0 cached tokens, and answer times do not show it',
    { seenBy: null, cachedTokens: 0 },
  ],
  [
    'warning',
    'Cannot tell whether prompts are cached: new prompts are reported as cached like repeated ones, or repeated ones too little, and answer times do not show it',
    { seenBy: null, cachedTokens: 1 },
  ],
  [
    'warning',
    'Cannot tell whether prompts are cached',
    { seenBy: null, promptTokens: null, cachedTokens: null },
  ],
])('the verdict is %s: %s', (tone, text, changes) => {
  expect(verdict(changes)).toEqual({ text, tone });
});

const introductionOf = (changes: Partial<CacheReport>): string =>
  JSON.stringify(cacheDocument(report(changes)).introduction);

it('says what to do next only where something was left unseen, and the user did not stop it', () => {
  const unseen = { seenBy: null, cachedTokens: null } as const;
  expect(introductionOf(unseen)).toContain(
    'What now: examine again while nothing else uses the target, so that times vary less; have the server report cached tokens',
  );
  const reported = introductionOf({ seenBy: null });
  expect(reported).toContain('so that times vary less; or read');
  expect(introductionOf({ seenBy: null, promptTokens: null })).toContain(
    'What now: answers name no prompt tokens',
  );
  expect(introductionOf({ age: { kept: 1, lost: null } })).toContain('What now: `--longest`');
  for (const changes of [
    {},
    { age: { kept: null, lost: 5 } },
    { ...unseen, stopped: 'stopped by SIGINT' },
    { age: { kept: 1, lost: null }, stopped: 'stopped by SIGINT' },
  ])
    expect(introductionOf(changes)).not.toContain('What now');
});
