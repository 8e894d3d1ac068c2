import { expect, it } from 'vitest';
import type { Answers } from '../reading/check-case.ts';
import type { GenerationFacts } from '../reading/hang-up-facts.ts';
import { disconnectChecks } from './disconnect-checks.ts';

const generation = (changes: Partial<GenerationFacts>) => {
  const facts = { idleAfter: null, lookedFor: 5000, naturalRest: 5000, tokensAfter: null };
  const unseen = { unseen: 'not looked at' };
  const hangUps = { slot: unseen, generation: { ...facts, ...changes }, charge: unseen };
  const check = disconnectChecks.find(({ id }) => id === 'disconnect.generation')!;
  return check.judge({ hangUps } as unknown as Answers);
};

it.each([
  ['its metrics still run and count no tokens', {}, 'deviation'],
  ['tokens were counted on', { tokensAfter: 200 }, 'deviation'],
  ['no new tokens were counted, so that the other figure is late', { tokensAfter: 0 }, 'unchecked'],
  ['it was idle soon', { idleAfter: 100, tokensAfter: 0 }, 'pass'],
  ['its answer would have ended anyway', { naturalRest: 500 }, 'unchecked'],
])('whether a server generates on after a hang-up: %s', (_, changes, outcome) => {
  expect(generation(changes).outcome).toBe(outcome);
});
