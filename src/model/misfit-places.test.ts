import { expect, it } from 'vitest';
import { misfitPlaces } from './misfit-places.ts';

it.each<[string, Parameters<typeof misfitPlaces>[0], string]>([
  ['one place', [{ path: ['groups', 3, 'labels'] }], 'groups.3.labels'],
  ['the whole document', [{ path: [] }], 'the whole'],
  ['a place once', [{ path: ['a'] }, { path: ['a'] }], 'a'],
  ['unknown keys by their names', [{ path: ['a'], keys: ['b', 'c'] }], 'a.b, a.c'],
  [
    'all unknown keys of a place by their number',
    [{ path: ['a'], keys: Array.from({ length: 5000 }, (_, n) => `k${n}`) }, { path: ['b'] }],
    'a.k0, a.k1, a.k2 and 4998 more',
  ],
  ['the first three of many', [1, 2, 3, 4, 5].map((n) => ({ path: [n] })), '1, 2, 3 and 2 more'],
  ['a long name by its beginning', [{ path: ['x'.repeat(1000)] }], `${'x'.repeat(80)}…`],
])('misfits are named by %s', (_, issues, text) => {
  expect(misfitPlaces(issues)).toBe(text);
});
