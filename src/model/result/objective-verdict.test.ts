import { expect, it } from 'vitest';
import { failsRun, type ObjectiveVerdict } from './objective-verdict.ts';

it.each<
  [ObjectiveVerdict['severity'], ObjectiveVerdict['ruling'], ObjectiveVerdict['grounds'], boolean]
>([
  ['fail', 'fail', 'broken', true],
  ['fail', 'inconclusive', 'never-given', true],
  ['fail', 'inconclusive', 'unsure', false],
  ['fail', 'pass', 'kept', false],
  ['warn', 'fail', 'broken', false],
  ['warn', 'inconclusive', 'never-given', false],
])('an objective of severity %s that is ruled %s for %s: its run fails: %s', (...row) => {
  const [severity, ruling, grounds, fails] = row;
  expect(failsRun({ severity, ruling, grounds } as ObjectiveVerdict)).toBe(fails);
});
