import { cleanHeap } from '../../platform/host/clean-heap.ts';
import { changedPerSuite, fuzzSuites } from './answers-fuzz.fixture.ts';
import { recordAnswers } from './recorded-answers.fixture.ts';

const megabytesHeld = (): number => {
  cleanHeap();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
};

/** Judges and reports so many thousands of random and changed answers: the slowest in ms, and the megabytes that are held more than after the first thousand, which has compiled all code. */
export const fuzzThousands = async (
  thousands: number,
): Promise<{ readonly slowest: number; readonly growth: number }> => {
  const recorded = await recordAnswers();
  const held: number[] = [];
  let slowest = 0;
  for (let seed = 2; seed < 2 + thousands; seed += 1) {
    const suites = await fuzzSuites(seed, 1000 / changedPerSuite, recorded);
    slowest = Math.max(slowest, suites.slowest);
    held.push(megabytesHeld());
  }
  return { slowest, growth: Math.max(...held) - held[0]! };
};
