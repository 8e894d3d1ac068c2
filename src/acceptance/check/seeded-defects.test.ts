import { expect, it } from 'vitest';
import { checkTable } from '../../verbs/check/suite/check-table.ts';
import { seededDefects } from './seeded-defects.fixture.ts';

it('sixty defects are seeded, each once and in every section that can be seen from outside', () => {
  expect(new Set(seededDefects.map(({ id }) => id)).size).toBe(60);
  const bySection = Map.groupBy(seededDefects, ({ section }) => section.split('.', 1)[0]);
  const counts = [...bySection].map(([section, { length }]) => [section, length]);
  expect(Object.fromEntries(counts)).toEqual({ 2: 22, 4: 26, 5: 2, 7: 5, 8: 4, 9: 1 });
});

it('each seeded defect names a check', () => {
  const checks = checkTable.map(({ id }) => id);
  expect(seededDefects.filter(({ row }) => !checks.includes(row))).toEqual([]);
});
