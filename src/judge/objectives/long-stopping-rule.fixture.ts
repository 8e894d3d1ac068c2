import { expect, it } from 'vitest';
import { processes } from '../../model/measures/processes.fixture.ts';
import { decisionsOf, isWrong } from './simulated-decisions.fixture.ts';

/**
 * Test support: counts how many runs that end when they are sure are wrong. The runs last at most 20 minutes, and their
 * truth is known.
 */

const runs = 100;

/** Returns the number of cases among `runs` that a probability exceeds in less than 5 % of tries. */
const mostCases = (probability: number): number => {
  let cases = 0;
  let term = (1 - probability) ** runs;
  for (let sum = term; sum < 0.95; sum += term) {
    term *= ((runs - cases) / (cases + 1)) * (probability / (1 - probability));
    cases += 1;
  }
  return cases;
};

/** The bounds that are tried, as parts of the truth, each with the probability of a wrong decision in scenarios/load.md. */
const bounds = [
  ...[0.8, 0.9, 0.95, 1.05, 1.1, 1.2].map((part) => ({ part, allowed: 0.01 })),
  { part: 1, allowed: 0.06 },
];
const parts = bounds.map(({ part }) => part);

/** Tests the stopping rule with runs of each process. The objective bounds the quantile `q`. */
export const stoppingRuleSuite = (q: number): void => {
  it('of 100 runs, 3 may be wrong by a chance of 1 %, and 10 by one of 6 %', () => {
    expect([mostCases(0.01), mostCases(0.06)]).toEqual([3, 10]);
  });

  it.each(['independent requests', 'M/M/1 at 0.5', 'M/M/1 at 0.8', 'M/M/8 at 0.8', 'AR(1) of 0.8'])(
    `of quantile ${q} of %s no more runs decide wrongly than the page says`,
    { timeout: 600_000 },
    (name) => {
      const wrong = parts.map(() => 0);
      for (let run = 0; run < runs; run += 1) {
        const decisions = decisionsOf(processes[name]!, { q, parts, run, atMost: 1200 });
        for (const [i, part] of parts.entries()) if (isWrong(part, decisions[i]!)) wrong[i]! += 1;
      }
      for (const [i, { part, allowed }] of bounds.entries())
        expect(wrong[i], `bound at ${part}`).toBeLessThanOrEqual(mostCases(allowed));
    },
  );
};
