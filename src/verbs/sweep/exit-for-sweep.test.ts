import { expect, it } from 'vitest';
import { exitForSweep } from './exit-for-sweep.ts';
import type { SweepPoint } from './model/sweep.ts';

it.each<[readonly SweepPoint['verdict'][], string | null, string]>([
  [['kept'], null, 'pass'],
  [['kept', 'broken', 'undecided'], null, 'pass'],
  [['broken', 'undecided'], null, 'objective'],
  [['kept', 'excluded'], null, 'invalid'],
  [['broken', 'excluded'], null, 'invalid'],
  [['kept', 'missing'], null, 'incomplete'],
  [['kept'], 'stopped before its last run', 'incomplete'],
])(
  'a sweep with the points %j, ended because of %s, has the exit %s',
  (verdicts, partial, exit) => {
    expect(exitForSweep({ points: verdicts.map((verdict) => ({ verdict })), partial })).toBe(exit);
  },
);
