import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { healthyResult, sampleGroup, streamLabels } from '../../judge/sample-result.fixture.ts';
import { emptyOutcomeCounts } from '../../model/measures/outcome-counts.ts';
import { openHistory } from '../../platform/files/history-db.ts';
import { storeInHistory } from './store-in-history.ts';

const home = mkdtempSync(join(tmpdir(), 'weir-stored-'));
afterAll(() => rmSync(home, { recursive: true }));

const store = async (path: string | null, level: 'valid' | 'invalid' = 'valid') => {
  const warned: string[] = [];
  const trust = { level, evidence: [], figures: [] } as never;
  const outcomes = { ...emptyOutcomeCounts(), completed: 1 };
  const result = healthyResult({
    groups: [sampleGroup(1, { labels: streamLabels, outcomes, distributions: {} })],
  });
  const repetition = { file: join(home, 'result.json'), result, trust };
  await storeInHistory(path, repetition, (text) => warned.push(text));
  return warned;
};
const runsIn = async (path: string) => {
  const history = await openHistory(path);
  try {
    return history.runs();
  } finally {
    history.close();
  }
};

it('a run that counts is added to the history, and no other', async () => {
  const path = join(home, 'history.sqlite');
  expect(await store(path)).toEqual([]);
  expect(await store(path, 'invalid')).toEqual([]);
  expect(await store(null)).toEqual([]);
  expect(await runsIn(path)).toHaveLength(1);
});

it('a history that cannot be written is a warning', async () => {
  expect(await store(home)).toEqual([
    expect.stringMatching(/^This run is not in the history: .*[^.]\.$/),
  ]);
});
