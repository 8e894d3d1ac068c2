// @gate 2 s
import { expect, it } from 'vitest';
import { examineVirtually, faultyLimiters } from './virtual-limiters.fixture.ts';

const shownBy: Readonly<Record<string, string>> = {
  'never enforced': 'token-burst',
  'limit x 2': 'token-burst',
  'two replicas in turn': 'token-burst',
  'three replicas by connection': 'token-burst',
  'streams are free': 'token-burst',
  'only completions are charged': 'token-burst',
  'charged 10 s late': 'token-settling',
  'refuses 30 % early': 'token-early',
  'prompts counted twice': 'token-early',
  'window twice as long': 'token-early',
  'locked for 3 windows': 'token-early',
  'never reset while requests pass': 'token-recovery',
  'names requests': 'token-names',
  'remaining never falls': 'token-remaining',
};

it.each(Object.entries(shownBy))('shows a fault: %s by %s', async (name, id) => {
  for (const seed of [11, 12]) {
    const { findings } = await examineVirtually(faultyLimiters[name]!, seed, {
      hasSmallBucket: false,
    });
    const refuted = findings.checks.filter(({ finding }) => finding === 'refuted');
    expect({ seed, shown: refuted.map((check) => check.id) }).toStrictEqual({
      seed,
      shown: expect.arrayContaining([id]) as string[],
    });
  }
});
