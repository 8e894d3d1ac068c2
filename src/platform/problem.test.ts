import { expect, it } from 'vitest';
import {
  DoubtfulTarget,
  MissingPackage,
  OverBudget,
  Problem,
  UnusableKey,
  UnusableScenario,
  UnusableTarget,
  UnwritableOutput,
} from './problem.ts';

it.each([
  ['configuration', Problem],
  ['scenario', UnusableScenario],
  ['key', UnusableKey],
  ['target', UnusableTarget],
  ['target', DoubtfulTarget],
  ['budget', OverBudget],
  ['output', UnwritableOutput],
  ['package', MissingPackage],
])('%s is the kind of a problem', (kind, Kind) => {
  const problem = new Kind('why');
  expect(problem).toBeInstanceOf(Problem);
  expect([problem.kind, problem.message]).toEqual([kind, 'why']);
});
