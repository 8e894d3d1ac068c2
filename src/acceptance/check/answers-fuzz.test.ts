import { expect, it } from 'vitest';
import { changedPerSuite, fuzzSuites } from './answers-fuzz.fixture.ts';
import { recordAnswers } from './recorded-answers.fixture.ts';

it('two hundred random and changed answers are judged and reported, and nothing of them breaks a report', async () => {
  const { slowest } = await fuzzSuites(1, 200 / changedPerSuite, await recordAnswers());
  expect(slowest).toBeLessThan(2000);
});
