import { describe, expect, it } from 'vitest';
import { planHash } from '../model/plan/plan-hash.ts';
import { readScenario } from './read-scenario.ts';

const reading = (budget: string) =>
  readScenario({
    text: `traffic: [{ kind: models }]\nload: { kind: constant, rate: 1/s, duration: 9s }\n${budget}`,
    name: 's.yaml',
    environment: {},
  });

const messages = (budget: string): string => {
  const read = reading(budget);
  return read.ok ? '' : read.problems.map(({ message, hint }) => `${message} ${hint}`).join('\n');
};

describe('the budget of a scenario', () => {
  it('holds money in whole millionths and whole numbers of requests and tokens, each optional', () => {
    expect(reading('budget: { cost: 2.5, tokens: 1000 }')).toMatchObject({
      plan: { budget: { cost: 2_500_000, tokens: 1000, requests: null } },
    });
    expect(reading('')).toMatchObject({ plan: { budget: null } });
  });

  it('is greater than 0 and has only known fields', () => {
    expect(messages('budget: { cost: 0 }')).toContain('expected an amount above 0');
    expect(messages('budget: { requests: 0 }')).toContain('expected a whole number from 1');
    expect(messages('budget: { reqests: 5 }')).toContain('requests');
  });

  it('does not affect whether runs of a plan can be compared', () => {
    const hashes = ['', 'budget: { requests: 5 }'].map((budget) => {
      const read = reading(budget);
      return read.ok ? planHash(read.plan) : null;
    });
    expect(hashes[0]).not.toBeNull();
    expect(hashes[0]).toBe(hashes[1]);
  });
});
