import { expect, it } from 'vitest';
import { exitForRecovery } from './exit-for-recovery.ts';
import type { PolicyRecovery } from './model/recovery-report.ts';

it.each<[readonly PolicyRecovery['state'][], string]>([
  [['back'], 'pass'],
  [['back', 'back', 'back'], 'pass'],
  [['back', 'unknown'], 'inconclusive'],
  [['unknown', 'kept'], 'objective'],
  [['stuck', 'back'], 'objective'],
])('an overload after which policies are %j ends with %s', (states, exit) => {
  expect(exitForRecovery({ policies: states.map((state) => ({ state })) })).toBe(exit);
});
