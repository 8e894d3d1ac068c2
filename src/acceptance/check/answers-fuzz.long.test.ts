import { expect, it } from 'vitest';
import { cleanHeap } from '../../platform/host/clean-heap.ts';
import { changedPerSuite, fuzzSuites } from './answers-fuzz.fixture.ts';
import { recordAnswers } from './recorded-answers.fixture.ts';

const megabytesHeld = (): number => {
  cleanHeap();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
};

it('ten thousand random and changed answers are judged and reported, quickly and in flat memory', async () => {
  const recorded = await recordAnswers();
  const held: number[] = [];
  for (let seed = 2; seed <= 11; seed += 1) {
    const { slowest } = await fuzzSuites(seed, 1000 / changedPerSuite, recorded);
    expect(slowest).toBeLessThan(2000);
    held.push(megabytesHeld());
  }
  // The first thousand has compiled all code.
  expect(Math.max(...held) - held[0]!).toBeLessThan(10);
}, 900_000);
