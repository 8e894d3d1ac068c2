import { expect, it } from 'vitest';
import { count, outcomeCountsSchema, secondSchema } from './counts.ts';
import { emptyOutcomeCounts } from './outcome-counts.ts';

it('a second of a result is one of 31 days', () => {
  const last = 31 * 24 * 60 * 60;
  for (const second of [0, 1, last]) expect(secondSchema.safeParse(second).success).toBe(true);
  for (const second of [-1, 0.5, last + 1, Number.NaN])
    expect(secondSchema.safeParse(second).success).toBe(false);
});

it('a count is whole, not negative and exact', () => {
  for (const each of [0, 1, Number.MAX_SAFE_INTEGER])
    expect(count.safeParse(each).success).toBe(true);
  for (const each of [-1, 0.5, 2 ** 53, null]) expect(count.safeParse(each).success).toBe(false);
});

it('old counts of outcomes have none that are cancelled; no other may be missing', () => {
  const { cancelled: _, ...old } = emptyOutcomeCounts();
  expect(outcomeCountsSchema.parse(old)).toEqual(emptyOutcomeCounts());
  for (const name of Object.keys(old)) {
    const { [name as keyof typeof old]: __, ...less } = old;
    expect(outcomeCountsSchema.safeParse(less).success).toBe(false);
  }
});
