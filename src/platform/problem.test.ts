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
  [Problem, 'configuration'],
  [UnusableScenario, 'scenario'],
  [UnusableKey, 'key'],
  [UnusableTarget, 'target'],
  [DoubtfulTarget, 'target'],
  [OverBudget, 'budget'],
  [UnwritableOutput, 'output'],
  [MissingPackage, 'package'],
])('%s is a problem of the kind %s', (Kind, kind) => {
  const problem = new Kind('why');
  expect(problem).toBeInstanceOf(Problem);
  expect([problem.kind, problem.message]).toEqual([kind, 'why']);
});
