import { expect, it } from 'vitest';
import { boundOutcomeOf } from './bench.ts';

const row = { what: 'a figure', unit: '×', bound: { kind: 'at least', value: 2 } } as const;

it('a bound is kept, broken, or not decided where the bare reference breaks it too', () => {
  expect(boundOutcomeOf({ ...row, value: 2 })).toBe('kept');
  expect(boundOutcomeOf({ ...row, value: 1 })).toBe('BROKEN');
  expect(boundOutcomeOf({ ...row, value: 1, ruler: 3 })).toBe('BROKEN');
  expect(boundOutcomeOf({ ...row, value: 1, ruler: 1 })).toBe('not decided');
  expect(boundOutcomeOf({ ...row, value: 1, bound: null })).toBeNull();
});

it('a bound from above is kept by what is below it, and broken by what never came', () => {
  const above = { ...row, bound: { kind: 'at most', value: 2 } } as const;
  expect(boundOutcomeOf({ ...above, value: 2 })).toBe('kept');
  expect(boundOutcomeOf({ ...above, value: 3 })).toBe('BROKEN');
  expect(boundOutcomeOf({ ...above, value: 3, ruler: 3 })).toBe('not decided');
  expect(boundOutcomeOf({ ...above, value: Number.POSITIVE_INFINITY })).toBe('BROKEN');
});

it('what could not be measured is said, with a bound or without, and is never kept', () => {
  expect(boundOutcomeOf({ ...row, value: Number.NaN })).toBe('not measured');
  expect(boundOutcomeOf({ ...row, value: Number.NaN, bound: null })).toBe('not measured');
  expect(boundOutcomeOf({ ...row, value: Number.POSITIVE_INFINITY })).toBe('not measured');
  expect(boundOutcomeOf({ ...row, value: Number.POSITIVE_INFINITY, bound: null })).toBe(
    'not measured',
  );
});
