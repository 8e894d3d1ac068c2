// @full 300 s: every damage in place of a hundred
import { expect, it } from 'vitest';
import { cleanUpAfterEach } from '../harness/weir-process.fixture.ts';
import { expectSentences, soundResult } from './damaged-files.fixture.ts';

cleanUpAfterEach();

it('2,000 damaged results give a report or a sentence each', { timeout: 1_800_000 }, async () => {
  const source = await soundResult();
  const halves = await Promise.all([
    expectSentences(source, 0, 1000),
    expectSentences(source, 1000, 2000),
  ]);
  // Neither too gentle nor too rough to reach what comes after the schema.
  const reports = halves[0] + halves[1];
  expect(reports).toBeGreaterThan(200);
  expect(reports).toBeLessThan(1800);
});
